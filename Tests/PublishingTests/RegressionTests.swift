// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Rules that a bug once broke.
@Suite("regressions") struct RegressionTests {
  let trace = Trace()

  @Test func `replaceError sends its value once even if demand arrives while the value is delivered`() {
    let recorder = Recorder<Int, Never>(asking: .max(1))
    recorder.onValue = { [unowned recorder] _ in
      recorder.request(.max(1))
      return .max(1)
    }
    Fail<Int, TestError>(error: .oops).replaceError(with: 9).subscribe(recorder)
    #expect(recorder.values == [9])
    #expect(recorder.completion == .finished)
    #expect(recorder.breaches == [])
  }

  @Test func `a thousand failures that replaceError handles within a flatMap do not overflow the stack`() {
    let values = (0..<1000).publisher.flatMap(maxPublishers: .max(1)) { _ in
      Fail<Int, TestError>(error: .oops).replaceError(with: 9)
    }
    #expect(values.record().values.count == 1000)
  }

  @Test func `retry handles 100,000 immediate failures without recursion`() {
    var attempts = 0
    let recorder = Deferred {
      attempts += 1
      return Fail<Int, TestError>(error: .oops)
    }
    .retry(100_000).record()
    #expect(attempts == 100_001)
    #expect(recorder.completion == .failure(.oops))
  }

  @Test func `retry handles 20,000 failures that each follow a request`() {
    let recorder = (0..<3).publisher.tryMap { _ in throw TestError.oops }.mapError { _ in TestError.oops }
      .map { (never: Int) in never }.retry(20_000).record()
    #expect(recorder.completion == .failure(.oops))
  }

  final class Plain: ObservableObject {}

  @Test func `objectWillChange also fires in a class without published properties`() {
    let (first, second) = (Plain(), Plain())
    let recorder = first.objectWillChange.map { 1 }.record()
    first.objectWillChange.send()
    second.objectWillChange.send()
    #expect(recorder.values == [1])
    #expect(first.objectWillChange === first.objectWillChange)
  }

  @Test func `objectWillChange fires for an object at the address of a released object`() {
    for _ in 0..<500 {
      let object = Plain()
      let recorder = object.objectWillChange.map { 1 }.record()
      object.objectWillChange.send()
      #expect(recorder.values == [1])
    }
  }

  /// A faulty publisher, which completes without a subscription.
  struct Silent: Publisher {
    typealias Output = Int
    typealias Failure = Never
    func receive<S: Subscriber<Int, Never>>(subscriber: S) { subscriber.receive(completion: .finished) }
  }

  @MainActor @Test(.timeLimit(.minutes(1)))
  func `.values ends even if its publisher completes without a subscription`() async {
    var values: [Int] = []
    for await value in Silent().values { values.append(value) }
    #expect(values == [])
  }

  @MainActor @Test func `next() does not suspend if a value is already available`() async {
    var iterator = CurrentValueSubject<Int, Never>(1).values.makeAsyncIterator()
    var hasRun = false
    let other = Task { hasRun = true }
    #expect(await iterator.next() == 1)
    #expect(!hasRun, "another task ran during next()")
    await other.value
  }

  @Test func `the connection of a publisher to a subject does not retain the subject`() {
    let probe = Probe<Int, Never>(trace)
    weak var weakSubject: PassthroughSubject<Int, Never>?
    let connection: AnyCancellable
    do {
      let subject = PassthroughSubject<Int, Never>()
      weakSubject = subject
      connection = probe.subscribe(subject)
    }
    #expect(weakSubject == nil)
    #expect(trace.text == "up:sub up:cancel")
    connection.cancel()
    #expect(probe.cancels == 1)
  }

  @Test func `the connection of a multicast does not retain its subject`() {
    let probe = Probe<Int, Never>(trace)
    weak var weakSubject: PassthroughSubject<Int, Never>?
    let connection: any Cancellable
    do {
      let subject = PassthroughSubject<Int, Never>()
      weakSubject = subject
      connection = probe.multicast(subject: subject).connect()
    }
    #expect(weakSubject == nil)
    connection.cancel()
    #expect(probe.cancels == 1)
  }

  @Test func `a multicast retains its subject while it has subscribers`() {
    let probe = Probe<Int, Never>(trace)
    let recorder = Recorder<Int, Never>()
    let connection: any Cancellable
    do {
      let multicast = probe.multicast(subject: PassthroughSubject())
      multicast.subscribe(recorder)
      connection = multicast.connect()
    }
    probe.send(1)
    #expect(recorder.values == [1])
    connection.cancel()
  }

  @Test func `flatMap calls receive(subscription:) before it subscribes to upstream`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder = Recorder<Int, TestError>(trace, asking: .none)
    recorder.onSubscription = { [trace] in trace.add("subscription") }
    probe.flatMap { Just($0).setFailureType(to: TestError.self) }.subscribe(recorder)
    #expect(trace.text == "subscription up:sub up:unlimited")
  }

  @Test func `flatMap cancels its inner publishers before its upstream`() {
    let probe = Probe<Int, TestError>(trace, "outer")
    let child = Probe<Int, TestError>(trace, "child")
    let recorder = probe.flatMap { _ in child }.record()
    probe.send(1)
    trace.clear()
    recorder.cancel()
    #expect(trace.text == "child:cancel outer:cancel")
  }

  @Test func `adding Int.min to a demand makes it none`() {
    var demand = Subscribers.Demand.max(5)
    demand += .min
    #expect(demand == .none)
    #expect(Subscribers.Demand.unlimited + Int.min == .unlimited)
    #expect(Subscribers.Demand.max(5) - Int.min == .unlimited)
    #expect(Subscribers.Demand.max(2) - 3 == .none)
    #expect(Subscribers.Demand.unlimited + .unlimited == .unlimited)
  }

  @Test(arguments: OperatorCase.all)
  func `no operator passes a request for no values upstream`(operation: OperatorCase) {
    let probe = Probe<Int, TestError>()
    let scheduler = TestScheduler()
    let recorder = operation.build(probe, scheduler).record(asking: .none)
    scheduler.advance()
    let requested = probe.requested
    recorder.request(.none)
    #expect(probe.requested == requested)
    #expect(recorder.values == [])
    recorder.cancel()
  }

  @Test func `a source ignores a request for no values`() {
    let scheduler = TestScheduler()
    func ask<P: Publisher>(_ publisher: P) {
      let recorder = publisher.record(trace, asking: .none)
      recorder.request(.none)
      recorder.cancel()
    }
    ask(Just(1))
    ask([1, 2].publisher)
    ask(Optional(1).publisher)
    ask(Future<Int, Never> { $0(.success(1)) })
    ask(PassthroughSubject<Int, Never>())
    ask(CurrentValueSubject<Int, Never>(1))
    ask(Record<Int, Never>(output: [1], completion: .finished))
    ask(scheduler.timerPublisher(every: 1).autoconnect())
    #expect(trace.text == "")
  }

  #if DEBUG
    @Test func `if two threads use one subject at the same time, the program ends with a message`() async {
      let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        struct Shared: @unchecked Sendable { let subject = PassthroughSubject<Int, Never>() }
        let shared = Shared()
        let recorder = shared.subject.record()
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<2 {
            group.addTask { for value in 0..<1_000_000 { shared.subject.send(value) } }
          }
        }
        withExtendedLifetime(recorder) {}
      }
      let message = String(decoding: end?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("a subject is used by two threads at the same time"))
    }
  #endif

  @MainActor @Test func `a subject that an actor owns works on every thread of the actor`() async {
    let owner = Owner()
    for count in 1...200 {
      #expect(await owner.use() == count)
      await Task.yield()
    }
  }
}

/// Avoids a closure that captures the actor: a Swift 6.2 compiler that was built with assertions crashes on it.
private actor Owner {
  let subject = PassthroughSubject<Int, Never>()
  var received = 0

  func use() -> Int {
    var count = 0
    let subscription = subject.sink { _ in count += 1 }
    subject.send(1)
    subscription.cancel()
    received += count
    return received
  }
}
