// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("merge") struct MergeTests {
  @Test(arguments: [
    Rule("ends when all have ended", "a:1 a:end b:2 | b:end", gives: "1 2 | end"),
    Rule(
      "one failure cancels the other before it is passed on", "clear a:fail b:1 b:fail", gives: "b:cancel fail"),
    Rule(
      "limited demand: max(1) to each, one value stored per side", asking: .max(1), "a:+1 a:+2 | ask:1",
      gives: "a:sub a:max(1) b:sub b:max(1) 1 max(1) max(0) | 2 a:max(1)"),
    Rule(
      "unlimited demand is passed on to each", "a:1 b:2 a:3", gives: "a:sub a:unlimited b:sub b:unlimited 1 2 3"),
    Rule(
      "a stored value is sent before the end of its side", asking: .max(1), "a:1 a:2 a:end b:end | ask:1",
      gives: "1 | 2 end"),
    Rule("cancel reaches every publisher once", "clear cancel cancel a:1 b:end", gives: "a:cancel b:cancel"),
  ])
  func `merge satisfies its rules`(rule: Rule) {
    rule.check { $0.a.merge(with: $0.b) }
  }

  @Test(arguments: [
    Rule("Just sends its value before the next publisher is subscribed to", "", gives: "0 up:sub up:unlimited")
  ])
  func `merge subscribes to its publishers in order`(rule: Rule) {
    rule.check { Just(0).setFailureType(to: TestError.self).merge(with: $0.up) }
  }

  @Test(arguments: 3...8)
  func `every form of merge passes the values of three to eight publishers`(count: Int) {
    let s = (0..<8).map { _ in PassthroughSubject<Int, TestError>() }
    let merged: AnyPublisher<Int, TestError> =
      switch count {
      case 3: s[0].merge(with: s[1], s[2]).eraseToAnyPublisher()
      case 4: s[0].merge(with: s[1], s[2], s[3]).eraseToAnyPublisher()
      case 5: s[0].merge(with: s[1], s[2], s[3], s[4]).eraseToAnyPublisher()
      case 6: s[0].merge(with: s[1], s[2], s[3], s[4], s[5]).eraseToAnyPublisher()
      case 7: s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6]).eraseToAnyPublisher()
      default: s[0].merge(with: s[1], s[2], s[3], s[4], s[5], s[6], s[7]).eraseToAnyPublisher()
      }
    let recorder = merged.record()
    for index in 0..<8 { s[index].send(index) }
    #expect(recorder.values == Array(0..<count))
    for index in 0..<count {
      #expect(recorder.completion == nil)
      s[index].send(completion: .finished)
    }
    #expect(recorder.completion == .finished)
  }

  @Test func `MergeMany accepts a list or arguments, and ends immediately if there are none`() {
    let (a, b) = (PassthroughSubject<Int, TestError>(), PassthroughSubject<Int, TestError>())
    let forms: [Publishers.MergeMany<PassthroughSubject<Int, TestError>>] = [
      Publishers.MergeMany([a, b]), Publishers.MergeMany(a, b), Publishers.MergeMany(a).merge(with: b),
      a.merge(with: b),
    ]
    let recorders = forms.map { $0.record() }
    a.send(1)
    b.send(2)
    #expect(recorders.map(\.values) == Array(repeating: [1, 2], count: 4))
    let none = Publishers.MergeMany([PassthroughSubject<Int, TestError>]()).record()
    #expect(none.completion == .finished)
  }

  @Test func `merging a subject with itself delivers every value twice`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.merge(with: subject).record()
    subject.send(1)
    subject.send(2)
    #expect(recorder.values == [1, 1, 2, 2])
  }

  @Test func `merge delivers every requested value before it fails`() {
    let silent = Empty<Int, TestError>(completeImmediately: false)
    let recorder = Record(output: [0, 5, 6], completion: .failure(TestError.oops)).merge(with: silent)
      .record(asking: .none)
    recorder.request(.max(3))
    #expect(recorder.trace.text == "0 5 6 fail")

    let one = Record(output: [5, 2, 2], completion: Subscribers.Completion<TestError>.finished)
    let other = Record(output: [6, 1], completion: .failure(TestError.oops)).map { $0 }
    let both = one.merge(with: other).record(asking: .none)
    both.request(.max(6))
    // The failure arrives after two values of the first side have been requested.
    #expect(both.trace.text == "5 6 2 1 fail")
  }

  @Test func `merge stops an endless sequence when the subscriber cancels`() {
    let recorder = (0...).publisher.merge(with: Just(-1)).prefix(3).record(asking: .max(1)) { _ in .unlimited }
    #expect(recorder.trace.text == "0 1 2 end")
  }
}
