// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("throttle") struct ThrottleTests {
  let scheduler = TestScheduler()
  let trace = Trace()
  let subject = PassthroughSubject<Int, TestError>()

  /// Values 0 1 2 3 within the first second, 8 9 within the next, then rest.
  private func play() {
    for value in 0...3 {
      subject.send(value)
      scheduler.advance(by: 0.3)
    }
    subject.send(8)
    scheduler.advance(by: 0.3)
    subject.send(9)
    scheduler.advance(by: 5)
  }

  @Test func `throttle latest: true = first at once, then the newest of each interval`() {
    let recorder = subject.throttle(for: 1, scheduler: scheduler, latest: true).record(trace)
    play()
    #expect(trace.text == "0 3 9")
    #expect(recorder.breaches == [])
  }

  @Test func `throttle latest: false = first at once, then the oldest of each interval`() {
    subject.throttle(for: 1, scheduler: scheduler, latest: false).record(trace)
    play()
    #expect(trace.text == "0 1 8")
  }

  @Test func `throttle: the values of an interval come at its end, on the clock`() {
    let scheduler = scheduler
    var times: [VirtualTime] = []
    subject.throttle(for: 1, scheduler: scheduler, latest: true).record(trace) { _ in
      times.append(scheduler.now)
      return .none
    }
    play()
    #expect(times == [.seconds(0), .seconds(1), .seconds(2)])
  }

  @Test func `throttle: after a rest the next value passes at once again`() {
    subject.throttle(for: 1, scheduler: scheduler, latest: true).record(trace)
    subject.send(1)
    scheduler.advance(by: 3)
    subject.send(2)
    scheduler.advance()
    trace.mark()
    scheduler.advance(by: 0.5)
    subject.send(3)
    scheduler.advance(by: 0.4)
    trace.mark()
    scheduler.run()
    #expect(trace.text == "1 2 | | 3")
  }

  @Test func `throttle asks upstream for everything, whatever downstream asks`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.throttle(for: 1, scheduler: scheduler, latest: true).record(asking: .max(1))
    recorder.request(.max(1))
    #expect(trace.text == "up:sub up:unlimited")
  }

  @Test func `throttle: nothing after cancel, though already scheduled`() {
    let recorder = subject.throttle(for: 1, scheduler: scheduler, latest: true).record(trace)
    subject.send(1)
    scheduler.advance(by: 0.1)
    subject.send(2)
    recorder.cancel()
    scheduler.run()
    #expect(trace.text == "1")
    #expect(recorder.breaches == [])
  }

  @Test(arguments: [true, false])
  func `throttle: the end comes after the first value, and nothing follows it`(latest: Bool) {
    let recorder = subject.throttle(for: 1, scheduler: scheduler, latest: latest).record(trace)
    subject.send(1)
    scheduler.advance(by: 0.2)
    subject.send(completion: .failure(.oops))
    scheduler.run()
    subject.send(2)
    scheduler.run()
    #expect(trace.text == "1 fail")
    #expect(recorder.breaches == [])
  }

  @Test func `throttle: never more often than once an interval, whatever comes in`() {
    let scheduler = scheduler
    var times: [VirtualTime] = []
    subject.throttle(for: 1, scheduler: scheduler, latest: true).record { _ in
      times.append(scheduler.now)
      return .none
    }
    for value in 0..<70 {
      subject.send(value)
      scheduler.advance(by: 0.07)
    }
    scheduler.run()
    #expect(times.count >= 5)
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(earlier.distance(to: later) >= 1) }
  }
}
