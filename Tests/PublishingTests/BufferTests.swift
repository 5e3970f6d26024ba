// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("buffer") struct BufferTests {
  let trace = Trace()
  let subject = PassthroughSubject<Int, TestError>()

  @Test
  func
    `buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest) keeps the newest while the consumer asks for nothing`()
  {
    let recorder = subject.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest).record(trace, asking: .max(1))
    for value in 1...4 { subject.send(value) }
    trace.mark()
    recorder.request(.max(1))
    #expect(trace.text == "1 | 4")
  }

  @Test func `keepingNewest holds the newest value until it is asked for, and the end behind it`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.keepingNewest().record(trace, asking: .none)
    for value in 1...4 { probe.send(value) }
    recorder.request(.max(2))
    probe.send(5)
    for value in 6...8 { probe.send(value) }
    probe.finish()
    #expect(trace.text == "up:sub up:unlimited 4 5")
    recorder.request(.max(1))
    #expect(trace.text == "up:sub up:unlimited 4 5 8 end")
    #expect(recorder.breaches == [])
  }

  @Test
  func `buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest) asks for one ahead, so that the oldest stays`() {
    let recorder = subject.buffer(size: 1, prefetch: .keepFull, whenFull: .dropOldest).record(trace, asking: .max(1))
    for value in 1...4 { subject.send(value) }
    trace.mark()
    recorder.request(.max(1))
    #expect(trace.text == "1 | 2")
  }

  @Test func `buffer: dropNewest keeps the first values`() {
    let recorder = subject.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest).record(trace, asking: .none)
    for value in 1...4 { subject.send(value) }
    recorder.request(.unlimited)
    subject.send(5)
    #expect(trace.text == "1 2 5")
  }

  @Test func `buffer: customError fails when full, and cancels upstream`() {
    let probe = Probe<Int, TestError>(Trace())
    let recorder = probe.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { .other })
      .record(trace, asking: .none)
    probe.send(1)
    probe.send(2)
    recorder.request(.unlimited)
    probe.send(3)
    #expect(recorder.completion == .failure(.other))
    #expect(probe.cancels == 1)
    #expect(recorder.breaches == [])
  }

  @Test func `buffer: byRequest asks upstream for everything, keepFull for as much as fits`() {
    let a = Probe<Int, TestError>(trace, "a")
    a.buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest).record(asking: .none)
    #expect(trace.text == "a:sub a:unlimited")
    trace.clear()
    let b = Probe<Int, TestError>(trace, "b")
    b.buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest).record(asking: .none)
    #expect(trace.text == "b:sub b:max(3)")
  }

  @Test func `buffer: the end waits until the kept values are delivered`() {
    let recorder = subject.buffer(size: 5, prefetch: .byRequest, whenFull: .dropOldest).record(trace, asking: .max(1))
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .finished)
    #expect(trace.text == "1")
    recorder.request(.max(1))
    #expect(trace.text == "1 2")
    recorder.request(.max(1))
    #expect(trace.text == "1 2 3 end")
  }

  @Test func `buffer: cancel drops the kept values`() {
    final class Token {}
    let subject = PassthroughSubject<Token, TestError>()
    let recorder = subject.buffer(size: 5, prefetch: .byRequest, whenFull: .dropOldest).record(asking: .none)
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

  @Test func `buffer: values sent from inside a value come out in order`() {
    let subject = subject
    let recorder = subject.buffer(size: 10, prefetch: .byRequest, whenFull: .dropOldest).record(trace) {
      if $0 < 4 { subject.send($0 + 1) }
      return .none
    }
    subject.send(1)
    #expect(trace.text == "1 2 3 4")
    #expect(recorder.breaches == [])
  }
}
