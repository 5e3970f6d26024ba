// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("PassthroughSubject") struct PassthroughSubjectTests {
  let trace = Trace()
  let subject = PassthroughSubject<Int, TestError>()

  @Test func `a PassthroughSubject drops values for which there is no demand`() {
    let recorder = subject.record(trace, asking: .max(1))
    subject.send(1)
    subject.send(2)
    recorder.request(.max(1))
    subject.send(3)
    #expect(trace.text == "1 3")
  }

  @Test func `a subject that has completed ignores later values and completes new subscribers`() {
    let a = subject.sink(receiveCompletion: { _ in trace.add("aend") }, receiveValue: { trace.add("\($0)") })
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(2)
    subject.send(completion: .failure(.oops))
    let b = subject.sink(receiveCompletion: { _ in trace.add("bend") }, receiveValue: { trace.add("\($0)") })
    subject.send(3)
    #expect(trace.text == "1 aend bend")
    a.cancel()
    b.cancel()
  }

  @Test func `a value that a subscriber sends while it receives one reaches the other subscribers first`() {
    let a = subject.record(trace, "a") {
      if $0 == 1 { subject.send(2) }
      return .none
    }
    let b = subject.record(trace, "b")
    subject.send(1)
    #expect(trace.text == "a1 a2 b2 b1")
    #expect(a.breaches + b.breaches == [])
  }

  @Test func `a subscriber that is added during a send does not receive the value that is being sent`() {
    subject.record(trace, "a") {
      if $0 == 1 { subject.record(trace, "b") }
      return .none
    }
    subject.send(1)
    subject.send(2)
    #expect(trace.text == "a1 a2 b2")
  }

  @Test func `a subscriber that is cancelled during a send does not receive the value that is being sent`() {
    let b = Recorder<Int, TestError>(trace, "b")
    subject.record(trace, "a") { _ in
      b.cancel()
      return .none
    }
    subject.subscribe(b)
    subject.send(1)
    subject.send(2)
    #expect(trace.text == "a1 a2")
    #expect(b.breaches == [])
  }

  @Test func `subscribers receive values in the order of subscription, which Combine does not specify`() {
    for name in ["a", "b", "c", "d"] { subject.record(trace, name) }
    subject.send(1)
    #expect(trace.text == "a1 b1 c1 d1")
  }

  @Test func `subscribers receive values in the order of subscription even after some have cancelled`() {
    let recorders = (0..<6).map { subject.record(trace, "s\($0):") }
    recorders[1].cancel()
    recorders[4].cancel()
    subject.send(1)
    subject.record(trace, "late:")
    subject.send(completion: .finished)
    #expect(trace.text == "s0:1 s2:1 s3:1 s5:1 s0:end s2:end s3:end s5:end late:end")
  }

  @Test func `a subject delivers its completion without demand`() {
    subject.record(trace, asking: .none)
    subject.send(completion: .finished)
    #expect(trace.text == "end")
  }

  @Test func `a PassthroughSubject requests nothing from its upstream before it has demand`() {
    let probe = Probe<Int, TestError>(trace)
    let connection = probe.subscribe(subject)
    #expect(trace.text == "up:sub")
    let recorder = subject.record(asking: .none)
    #expect(trace.text == "up:sub")
    recorder.request(.max(1))
    #expect(trace.text == "up:sub up:unlimited")
    connection.cancel()
  }

  @Test func `a subject cancels its upstream when it is released`() {
    var subject: PassthroughSubject<Int, TestError>? = PassthroughSubject()
    subject?.send(subscription: NotedSubscription(trace))
    let recorder = subject?.record()
    subject = nil
    recorder?.cancel()
    recorder?.forget()
    #expect(trace.text == "up:unlimited up:cancel")
  }

  @Test func `the upstream of a subject is cancelled only once`() {
    let probe = Probe<Int, TestError>(trace)
    var subject: PassthroughSubject<Int, TestError>? = PassthroughSubject()
    var connection = subject.map { probe.subscribe($0) }
    #expect(connection != nil)
    connection = nil
    subject = nil
    #expect(trace.text == "up:sub up:cancel")
  }

  /// The number of elements in all of a subject's collections.
  private func held(by subject: Any) -> Int {
    Mirror(reflecting: subject).children.map(\.value).reduce(0) { sum, value in
      let mirror = Mirror(reflecting: value)
      return sum + (mirror.displayStyle == .struct ? held(by: value) : 0)
        + (mirror.displayStyle == .collection ? mirror.children.count : 0)
    }
  }

  @Test func `a subject releases each upstream that was cancelled or has ended`() {
    let value = CurrentValueSubject<Int, TestError>(0)
    for _ in 0..<100 {
      PassthroughSubject<Int, TestError>().subscribe(subject).cancel()
      PassthroughSubject<Int, TestError>().subscribe(value).cancel()
    }
    #expect(held(by: subject) == 0)
    #expect(held(by: value) == 0)
    let probe = Probe<Int, TestError>(isPolite: true)
    let connection = probe.subscribe(subject)
    #expect(held(by: subject) == 1, "a connected upstream is held, so the count is meaningful")
    connection.cancel()
    #expect(held(by: subject) == 0)
  }

  @Test func `a shared publisher releases its upstream when the last subscriber leaves`() {
    weak var link: Probe<Int, TestError>.Link?
    let shared = Deferred { () -> Probe<Int, TestError> in
      let probe = Probe<Int, TestError>(isPolite: true)
      probe.onSubscribe = { link = $0 }
      return probe
    }
    .share()
    shared.record().cancel()
    #expect(link == nil)
  }

  @Test func `send() without an argument sends Void`() {
    let subject = PassthroughSubject<Void, Never>()
    let recorder = subject.record()
    subject.send()
    subject.send(())
    #expect(recorder.values.count == 2)
  }

  @Test func `if a subscriber completes a subject during a send, the next ones receive only the completion`() {
    let a = subject.record(trace, "a") { _ in
      subject.send(completion: .finished)
      return .none
    }
    let b = subject.record(trace, "b")
    subject.send(1)
    #expect(trace.text == "a1 aend bend")
    #expect(a.breaches + b.breaches == [])
  }

  @Test func `a thousand subscribers may cancel during one send`() {
    var recorders: [Recorder<Int, TestError>] = []
    for _ in 0..<1000 { recorders.append(subject.record()) }
    recorders[0].onValue = { [recorders] _ in
      for recorder in recorders.dropFirst() { recorder.cancel() }
      return .none
    }
    subject.send(1)
    #expect(recorders.map(\.values.count).reduce(0, +) == 1)
    recorders[0].onValue = nil
  }
}
