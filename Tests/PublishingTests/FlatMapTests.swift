// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("flatMap") struct FlatMapTests {
  @Test(arguments: [
    Rule("the end of the outer publisher waits for the inner ones", "outer:a outer:end | a:1 a:end", gives: "| 1 end"),
    Rule(
      "with limited demand, requests one value of each inner publisher and keeps values in order", asking: .max(2),
      "outer:a outer:b a:1 b:2 a:3 b:4 | ask:2",
      gives: "outer:sub outer:unlimited a:sub a:max(1) b:sub b:max(1) 1 2 | 3 a:max(1) 4 b:max(1)"),
    Rule(
      "a failure of an inner publisher cancels all others",
      "outer:a outer:b clear a:fail b:1 outer:c", gives: "b:cancel outer:cancel fail"),
    Rule(
      "a failure of the outer publisher cancels the inner ones", "outer:a clear outer:fail a:1", gives: "a:cancel fail"),
    Rule(
      "cancel reaches every publisher once", "outer:a outer:b clear cancel cancel a:1 outer:end",
      gives: "a:cancel b:cancel outer:cancel"),
  ])
  func `flatMap satisfies its rules`(rule: Rule) {
    rule.check { $0.outer.flatMap { $0 } }
  }

  @Test(arguments: [
    Rule(
      "loses values that a subject sends while another one is running",
      "outer:?a outer:?b a:1 b:99 a:end b:99 outer:?c c:2 c:end outer:end", gives: "1 2 end"),
    Rule(
      "requests one publisher, and another when it ends", "outer:a a:end",
      gives: "outer:sub outer:max(1) a:sub a:unlimited outer:max(1)"),
  ])
  func `flatMap(maxPublishers: .max(1)) satisfies its rules`(rule: Rule) {
    rule.check { $0.outer.flatMap(maxPublishers: .max(1)) { $0 } }
  }

  @Test func `flatMap sends its stored values before the completion`() {
    let recorder = [1, 2].publisher.flatMap { [$0 * 10, $0 * 10 + 1].publisher }.record(asking: .max(1))
    for _ in 0..<4 { recorder.request(.max(1)) }
    #expect(recorder.values.sorted() == [10, 11, 20, 21])
    #expect(recorder.trace.entries.last == "end")
    #expect(recorder.breaches == [])
  }

  @Test func `flatMap accepts a publisher that sends its value during the call of subscribe`() {
    #expect([1, 2, 3].publisher.flatMap { Just($0 * 2) }.record().trace.text == "2 4 6 end")
  }

  @Test func `flatMap accepts publishers of which only one can fail`() {
    let numbers = [1, 2].publisher.flatMap { _ in Fail<Int, TestError>(error: .oops) }.record()
    #expect(numbers.completion == .failure(.oops))
    let never = [1].publisher.setFailureType(to: TestError.self).flatMap { Just($0) }.record()
    #expect(never.completion == .finished)
  }
}
