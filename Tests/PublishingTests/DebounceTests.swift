// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("debounce") struct DebounceTests {
  let scheduler = TestScheduler()
  let trace = Trace()
  let subject = PassthroughSubject<Int, TestError>()

  @Test func `debounce: a completion discards the pending value`() {
    let recorder = subject.debounce(for: 1, scheduler: scheduler).record(trace)
    subject.send(1)
    scheduler.advance(by: 0.5)
    subject.send(completion: .finished)
    scheduler.run()
    #expect(trace.text == "end")
    #expect(recorder.breaches == [])
  }

  @Test func `debounce: a failure discards the pending value too`() {
    subject.debounce(for: 1, scheduler: scheduler).record(trace)
    subject.send(1)
    subject.send(completion: .failure(.oops))
    scheduler.run()
    #expect(trace.text == "fail")
  }

  @Test func `debounce: completion goes through the scheduler, not at once`() {
    subject.debounce(for: 1, scheduler: scheduler).record(trace)
    subject.send(completion: .finished)
    trace.add("before")
    scheduler.run()
    #expect(trace.text == "before end")
  }

  @Test func `debounce: only the last of a burst, due after the last`() {
    subject.debounce(for: 1, scheduler: scheduler).record(trace)
    for value in 1...3 {
      subject.send(value)
      scheduler.advance(by: 0.5)
    }
    scheduler.advance(by: 0.4)
    trace.mark()
    scheduler.advance(by: 0.1)
    #expect(trace.text == "| 3")
  }

  @Test func `debounce: no downstream demand at due time = value lost, not kept`() {
    let recorder = subject.debounce(for: 1, scheduler: scheduler).record(trace, asking: .none)
    subject.send(1)
    scheduler.advance(by: 2)
    recorder.request(.max(1))
    scheduler.advance(by: 2)
    subject.send(2)
    scheduler.advance(by: 2)
    #expect(trace.text == "2")
  }

  @Test func `debounce asks upstream for everything, whatever downstream asks`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.debounce(for: 1, scheduler: scheduler).record(asking: .max(1))
    #expect(trace.text == "up:sub up:unlimited")
    recorder.request(.max(3))
    #expect(trace.text == "up:sub up:unlimited")
  }

  @Test func `debounce on ImmediateScheduler delivers inside send`() {
    subject.debounce(for: 1, scheduler: ImmediateScheduler.shared).record(trace)
    subject.send(1)
    subject.send(2)
    #expect(trace.text == "1 2")
  }

  @Test func `debounce: values further apart than the interval all pass, each at its due time`() {
    let scheduler = scheduler
    var times: [VirtualTime] = []
    let recorder = subject.debounce(for: 0.5, scheduler: scheduler).record(trace) { _ in
      times.append(scheduler.now)
      return .none
    }
    for value in 1...3 {
      subject.send(value)
      scheduler.advance(by: 1)
    }
    #expect(recorder.values == [1, 2, 3])
    #expect(times == [.seconds(0.5), .seconds(1.5), .seconds(2.5)])
  }

  @Test func `debounce: demand counts; values due beyond it are lost`() {
    let recorder = subject.debounce(for: 0.5, scheduler: scheduler).record(trace, asking: .max(2))
    for value in 1...4 {
      subject.send(value)
      scheduler.advance(by: 1)
    }
    recorder.request(.max(1))
    subject.send(5)
    scheduler.advance(by: 1)
    #expect(trace.text == "1 2 5")
  }

  @Test func `debounce: demand returned by receive(_:) counts`() {
    subject.debounce(for: 0.5, scheduler: scheduler)
      .record(trace, asking: .max(1)) { $0 < 3 ? .max(1) : .none }
    for value in 1...5 {
      subject.send(value)
      scheduler.advance(by: 1)
    }
    #expect(trace.text == "1 2 3")
  }

  @Test func `debounce: nothing after cancel, though already scheduled`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.debounce(for: 1, scheduler: scheduler).record(trace)
    probe.send(1)
    recorder.cancel()
    scheduler.run()
    probe.send(2)
    scheduler.run()
    #expect(trace.text == "up:sub up:unlimited up:cancel")
  }

  @Test func `debounce: a long burst leaves no long queue behind it`() {
    let recorder = subject.debounce(for: 1, scheduler: scheduler).record()
    for value in 1...100 {
      subject.send(value)
      scheduler.advance(by: 0.01)
    }
    scheduler.run()
    #expect(recorder.values == [100])
    #expect(scheduler.pendingActions == 0)
  }
}
