// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("merge") struct MergeTests {
  let trace = Trace()

  @Test func `merge: upstreams are subscribed in order; Just speaks before the subject is subscribed`() {
    let probe = Probe<String, Never>(trace)
    Just("status").merge(with: probe).record(trace)
    #expect(trace.text == "status up:sub up:unlimited")
  }

  @Test func `merge ends when all have ended`() {
    let a = PassthroughSubject<Int, TestError>()
    let b = PassthroughSubject<Int, TestError>()
    a.merge(with: b).record(trace)
    a.send(1)
    a.send(completion: .finished)
    b.send(2)
    #expect(trace.text == "1 2")
    b.send(completion: .finished)
    #expect(trace.text == "1 2 end")
  }

  @Test func `merge: one failure cancels the other before the failure goes down`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.merge(with: b).record(trace)
    trace.clear()
    a.fail(.oops)
    #expect(trace.text == "b:cancel fail")
    b.send(1)
    b.fail(.oops)
    #expect(recorder.breaches == [])
    #expect(trace.text == "b:cancel fail")
  }

  @Test func `merge demand: limited downstream = max(1) to each, one value kept per side`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.merge(with: b).record(trace, asking: .max(1))
    trace.add(a.send(1).traced)
    trace.add(a.send(2).traced)
    trace.mark()
    recorder.request(.max(1))
    #expect(trace.text == "a:sub a:max(1) b:sub b:max(1) 1 max(1) max(0) | 2 a:max(1)")
    #expect(recorder.breaches == [])
  }

  @Test func `merge: unlimited demand is passed on to each`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    a.merge(with: b).record(trace)
    #expect(a.requested == .unlimited)
    #expect(b.requested == .unlimited)
    a.send(1)
    b.send(2)
    a.send(3)
    #expect(trace.text == "a:sub a:unlimited b:sub b:unlimited 1 2 3")
  }

  @Test func `merge: a kept value comes out before the end of its side`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.merge(with: b).record(trace, asking: .max(1))
    a.send(1)
    a.send(2)
    a.finish()
    b.finish()
    trace.clear()
    recorder.request(.max(1))
    #expect(trace.text == "2 end")
  }

  @Test func `merge: cancel reaches every side once`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.merge(with: b).record(trace)
    trace.clear()
    recorder.cancel()
    recorder.cancel()
    a.send(1)
    b.finish()
    #expect(trace.entries.sorted() == ["a:cancel", "b:cancel"])
  }

  @Test(arguments: 3...8)
  func `merge of three to eight takes all, in every form`(count: Int) {
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
    let recorder = merged.record(trace)
    for index in 0..<8 { s[index].send(index) }
    #expect(recorder.values == Array(0..<count))
    for index in 0..<count {
      #expect(recorder.completion == nil)
      s[index].send(completion: .finished)
    }
    #expect(recorder.completion == .finished)
  }

  @Test func `MergeMany: a list and a variable number of arguments give the same; an empty one ends at once`() {
    let a = PassthroughSubject<Int, TestError>()
    let b = PassthroughSubject<Int, TestError>()
    let listed = Publishers.MergeMany([a, b]).record()
    let spelled = Publishers.MergeMany(a, b).record()
    let more = Publishers.MergeMany(a).merge(with: b).record()
    a.send(1)
    b.send(2)
    #expect(listed.values == [1, 2])
    #expect(spelled.values == [1, 2])
    #expect(more.values == [1, 2])
    let none = Publishers.MergeMany([PassthroughSubject<Int, TestError>]()).record()
    #expect(none.completion == .finished)
  }

  @Test func `merging the same publisher with itself doubles every value`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.merge(with: subject).record()
    subject.send(1)
    subject.send(2)
    #expect(recorder.values == [1, 1, 2, 2])
  }
}
