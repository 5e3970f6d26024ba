// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("prefix, first, output, drop") struct PrefixTests {
  @Test(arguments: [
    Rule("ends with the second value and cancels upstream first", "clear 1 2 3 4 end", gives: "1 2 up:cancel end"),
    Rule("passes demand on", asking: .max(1), "ask:2", gives: "up:sub up:max(1) up:max(2)"),
  ])
  func `prefix(2) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.prefix(2) }
  }

  @Test(arguments: [Rule("ends immediately", "", gives: "end")])
  func `prefix(0) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.prefix(0) }
  }

  @Test(arguments: [
    Rule("cancels upstream, then sends value and end", "clear 5 6", gives: "up:cancel 5 end"),
    Rule("ends without a value and without demand if there is none", asking: .none, "end", gives: "end"),
  ])
  func `first satisfies its rules`(rule: Rule) {
    rule.check { $0.up.first() }
  }

  @Test(arguments: [
    Rule("ends before the first value that does not satisfy the condition", "clear 1 2 3 4", gives: "1 2 up:cancel end")
  ])
  func `prefix(while:) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.prefix { $0 < 3 } }
  }

  @Test(arguments: [
    Rule("ends at the other's first value", "a:1 a:2 clear b:7 a:3", gives: "b:cancel a:cancel end"),
    Rule("does not end when the other ends without a value", "b:end a:4", gives: "4"),
  ])
  func `prefix(untilOutputFrom:) satisfies its rules`(rule: Rule) {
    rule.check { $0.a.prefix(untilOutputFrom: $0.b) }
  }

  @Test(arguments: [Rule("ends before the first value if the other sends synchronously", "1", gives: "end")])
  func `prefix(untilOutputFrom: Just) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.prefix(untilOutputFrom: Just(0)) }
  }

  @Test(arguments: [
    Rule("opens with the other's first value, and cancels it", "a:1 clear b:7 a:2 a:end", gives: "b:cancel 2 end"),
    Rule("the other's end without a value ends both, as no value can follow", "clear b:end", gives: "a:cancel end"),
  ])
  func `drop(untilOutputFrom:) satisfies its rules`(rule: Rule) {
    rule.check { $0.a.drop(untilOutputFrom: $0.b) }
  }

  @Test(arguments: [
    Rule("selects values by index and ends after the last one", "clear 0 1 2 3", gives: "1 2 up:cancel end"),
    Rule("ends without a value if the index is missing", "0 end", gives: "end"),
  ])
  func `output(in:) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.output(in: 1...2) }
  }

  @Test func `output and dropFirst select values by index, and drop(while:) drops values until its condition fails`() {
    let letters = ["a", "b", "c", "d"].publisher.eraseToAnyPublisher()
    #expect(letters.output(at: 2).record().values == ["c"])
    #expect(letters.output(in: 1..<2).record().values == ["b"])
    #expect(letters.output(in: 2...).record().values == ["c", "d"])
    let numbers = [1, 2, 3, 1].publisher.eraseToAnyPublisher()
    #expect(numbers.dropFirst(3).record().values == [1])
    #expect(numbers.drop { $0 < 3 }.record().values == [3, 1])
    #expect(numbers.tryDrop { $0 < 2 }.record().values == [2, 3, 1])
  }
}
