// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("TestScheduler and ImmediateScheduler") struct TestSchedulerTests {
  let scheduler = TestScheduler()
  let trace = Trace()

  @Test func `actions that are scheduled for the same time run in the order of scheduling`() {
    for index in 0..<50 {
      scheduler.schedule(after: scheduler.now.advanced(by: 1)) { trace.add("\(index)") }
    }
    scheduler.advance(by: 1)
    #expect(trace.entries == (0..<50).map { "\($0)" })
  }

  @Test func `actions run at their times, in the order of their times`() {
    for delay in [3, 1, 2, 0.5] {
      scheduler.schedule(after: .seconds(delay)) { trace.add("\(scheduler.now)") }
    }
    scheduler.advance(by: 2.5)
    #expect(trace.text == "0.5s 1.0s 2.0s")
    #expect(scheduler.now == .seconds(2.5))
    scheduler.run()
    #expect(scheduler.now == .seconds(3))
    #expect(scheduler.pendingActions == 0)
  }

  @Test func `no action runs during schedule, and an action without a delay runs in the same call of advance`() {
    scheduler.schedule {
      trace.add("a")
      scheduler.schedule { trace.add("c") }
      trace.add("b")
    }
    #expect(trace.text == "")
    scheduler.advance()
    #expect(trace.text == "a b c")
  }

  /// Regression: it trapped, although real schedulers accept the interval of a debounce that is off.
  @Test func `an interval of zero counts as a short one`() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.debounce(for: 0, scheduler: scheduler).record()
    subject.send(1)
    scheduler.advance(by: 1)
    #expect(recorder.values == [1] && scheduler.pendingActions == 0)
  }

  @Test func `a repeated action runs at every interval until it is cancelled`() {
    let cancellable = scheduler.schedule(after: .seconds(1), interval: 0.5) { trace.add("\(scheduler.now)") }
    scheduler.advance(by: 2)
    cancellable.cancel()
    scheduler.advance(by: 2)
    #expect(trace.text == "1.0s 1.5s 2.0s")
    var inner: (any Cancellable)?
    var count = 0
    inner = scheduler.schedule(after: scheduler.now, interval: 1) {
      count += 1
      if count == 2 { inner?.cancel() }
    }
    scheduler.run()
    #expect(count == 2)
    #expect(scheduler.pendingActions == 0)
  }

  @Test func `a repeated action that is cancelled is released`() {
    final class Token {}
    var token: Token? = Token()
    weak let weakToken = token
    let cancellable = scheduler.schedule(after: .seconds(1), interval: 1) { [token] in _ = token }
    token = nil
    #expect(weakToken != nil)
    cancellable.cancel()
    #expect(weakToken == nil)
  }

  @Test func `number literals for strides of virtual time are in seconds`() {
    typealias Stride = VirtualTime.Stride
    #expect(Stride.seconds(1) == 1)
    #expect(Stride.milliseconds(500) == 0.5)
    #expect(Stride.microseconds(1000) == .milliseconds(1))
    #expect(Stride.nanoseconds(1_000_000) == .milliseconds(1))
    #expect(Stride.seconds(1.5) == .milliseconds(1500))
    #expect(VirtualTime.seconds(1).distance(to: .seconds(3)) == 2)
  }

  @Test func `ImmediateScheduler runs every action immediately, whatever its time`() {
    let immediate = ImmediateScheduler.shared
    immediate.schedule { trace.add("now") }
    immediate.schedule(after: immediate.now.advanced(by: 10)) { trace.add("later") }
    let cancellable = immediate.schedule(after: immediate.now, interval: 1) { trace.add("once") }
    #expect(trace.text == "now later once")
    cancellable.cancel()
    #expect(immediate.now.distance(to: immediate.now) == 0)
    #expect(immediate.minimumTolerance == 0)
  }
}
