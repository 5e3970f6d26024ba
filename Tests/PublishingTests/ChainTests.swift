// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("append and prepend") struct ChainTests {
  let trace = Trace()

  @Test func `append subscribes to the second only after the first has ended`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.append(b).record()
    #expect(trace.text == "a:sub a:unlimited")
    a.finish()
    #expect(trace.text == "a:sub a:unlimited b:sub b:unlimited")
    b.send(1)
    b.finish()
    #expect(recorder.values == [1])
    #expect(recorder.completion == .finished)
    #expect(recorder.subscriptions == 1)
  }

  @Test func `append carries the unmet demand over`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.append(b).record(asking: .max(3))
    a.send(1)
    a.finish()
    recorder.request(.max(1))
    #expect(trace.text == "a:sub a:max(3) b:sub b:max(2) b:max(1)")
  }

  @Test func `append: a failure of the first leaves the second alone`() {
    let b = Probe<Int, TestError>(trace, "b")
    Fail<Int, TestError>(error: .oops).append(b).record(trace)
    #expect(trace.text == "fail")
  }

  @Test func `append and prepend take values, sequences and publishers`() {
    let base = [3, 4].publisher.eraseToAnyPublisher()
    #expect(base.append(5, 6).record().values == [3, 4, 5, 6])
    #expect(base.append([5, 6]).record().values == [3, 4, 5, 6])
    #expect(base.append([5, 6].publisher).record().values == [3, 4, 5, 6])
    #expect(base.prepend(1, 2).record().values == [1, 2, 3, 4])
    #expect(base.prepend([1, 2]).record().values == [1, 2, 3, 4])
    #expect(base.prepend([1, 2].publisher).record().values == [1, 2, 3, 4])
  }

  @Test func `prepend: the last written comes first`() {
    let recorder = Just(2).prepend(Just(1)).append(Just(3)).prepend(0).record()
    #expect(recorder.values == [0, 1, 2, 3])
  }

  @Test func `append: cancel reaches the one that runs`() {
    let a = Probe<Int, TestError>(trace, "a")
    let b = Probe<Int, TestError>(trace, "b")
    let recorder = a.append(b).record()
    a.finish()
    trace.clear()
    recorder.cancel()
    #expect(trace.text == "b:cancel")
    let other = a.append(b).record()
    trace.clear()
    other.cancel()
    a.finish()
    #expect(trace.text == "a:cancel")
  }
}
