// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("switchToLatest") struct SwitchToLatestTests {
  @Test(arguments: [
    Rule("ends when outer and last inner have ended", "outer:a a:1 outer:end a:2 | a:end", gives: "1 2 | end"),
    Rule("the last inner may end first", "outer:a a:end | outer:end", gives: "| end"),
    Rule("ends when the outer ends without an inner", "outer:end", gives: "end"),
    Rule(
      "cancels the old before it subscribes to the new, and ignores the old", "outer:a outer:b a:1 a:end b:2",
      gives: "outer:sub outer:unlimited a:sub a:unlimited a:cancel b:sub b:unlimited 2"),
    Rule("a failing inner cancels the outer", "outer:a clear a:fail", gives: "outer:cancel fail"),
    Rule("a failing outer cancels the inner", "outer:a clear outer:fail", gives: "a:cancel fail"),
    Rule(
      "the unmet demand is passed to the next inner; demand on the outer is unlimited", asking: .max(3),
      "outer:a a:1 outer:b ask:1",
      gives: "outer:sub outer:unlimited a:sub a:max(3) 1 a:cancel b:sub b:max(2) b:max(1)"),
    Rule("cancel reaches inner and outer once", "outer:a clear cancel cancel a:1", gives: "a:cancel outer:cancel"),
  ])
  func `switchToLatest satisfies its rules`(rule: Rule) {
    rule.check { $0.outer.switchToLatest() }
  }

  /// Regression: the demand was returned to the publisher that had been replaced.
  @Test func `demand that a subscriber returns after it has caused a switch is passed to the new publisher`() {
    let (outer, first) = (PassthroughSubject<AnyPublisher<Int, Never>, Never>(), PassthroughSubject<Int, Never>())
    let recorder = outer.switchToLatest().record(asking: .max(1)) { value in
      if value == 1 { outer.send([2, 3].publisher.eraseToAnyPublisher()) }
      return .max(1)
    }
    outer.send(first.eraseToAnyPublisher())
    first.send(1)
    #expect(recorder.values == [1, 2, 3])
  }

  @Test func `switchToLatest accepts publishers of which only one can fail`() {
    let a = PassthroughSubject<Fail<Int, TestError>, Never>()
    let recorder = a.switchToLatest().record()
    a.send(Fail(error: .oops))
    #expect(recorder.completion == .failure(.oops))
    let b = PassthroughSubject<Just<Int>, TestError>()
    let other = b.switchToLatest().record()
    b.send(Just(1))
    #expect(other.values == [1])
  }
}
