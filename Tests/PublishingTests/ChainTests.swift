// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("append and prepend") struct ChainTests {
  @Test(arguments: [
    Rule(
      "subscribes to the second only after the first has ended", "| a:end b:1 b:end",
      gives: "a:sub a:unlimited | b:sub b:unlimited 1 end"),
    Rule(
      "passes the unmet demand on to the replacement", asking: .max(3), "a:1 a:end ask:1",
      gives: "a:sub a:max(3) 1 b:sub b:max(2) b:max(1)"),
    Rule("does not subscribe to the second if the first fails", "a:fail", gives: "a:sub a:unlimited fail"),
    Rule("cancel reaches the first while it runs", "clear cancel a:end", gives: "a:cancel"),
    Rule("cancel reaches the second once it runs", "a:end clear cancel", gives: "b:cancel"),
  ])
  func `append satisfies its rules`(rule: Rule) {
    rule.check { $0.a.append($0.b) }
  }

  @Test func `append and prepend accept values, sequences and publishers`() {
    let base = [3, 4].publisher.eraseToAnyPublisher()
    #expect(base.append(5, 6).record().values == [3, 4, 5, 6])
    #expect(base.append([5, 6]).record().values == [3, 4, 5, 6])
    #expect(base.append([5, 6].publisher).record().values == [3, 4, 5, 6])
    #expect(base.prepend(1, 2).record().values == [1, 2, 3, 4])
    #expect(base.prepend([1, 2]).record().values == [1, 2, 3, 4])
    #expect(base.prepend([1, 2].publisher).record().values == [1, 2, 3, 4])
    #expect(Just(2).prepend(Just(1)).append(Just(3)).prepend(0).record().values == [0, 1, 2, 3])
  }

  /// Regression: the demand was returned to the publisher that had ended.
  @Test func `demand that a subscriber returns after it has caused the end is passed to the next publisher`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.append([2, 3]).record(asking: .max(1)) { value in
      if value == 1 { subject.send(completion: .finished) }
      return .max(1)
    }
    subject.send(1)
    #expect(recorder.values == [1, 2, 3] && recorder.completion == .finished)
  }
}
