// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("collect") struct CollectTests {
  let trace = Trace()
  let scheduler = TestScheduler()

  @Test func `collect(2): remainder at the end, dropped on failure`() {
    [1, 2, 3].publisher.eraseToAnyPublisher().collect(2).record(trace)
    trace.mark()
    Record<Int, TestError>(output: [1, 2, 3], completion: .failure(.oops)).collect(2).record(trace)
    #expect(trace.text == "[1, 2] [3] end | [1, 2] fail")
  }

  @Test func `collect(3): a demand for groups is a demand for three times as many values`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.collect(3).record(asking: .max(2))
    #expect(trace.text == "up:sub up:max(6)")
    for value in 1...4 { probe.send(value) }
    #expect(recorder.values == [[1, 2, 3]])
  }

  @Test func `collect() gives all at the end, nothing but the failure on failure, and waits for demand`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.collect().record(trace, asking: .none)
    probe.send(1)
    probe.send(2)
    probe.finish()
    #expect(trace.text == "up:sub up:unlimited")
    recorder.request(.max(1))
    #expect(trace.text == "up:sub up:unlimited [1, 2] end")
    let failed = Record<Int, TestError>(output: [1], completion: .failure(.oops)).collect().record()
    #expect(failed.values == [])
    #expect(failed.completion == .failure(.oops))
    #expect(Empty<Int, TestError>().collect().record().values == [[]])
  }

  @Test func `collect(.byTime): the values of each interval, and the remainder at the end`() {
    let subject = PassthroughSubject<Int, TestError>()
    subject.collect(.byTime(scheduler, 1)).record(trace)
    scheduler.advance(by: 0.1)
    for value in 1...5 {
      subject.send(value)
      scheduler.advance(by: 0.4)
    }
    subject.send(6)
    subject.send(completion: .finished)
    scheduler.advance(by: 1)
    #expect(trace.text == "[1, 2, 3] [4, 5] [6] end")
  }

  @Test func `collect(.byTimeOrCount): whichever comes first`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.collect(.byTimeOrCount(scheduler, 1, 2)).record(trace)
    scheduler.advance(by: 0.1)
    for value in 1...5 { subject.send(value) }
    #expect(recorder.values == [[1, 2], [3, 4]])
    scheduler.advance(by: 1)
    #expect(recorder.values == [[1, 2], [3, 4], [5]])
    subject.send(6)
    subject.send(completion: .finished)
    scheduler.advance(by: 1)
    #expect(recorder.values == [[1, 2], [3, 4], [5], [6]])
    #expect(recorder.completion == .finished)
  }

  @Test func `collect(.byTime): a failure drops the remainder, and the timer stops with the end`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.collect(.byTime(scheduler, 1)).record(trace)
    subject.send(1)
    subject.send(completion: .failure(.oops))
    scheduler.advance(by: 2)
    #expect(trace.text == "fail")
    #expect(recorder.breaches == [])
    #expect(scheduler.pendingActions == 0)
  }

  @Test func `collect(.byTime): cancel stops the timer`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.collect(.byTime(scheduler, 1)).record(trace)
    subject.send(1)
    recorder.cancel()
    scheduler.advance(by: 2)
    #expect(trace.text == "")
    #expect(scheduler.pendingActions == 0)
  }
}
