// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("timer publisher") struct TimerPublisherTests {
  let scheduler = TestScheduler()
  let trace = Trace()

  @Test func `a timer publisher first ticks one interval after connect`() {
    let timer = scheduler.timerPublisher(every: 0.5)
    timer.record(trace)
    scheduler.advance(by: 2)
    #expect(trace.text == "")
    let connection = timer.connect()
    scheduler.advance(by: 1.4)
    #expect(trace.text == "2.5s 3.0s")
    connection.cancel()
    scheduler.advance(by: 5)
    #expect(trace.text == "2.5s 3.0s")
    #expect(scheduler.pendingActions == 0)
  }

  @Test func `a timer publisher with autoconnect ticks while it has subscribers`() {
    let timer = scheduler.timerPublisher(every: 1).autoconnect()
    #expect(scheduler.pendingActions == 0)
    let a = timer.record(trace, "a")
    let b = timer.record(trace, "b")
    scheduler.advance(by: 1)
    a.cancel()
    scheduler.advance(by: 1)
    b.cancel()
    #expect(trace.text == "a1.0s b1.0s b2.0s")
    #expect(scheduler.pendingActions == 0)
    scheduler.advance(by: 1.5)
    let c = timer.record(trace, "c")
    scheduler.advance(by: 1)
    c.cancel()
    #expect(trace.entries.last == "c4.5s")
  }

  @Test func `a timer publisher drops a tick for which there is no demand`() {
    let timer = scheduler.timerPublisher(every: 1)
    let recorder = timer.record(trace, asking: .max(1))
    let connection = timer.connect()
    scheduler.advance(by: 3)
    recorder.request(.max(2))
    scheduler.advance(by: 5)
    #expect(trace.text == "1.0s 4.0s 5.0s")
    #expect(recorder.breaches == [])
    connection.cancel()
  }

  @Test func `a timer publisher can be cancelled in its own sink`() {
    var subscription: AnyCancellable?
    subscription = scheduler.timerPublisher(every: 1).autoconnect().sink {
      trace.add("\($0)")
      if trace.entries.count == 2 { subscription?.cancel() }
    }
    scheduler.run()
    #expect(trace.text == "1.0s 2.0s")
    subscription = nil
  }

  @Test func `two connections of a timer publisher share one timer`() {
    let timer = scheduler.timerPublisher(every: 1)
    let recorder = timer.record(trace)
    var first: AnyCancellable? = AnyCancellable(timer.connect())
    #expect(first != nil)
    let second = timer.connect()
    scheduler.advance(by: 1)
    #expect(trace.text == "1.0s")
    second.cancel()
    first = nil
    scheduler.advance(by: 3)
    #expect(trace.text == "1.0s")
    recorder.cancel()
  }

  @Test func `a timer publisher is released after its connection and its subscriber are cancelled`() {
    weak var weakTimer: Publishers.TimerPublisher<TestScheduler>?
    do {
      let timer = scheduler.timerPublisher(every: 1)
      weakTimer = timer
      let recorder = timer.record()
      let connection = timer.connect()
      scheduler.advance(by: 1)
      connection.cancel()
      recorder.cancel()
    }
    #expect(weakTimer == nil)
    #expect(scheduler.pendingActions == 0)
  }

  @Test func `a timer publisher has the properties that were passed to its initializer`() {
    let timer = Publishers.TimerPublisher(interval: 2, tolerance: 0.5, scheduler: scheduler)
    #expect(timer.interval == 2)
    #expect(timer.tolerance == 0.5)
    #expect(timer.scheduler === scheduler)
    #expect(scheduler.timerPublisher(every: 1).tolerance == scheduler.minimumTolerance)
  }
}
