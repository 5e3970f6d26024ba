// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("receive(on:), subscribe(on:), delay") struct SchedulingTests {
  @Test(arguments: [
    Rule("keeps order and puts the end after the values", "1 2 end | run", gives: "| 1 2 end"),
    Rule("nothing is sent after cancel, even if already scheduled", "1 end cancel run", gives: ""),
    Rule("passes demand and cancel on immediately", asking: .max(2), "cancel", gives: "up:sub up:max(2) up:cancel"),
  ])
  func `receive(on:) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.receive(on: $0.scheduler) }
  }

  @Test(arguments: [Rule("delivers inside send", "1 | end", gives: "1 | end")])
  func `receive(on: ImmediateScheduler.shared) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.receive(on: ImmediateScheduler.shared) }
  }

  @Test func `receive(on:) passes on the demand that receive(_:) returns`() {
    let (scheduler, probe) = (TestScheduler(), Probe<Int, TestError>())
    probe.receive(on: scheduler).record(asking: .max(1)) { _ in .max(1) }
    probe.send(1)
    scheduler.run()
    #expect(probe.trace.text == "up:sub up:max(1) up:max(1)")
  }

  @Test func `receive(on:) finishes the delivery of a value before it delivers one that was sent meanwhile`() {
    let (scheduler, trace, subject) = (TestScheduler(), Trace(), PassthroughSubject<Int, TestError>())
    let queued = subject.receive(on: scheduler).share()
    queued.record(trace, "a") {
      if $0 == 1 { subject.send(2) }
      return .none
    }
    queued.record(trace, "b")
    subject.send(1)
    scheduler.run()
    #expect(trace.text == "a1 b1 a2 b2")
  }

  @Test(arguments: [
    Rule("also delays the end", "1 0.5s end 0.5s | 0.5s", gives: "1@1.0s | end"),
    Rule("delays a failure as long as a value", "1 fail 0.9s | 0.1s", gives: "| 1@1.0s fail"),
    Rule(
      "values keep their distances, and nothing passes after cancel", "1 0.5s 2 3s 3 cancel run",
      gives: "1@1.0s 2@1.5s"),
    Rule(
      "passes demand and cancel on immediately", asking: .max(2), "ask:1 cancel",
      gives: "up:sub up:max(2) up:max(1) up:cancel"),
  ])
  func `delay satisfies its rules`(rule: Rule) {
    rule.check { $0.up.delay(for: 1, scheduler: $0.scheduler).timed(by: $0.scheduler) }
  }

  @Test(arguments: [
    Rule(
      "subscribing, requests and cancel all use the scheduler", asking: .none,
      "| run ask:all | run cancel | run",
      gives: "| up:sub | up:unlimited | up:cancel"),
    Rule("values and the end are passed on immediately", "run 1 fail", gives: "1 fail"),
    Rule(
      "nothing passes after cancel, although the source sends until the scheduler runs",
      "run clear cancel 1 end run", gives: "up:cancel"),
  ])
  func `subscribe(on:) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.subscribe(on: $0.scheduler) }
  }
}
