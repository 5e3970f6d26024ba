// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("timeout and measureInterval") struct TimeoutTests {
  let scheduler = TestScheduler()
  let trace = Trace()
  let subject = PassthroughSubject<Int, TestError>()

  @Test func `timeout finishes normally unless given an error, counts from the last value`() {
    subject.timeout(1, scheduler: scheduler).record(trace)
    scheduler.advance(by: 0.5)
    subject.send(1)
    scheduler.advance(by: 0.8)
    subject.send(2)
    scheduler.advance(by: 0.9)
    trace.mark()
    scheduler.advance(by: 0.2)
    #expect(trace.text == "1 2 | end")
  }

  @Test func `timeout with an error fails with it, and cancels upstream`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.timeout(1, scheduler: scheduler, customError: { .other }).record(trace)
    scheduler.advance(by: 2)
    probe.send(1)
    scheduler.run()
    #expect(trace.text == "up:sub up:unlimited up:cancel fail")
    #expect(recorder.completion == .failure(.other))
    #expect(recorder.breaches == [])
  }

  @Test func `timeout counts from the subscription while there is no value`() {
    subject.timeout(1, scheduler: scheduler).record(trace, asking: .none)
    scheduler.advance(by: 0.9)
    trace.mark()
    scheduler.advance(by: 0.1)
    #expect(trace.text == "| end")
  }

  @Test func `timeout: no end of its own after the upstream's, and none after cancel`() {
    let first = subject.timeout(1, scheduler: scheduler).record(trace)
    subject.send(completion: .failure(.oops))
    scheduler.run()
    let second = PassthroughSubject<Int, TestError>().timeout(1, scheduler: scheduler).record(trace)
    second.cancel()
    scheduler.run()
    #expect(trace.text == "fail")
    #expect(first.breaches + second.breaches == [])
  }

  @Test func `timeout passes demand on as it is`() {
    let probe = Probe<Int, TestError>(trace)
    probe.timeout(1, scheduler: scheduler).record(asking: .max(2))
    #expect(trace.text == "up:sub up:max(2)")
  }

  @Test func `measureInterval: from the subscription to the first value, then from value to value`() {
    let recorder = subject.measureInterval(using: scheduler).record()
    scheduler.advance(by: 0.5)
    subject.send(1)
    scheduler.advance(by: 2)
    subject.send(2)
    subject.send(3)
    #expect(recorder.values == [.seconds(0.5), .seconds(2), .seconds(0)])
  }
}
