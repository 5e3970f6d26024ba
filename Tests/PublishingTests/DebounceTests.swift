// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("debounce") struct DebounceTests {
  @Test(arguments: [
    Rule("a completion discards the pending value", "1 0.5s end run", gives: "end"),
    Rule("a failure also discards the pending value", "1 fail run", gives: "fail"),
    Rule("a completion is delivered through the scheduler", "end | run", gives: "| end"),
    Rule("only the last of a burst passes, one interval after it", "1 0.5s 2 0.5s 3 0.9s | 0.1s", gives: "| 3"),
    Rule("a value without demand at its due time is lost", asking: .none, "1 2s ask:1 2s 2 2s", gives: "2"),
    Rule(
      "values that are due without demand are lost", asking: .max(2), "1 2s 2 2s 3 2s 4 2s ask:1 5 2s", gives: "1 2 5"),
    Rule("has unlimited demand, whatever is requested", asking: .max(1), "ask:3", gives: "up:sub up:unlimited"),
    Rule("nothing is sent after cancel, even if already scheduled", "1 clear cancel run 2 run", gives: "up:cancel"),
  ])
  func `debounce satisfies its rules`(rule: Rule) {
    rule.check { $0.up.debounce(for: 1, scheduler: $0.scheduler) }
  }

  @Test(arguments: [
    Rule(
      "values further apart than the interval all pass, each at its due time", "1 2s 2 2s 3 2s",
      gives: "1@1.0s 2@3.0s 3@5.0s")
  ])
  func `debounce satisfies its rules in virtual time`(rule: Rule) {
    rule.check { $0.up.debounce(for: 1, scheduler: $0.scheduler).timed(by: $0.scheduler) }
  }

  @Test(arguments: [Rule("delivers inside send", "1 | 2", gives: "1 | 2")])
  func `debounce satisfies its rules on ImmediateScheduler`(rule: Rule) {
    rule.check { $0.up.debounce(for: 1, scheduler: ImmediateScheduler.shared) }
  }

  @Test func `debounce delivers the values that receive(_:) requests and keeps no queue after a burst`() {
    let (scheduler, subject) = (TestScheduler(), PassthroughSubject<Int, TestError>())
    let recorder = subject.debounce(for: 0.5, scheduler: scheduler).record(asking: .max(1)) { $0 < 3 ? .max(1) : .none }
    for value in 1...5 {
      subject.send(value)
      scheduler.advance(by: 1)
    }
    #expect(recorder.values == [1, 2, 3])
    for value in 1...100 {
      subject.send(value)
      scheduler.advance(by: 0.01)
    }
    #expect(scheduler.pendingActions == 1)
  }
}
