// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("sink and cancellables") struct SinkTests {
  final class Token {}
  let trace = Trace()

  @Test func `a subscriber that cancels in receive(_:) stops a synchronous source`() {
    let recorder = Recorder<Int, Never>(trace)
    recorder.onValue = { [unowned recorder] in
      if $0 == 2 { recorder.cancel() }
      return .none
    }
    (1...5).publisher.subscribe(recorder)
    #expect(trace.text == "1 2")
    #expect(recorder.breaches == [])
  }

  @Test func `an AnyCancellable cancels once, at the latest when it is released`() {
    var cancellable: AnyCancellable? = AnyCancellable { trace.add("cancel") }
    #expect(trace.text == "")
    cancellable?.cancel()
    cancellable?.cancel()
    cancellable = nil
    #expect(trace.text == "cancel")
    var other: AnyCancellable? = AnyCancellable { trace.add("released") }
    #expect(other != nil)
    other = nil
    #expect(trace.text == "cancel released")
  }

  @Test func `values that are sent during the subscription are delivered before sink returns`() {
    let cancellable = Just(1).sink { trace.add("\($0)") }
    trace.add("returned")
    #expect(trace.text == "1 returned")
    cancellable.cancel()
  }

  @Test func `a sink releases its closures when upstream completes`() {
    var token: Token? = Token()
    weak let weakToken = token
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink(
      receiveCompletion: { [token] _ in _ = token }, receiveValue: { [token] _ in _ = token })
    token = nil
    #expect(weakToken != nil)
    subject.send(completion: .finished)
    if weakToken == nil { trace.add("gone") }
    #expect(trace.text == "gone")
    cancellable.cancel()
  }

  @Test func `a sink releases its closures when it is cancelled`() {
    var token: Token? = Token()
    weak let weakToken = token
    let subject = PassthroughSubject<Int, Never>()
    let cancellable = subject.sink { [token] _ in _ = token }
    token = nil
    cancellable.cancel()
    #expect(weakToken == nil)
  }

  @Test func `a sink receives only the first completion and no value after it`() {
    let probe = Probe<Int, TestError>()
    let cancellable = probe.sink(
      receiveCompletion: { trace.add($0.traced) }, receiveValue: { trace.add("\($0)") })
    probe.send(1)
    probe.finish()
    probe.send(2)
    probe.fail(.oops)
    #expect(trace.text == "1 end")
    cancellable.cancel()
  }

  @Test func `a sink requests unlimited demand and cancels a second subscription`() {
    let probe = Probe<Int, TestError>(trace)
    let cancellable = probe.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    probe.send(subscription: NotedSubscription(trace, "second"))
    #expect(trace.text == "up:sub up:unlimited second:cancel")
    cancellable.cancel()
  }

  @Test func `a sink cancels upstream when its AnyCancellable is released`() {
    let probe = Probe<Int, Never>(trace)
    var cancellable: AnyCancellable? = probe.sink { _ in }
    #expect(cancellable != nil)
    cancellable = nil
    #expect(trace.text == "up:sub up:unlimited up:cancel")
  }

  @Test func `store(in:) adds to a set or an array, and removing the elements cancels them`() {
    let a = Probe<Int, Never>(trace, "a")
    let b = Probe<Int, Never>(trace, "b")
    var set = Set<AnyCancellable>()
    var array: [AnyCancellable] = []
    a.sink { _ in }.store(in: &set)
    b.sink { _ in }.store(in: &array)
    #expect(set.count == 1)
    #expect(array.count == 1)
    trace.clear()
    set = []
    #expect(trace.text == "a:cancel")
    array.removeAll()
    #expect(trace.text == "a:cancel b:cancel")
  }

  @Test func `store(in:) and AnyCancellable accept any Cancellable`() {
    struct Custom: Cancellable {
      let trace: Trace
      func cancel() { trace.add("custom") }
    }
    var set = Set<AnyCancellable>()
    Custom(trace: trace).store(in: &set)
    set.removeAll()
    #expect(trace.text == "custom")
    let wrapped = AnyCancellable(Custom(trace: trace))
    #expect(wrapped == wrapped)
    #expect(wrapped != AnyCancellable {})
    wrapped.cancel()
    #expect(trace.text == "custom custom")
  }

  @Test func `a Subscribers.Sink can be subscribed and cancelled directly`() {
    let sink = Subscribers.Sink<Int, TestError>(
      receiveCompletion: { trace.add($0.traced) }, receiveValue: { trace.add("\($0)") })
    let probe = Probe<Int, TestError>(trace)
    probe.subscribe(sink)
    probe.send(1)
    sink.cancel()
    probe.send(2)
    #expect(trace.text == "up:sub up:unlimited 1 up:cancel")
    #expect(sink.combineIdentifier == sink.combineIdentifier)
  }

  @Test func `a stored AnyCancellable can be cancelled in its own sink`() {
    let subject = PassthroughSubject<Int, Never>()
    var cancellable: AnyCancellable?
    cancellable = subject.sink {
      trace.add("\($0)")
      if $0 == 2 { cancellable?.cancel() }
    }
    for value in 1...4 { subject.send(value) }
    #expect(trace.text == "1 2")
    cancellable = nil
  }
}
