// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("buffer") struct BufferTests {
  @Test(arguments: [
    Rule("has unlimited demand", asking: .none, "", gives: "up:sub up:unlimited"),
    Rule("keeps the newest value while there is no demand", asking: .max(1), "1 2 3 4 | ask:1", gives: "1 | 4"),
    Rule(
      "keeps the newest value and the end until there is demand", asking: .none,
      "1 2 3 4 ask:2 5 6 7 8 end | ask:1", gives: "4 5 | 8 end"),
  ])
  func `keepingNewest satisfies its rules`(rule: Rule) {
    rule.check { $0.up.keepingNewest() }
    rule.check { $0.up.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest) }
  }

  @Test(arguments: [
    Rule("requests as many values as fit", asking: .none, "", gives: "up:sub up:max(1)"),
    Rule("keeps a subject's oldest value", asking: .max(1), "?1 ?2 ?3 ?4 | ask:1", gives: "1 | 2"),
  ])
  func `buffer(prefetch: .keepFull) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest) }
  }

  @Test(arguments: [
    Rule("keeps the first values", asking: .none, "1 2 3 4 ask:all 5", gives: "1 2 5"),
    Rule("the end waits for the kept values", asking: .max(1), "1 2 3 end | ask:1 | ask:1", gives: "1 | 2 | 3 end"),
  ])
  func `buffer(whenFull: .dropNewest) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest) }
  }

  @Test(arguments: [
    Rule(
      "cancels upstream when full, and fails behind the kept values", asking: .none, "1 clear 2 ask:all 3",
      gives: "up:cancel 1 fail")
  ])
  func `buffer(whenFull: .customError) satisfies its rules`(rule: Rule) {
    rule.check { $0.up.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { .other }) }
  }

  @Test func `cancelling a buffer drops its values`() {
    final class Token {}
    let subject = PassthroughSubject<Token, TestError>()
    let recorder = subject.keepingNewest().record(asking: .none)
    var token: Token? = Token()
    weak let weakToken = token
    if let token { subject.send(token) }
    token = nil
    #expect(weakToken != nil)
    recorder.cancel()
    #expect(weakToken == nil)
    recorder.request(.unlimited)
    #expect(recorder.breaches == [])
  }

  @Test func `values that are sent while a value is received are delivered in order`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest).record {
      if $0 < 4 { subject.send($0 + 1) }
      return .none
    }
    subject.send(1)
    #expect(recorder.values == [1, 2, 3, 4])
    #expect(recorder.breaches == [])
  }
}
