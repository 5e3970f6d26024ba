// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("flatMap") struct FlatMapTests {
  @Test(arguments: [
    Rule("the end of the outer waits for the children", "outer:a outer:end | a:1 a:end", gives: "| 1 end"),
    Rule(
      "limited demand: max(1) of each child, extra values wait in order", asking: .max(2),
      "outer:a outer:b a:1 b:2 a:3 b:4 | ask:2",
      gives: "outer:sub outer:unlimited a:sub a:max(1) b:sub b:max(1) 1 2 | 3 a:max(1) 4 b:max(1)"),
    Rule(
      "a failing child cancels the others and the outer; no value follows",
      "outer:a outer:b clear a:fail b:1 outer:c", gives: "b:cancel outer:cancel fail"),
    Rule("a failing outer cancels the children", "outer:a clear outer:fail a:1", gives: "a:cancel fail"),
    Rule(
      "cancel reaches every child and the outer one time", "outer:a outer:b clear cancel cancel a:1 outer:end",
      gives: "a:cancel b:cancel outer:cancel"),
  ])
  func `flatMap`(rule: Rule) {
    rule.check { $0.outer.flatMap { $0 } }
  }

  @Test(arguments: [
    Rule(
      "values that a subject sends while one child runs are lost",
      "outer:?a outer:?b a:1 b:99 a:end b:99 outer:?c c:2 c:end outer:end", gives: "1 2 end"),
    Rule(
      "requests one value, and another when a child ends", "outer:a a:end",
      gives: "outer:sub outer:max(1) a:sub a:unlimited outer:max(1)"),
  ])
  func `flatMap with one publisher at a time`(rule: Rule) {
    rule.check { $0.outer.flatMap(maxPublishers: .max(1)) { $0 } }
  }

  @Test func `stored values are sent before the end`() {
    let recorder = [1, 2].publisher.flatMap { [$0 * 10, $0 * 10 + 1].publisher }.record(asking: .max(1))
    for _ in 0..<4 { recorder.request(.max(1)) }
    #expect(recorder.values.sorted() == [10, 11, 20, 21])
    #expect(recorder.trace.entries.last == "end")
    #expect(recorder.breaches == [])
  }

  @Test func `a child that sends a value while subscribing keeps its place`() {
    #expect([1, 2, 3].publisher.flatMap { Just($0 * 2) }.record().trace.text == "2 4 6 end")
  }

  @Test func `failure types adapt where one side never fails`() {
    let numbers = [1, 2].publisher.flatMap { _ in Fail<Int, TestError>(error: .oops) }.record()
    #expect(numbers.completion == .failure(.oops))
    let never = [1].publisher.setFailureType(to: TestError.self).flatMap { Just($0) }.record()
    #expect(never.completion == .finished)
  }
}
