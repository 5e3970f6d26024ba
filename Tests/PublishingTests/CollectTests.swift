// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("collect") struct CollectTests {
  @Test(arguments: [
    Rule("the remainder is sent at the end", "1 2 3 end", gives: "[1, 2] [3] end"),
    Rule("a failure drops the remainder", "1 2 3 fail", gives: "[1, 2] fail"),
    Rule(
      "a demand for groups is a demand for as many values as they hold", asking: .max(2), "1 2 3 4",
      gives: "up:sub up:max(4) [1, 2] [3, 4]"),
  ])
  func `collect(_:) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.collect(2) }
  }

  @Test(arguments: [
    Rule("sends all values at the end, if there is demand", asking: .none, "1 2 end | ask:1", gives: "| [1, 2] end"),
    Rule("sends only the failure", "1 fail", gives: "fail"),
    Rule("sends an empty array if there was no value", "end", gives: "[] end"),
  ])
  func `collect satisfies its rules`(rule: Rule) {
    rule.check { $0.up.collect() }
  }

  @Test(arguments: [
    Rule(
      "sends the values of each interval, and the remainder at the end",
      "0.1s 1 0.4s 2 0.4s 3 0.4s 4 0.4s 5 0.4s 6 end 1s", gives: "[1, 2, 3] [4, 5] [6] end"),
    Rule("a failure drops the remainder", "1 fail 2s", gives: "fail"),
    Rule("nothing is sent after a cancellation", "1 cancel 2s", gives: ""),
  ])
  func `collect(.byTime) satisfies its rules and stops its timer when upstream ends`(rule: Rule) {
    var scheduler: TestScheduler?
    rule.check { stage in
      scheduler = stage.scheduler
      return stage.up.collect(.byTime(stage.scheduler, 1))
    }
    #expect(scheduler?.pendingActions == 0)
  }

  @Test(arguments: [
    Rule(
      "sends a group after the time or the count, whichever is first", "0.1s 1 2 3 4 5 | 1s | 6 end 1s",
      gives: "[1, 2] [3, 4] | [5] | [6] end"),
    // Regression: a group that was sent early left demand for more values, which all went into one group.
    Rule(
      "no group has more values than the count", asking: .max(1),
      "1 1s | ask:1 2 1s | ask:1 3 1s | ask:1 4 5 6 7 8 | ask:1 | ask:1 end",
      gives:
        "up:sub up:max(2) [1] | up:max(1) [2] | up:max(1) [3] | up:max(1) [4, 5] | [6, 7] | up:max(1) [8] end"
    ),
    // Regression: each group that was sent early left demand for more values, without end.
    Rule(
      "upstream is asked only for what the requested groups need", asking: .max(1),
      "1 1s | ask:1 | 2 1s | ask:2 | 3 4 5 | 1s",
      gives: "up:sub up:max(2) [1] | up:max(1) | [2] | up:max(3) | [3, 4] | [5]"),
  ])
  func `collect(.byTimeOrCount) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.collect(.byTimeOrCount($0.scheduler, 1, 2)) }
  }
}
