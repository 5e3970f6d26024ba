// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("receive(on:), subscribe(on:), delay") struct SchedulingTests {
  let scheduler = TestScheduler()
  let trace = Trace()
  let subject = PassthroughSubject<Int, TestError>()

  @Test func `receive(on:) keeps order and puts the end after the values`() {
    let recorder = subject.receive(on: scheduler).record(trace)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    trace.mark()
    scheduler.run()
    #expect(trace.text == "| 1 2 end")
    #expect(recorder.breaches == [])
  }

  @Test func `receive(on:): nothing after cancel, though already scheduled`() {
    let recorder = subject.receive(on: scheduler).record(trace)
    subject.send(1)
    subject.send(completion: .finished)
    recorder.cancel()
    scheduler.run()
    #expect(trace.text == "")
    #expect(recorder.breaches == [])
  }

  @Test func `receive(on:) passes demand and cancel on at once`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.receive(on: scheduler).record(asking: .max(2))
    #expect(trace.text == "up:sub up:max(2)")
    recorder.cancel()
    #expect(trace.text == "up:sub up:max(2) up:cancel")
  }

  @Test func `receive(on:): demand returned for a value is passed on`() {
    let probe = Probe<Int, TestError>(trace)
    probe.receive(on: scheduler).record(asking: .max(1)) { _ in .max(1) }
    probe.send(1)
    scheduler.run()
    #expect(trace.text == "up:sub up:max(1) up:max(1)")
  }

  @Test func `receive(on: ImmediateScheduler) delivers inside send`() {
    subject.receive(on: ImmediateScheduler.shared).record(trace)
    subject.send(1)
    trace.mark()
    subject.send(completion: .finished)
    #expect(trace.text == "1 | end")
  }

  @Test func `receive(on:): a send from inside a value comes later, so no subscriber hears 2 before 1`() {
    let subject = subject
    let queued = subject.receive(on: scheduler).share()
    queued.record(trace, "a") {
      if $0 == 1 { subject.send(2) }
      return .none
    }
    queued.record(trace, "b")
    subject.send(1)
    scheduler.run()
    #expect(trace.text == "a1 b1 a2 b2")
  }

  @Test func `delay delays the end too`() {
    subject.delay(for: 1, scheduler: scheduler).record(trace)
    subject.send(1)
    scheduler.advance(by: 0.5)
    subject.send(completion: .finished)
    scheduler.advance(by: 0.5)
    trace.mark()
    scheduler.advance(by: 0.5)
    #expect(trace.text == "1 | end")
  }

  @Test func `delay: a failure waits as long as a value does`() {
    subject.delay(for: 1, scheduler: scheduler).record(trace)
    subject.send(1)
    subject.send(completion: .failure(.oops))
    scheduler.advance(by: 0.9)
    trace.mark()
    scheduler.advance(by: 0.1)
    #expect(trace.text == "| 1 fail")
  }

  @Test func `delay: values keep their distances, and nothing comes after cancel`() {
    let scheduler = scheduler
    var times: [VirtualTime] = []
    let recorder = subject.delay(for: 2, scheduler: scheduler).record(trace) { _ in
      times.append(scheduler.now)
      return .none
    }
    subject.send(1)
    scheduler.advance(by: 0.5)
    subject.send(2)
    scheduler.advance(by: 3)
    subject.send(3)
    recorder.cancel()
    scheduler.run()
    #expect(times == [.seconds(2), .seconds(2.5)])
    #expect(trace.text == "1 2")
    #expect(recorder.breaches == [])
  }

  @Test func `delay passes demand and cancel on at once`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.delay(for: 1, scheduler: scheduler).record(asking: .max(2))
    recorder.request(.max(1))
    recorder.cancel()
    #expect(trace.text == "up:sub up:max(2) up:max(1) up:cancel")
  }

  @Test func `subscribe(on:): subscribing, requests and cancel all go through the scheduler`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = probe.subscribe(on: scheduler).record(asking: .none)
    trace.mark()
    scheduler.run()
    recorder.request(.unlimited)
    trace.mark()
    scheduler.run()
    recorder.cancel()
    trace.mark()
    scheduler.run()
    #expect(trace.text == "| up:sub | up:unlimited | up:cancel")
  }

  @Test func `subscribe(on:): values and the end are passed on at once`() {
    let probe = Probe<Int, TestError>(Trace())
    probe.subscribe(on: scheduler).record(trace)
    scheduler.run()
    probe.send(1)
    probe.fail(.oops)
    #expect(trace.text == "1 fail")
  }

  @Test func `subscribe(on:): nothing after cancel, though the source sends until the scheduler gets to it`() {
    let probe = Probe<Int, TestError>(Trace())
    let recorder = probe.subscribe(on: scheduler).record(trace)
    scheduler.run()
    recorder.cancel()
    probe.send(1)
    probe.finish()
    scheduler.run()
    #expect(trace.text == "")
    #expect(recorder.breaches == [])
    #expect(probe.cancels == 1)
  }
}
