// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("timeout and measureInterval") struct TimeoutTests {
  @Test(arguments: [
    Rule("finishes normally, counting from the last value", "0.5s 1 0.8s 2 0.9s | 0.2s", gives: "1 2 | end"),
    Rule("counts from the subscription while there is no value", asking: .none, "0.9s | 0.1s", gives: "| end"),
    Rule("does not end again after upstream has ended", "fail run", gives: "fail"),
    Rule("does not end after cancel", "cancel run", gives: ""),
    Rule("passes demand on unchanged", asking: .max(2), "", gives: "up:sub up:max(2)"),
  ])
  func `timeout satisfies its rules`(rule: Rule) {
    rule.check { $0.up.timeout(1, scheduler: $0.scheduler) }
  }

  @Test(arguments: [Rule("cancels upstream and fails with the custom error", "clear 2s 1 run", gives: "up:cancel fail")]
  )
  func `timeout(customError:) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.timeout(1, scheduler: $0.scheduler, customError: { .other }) }
  }

  @Test(arguments: [
    Rule(
      "measures from the subscription to the first value, then from value to value", "0.5s 1 2s 2 3",
      gives: "0.5s 2.0s 0.0s")
  ])
  func `measureInterval satisfies its rules`(rule: Rule) {
    rule.check { $0.up.measureInterval(using: $0.scheduler) }
  }
}
