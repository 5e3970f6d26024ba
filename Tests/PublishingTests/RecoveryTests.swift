// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("catch, retry, replaceError, mapError") struct RecoveryTests {
  @Test(arguments: [
    Rule("passes the unmet demand on to the replacement", asking: .max(2), "a:1 clear a:fail", gives: "b:sub b:max(1)"),
    Rule("a failure of the replacement is passed on", "a:fail b:fail", gives: "fail"),
    Rule("creates no replacement without a failure", "a:1 a:end", gives: "a:sub a:unlimited 1 end"),
    Rule(
      "values of the failed upstream are ignored, and cancel reaches the replacement", "a:fail a:1 a:end clear cancel",
      gives: "b:cancel"),
  ])
  func `catch satisfies its rules`(rule: Rule) {
    rule.check { stage in stage.a.catch { _ in stage.b } }
    rule.check { stage in stage.a.tryCatch { _ in stage.b } }
  }

  @Test(arguments: [
    Rule(
      "makes three attempts and passes the values of failed ones", "1 fail 2 fail | 3 fail", gives: "1 2 | 3 fail"),
    Rule("ends with the first successful attempt", "1 fail 2 end", gives: "1 2 end"),
    Rule(
      "carries the unmet demand over; cancel reaches the new attempt", asking: .max(3), "1 fail cancel",
      gives: "up:sub up:max(3) 1 up:sub up:max(2) up:cancel"),
  ])
  func `retry(2) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.retry(2) }
  }

  @Test(arguments: [
    Rule("sends its value and the end when there is demand", asking: .max(1), "1 fail | ask:1", gives: "1 | 9 end")
  ])
  func `replaceError satisfies its rules`(rule: Rule) {
    rule.check { $0.up.replaceError(with: 9) }
  }

  @Test(arguments: [Rule("passes values and the end", asking: .max(2), "1 end", gives: "up:sub up:max(2) 1 end")])
  func `assertNoFailure, breakpointOnError and setFailureType satisfy their rules`(rule: Rule) {
    rule.check { $0.up.assertNoFailure() }
    rule.check { $0.up.breakpointOnError() }
    rule.check { $0.up.assertNoFailure().setFailureType(to: TestError.self) }
  }

  @Test func `mapError passes the failure to its closure and fails with the result`() {
    struct Wrapped: Error, Equatable { let inner: TestError }
    let recorder = Fail<Int, TestError>(error: .other).mapError(Wrapped.init).record()
    #expect(recorder.completion == .failure(Wrapped(inner: .other)))
  }
}
