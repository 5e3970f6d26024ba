// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Testing

@testable import Publishing

@Suite("throttle") struct ThrottleTests {
  /// Values 0 1 2 3 within the first second, 8 9 within the next, then none.
  static let burst = "0 0.3s 1 0.3s 2 0.3s 3 0.3s 8 0.3s 9 5s"

  @Test(arguments: [
    Rule(
      "sends the first value immediately, then the newest of each interval at its end", burst,
      gives: "0@0.0s 3@1.0s 9@2.0s"),
    Rule(
      "after a pause the next value again passes immediately", "1 3s 2 0s | 0.5s 3 0.4s | run",
      gives: "1@0.0s 2@3.0s | | 3@4.0s"),
    Rule("has unlimited demand, whatever is requested", asking: .max(1), "ask:1", gives: "up:sub up:unlimited"),
    Rule("nothing is sent after cancel, even if already scheduled", "1 0.1s 2 cancel run", gives: "1@0.0s"),
    Rule("the end follows the first value, and nothing follows it", "1 0.2s fail run 2 run", gives: "1@0.0s fail"),
  ])
  func `throttle(latest: true) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.throttle(for: 1, scheduler: $0.scheduler, latest: true).timed(by: $0.scheduler) }
  }

  /// Regression: nothing was sent until the clock had reached its former time.
  @Test func `throttle continues after its clock is set back`() {
    var machine = ThrottleMachine<VirtualTime, Int, Never>(interval: 1, latest: true)
    machine.demand = .unlimited
    for (time, value) in [(7_200, 1), (10, 2)] {
      guard case .soon? = machine.receive(value, at: .seconds(Double(time))) else {
        Issue.record("it waits")
        return
      }
      #expect(machine.fire(at: .seconds(Double(time))) == value)
    }
  }

  @Test(arguments: [
    Rule(
      "sends the first value immediately, then the oldest of each interval at its end", burst,
      gives: "0@0.0s 1@1.0s 8@2.0s"),
    Rule("the end follows the first value, and nothing follows it", "1 0.2s fail run 2 run", gives: "1@0.0s fail"),
  ])
  func `throttle(latest: false) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.throttle(for: 1, scheduler: $0.scheduler, latest: false).timed(by: $0.scheduler) }
  }
}
