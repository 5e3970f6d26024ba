// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Uses every protocol and every type outside `Publishers` by its public name, so that a missing one does not compile.
@Suite("API: protocols and types") struct ProtocolsAPITests {
  typealias Source = PassthroughSubject<Int, TestError>

  struct OwnPublisher: Publisher {
    typealias Output = Int
    typealias Failure = Never
    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      subscriber.receive(subscription: Subscriptions.empty)
      subscriber.receive(completion: .finished)
    }
  }

  final class OwnSubscriber: Subscriber {
    typealias Input = Int
    typealias Failure = Never
    var log: [String] = []
    func receive(subscription: any Subscription) { log.append("\(subscription)") }
    func receive(_ input: Int) -> Subscribers.Demand { .none }
    func receive(completion: Subscribers.Completion<Never>) { log.append("\(completion)") }
  }

  struct OwnScheduler: Scheduler {
    typealias SchedulerTimeType = VirtualTime
    typealias SchedulerOptions = Never
    let inner = TestScheduler()
    var now: VirtualTime { inner.now }
    var minimumTolerance: VirtualTime.Stride { inner.minimumTolerance }
    func schedule(options: Never?, _ action: @escaping () -> Void) { inner.schedule(options: options, action) }
    func schedule(
      after date: VirtualTime, tolerance: VirtualTime.Stride, options: Never?, _ action: @escaping () -> Void
    ) {
      inner.schedule(after: date, tolerance: tolerance, options: options, action)
    }
    func schedule(
      after date: VirtualTime, interval: VirtualTime.Stride, tolerance: VirtualTime.Stride, options: Never?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      inner.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
    }
  }

  @Test func `a custom publisher can serve a custom subscriber`() {
    let subscriber = OwnSubscriber()
    OwnPublisher().subscribe(subscriber)
    OwnPublisher().receive(subscriber: subscriber)
    #expect(subscriber.log.filter { $0 == "finished" }.count == 2)
  }

  @Test func `the protocols have Output and Failure or Input and Failure as primary associated types`() {
    func numbers() -> some Publisher<Int, Never> { [1, 2].publisher }
    func input(_ subject: any Subject<Int, TestError>) { subject.send(1) }
    func take(_ publisher: some ConnectablePublisher<Int, Never>) -> any Cancellable { publisher.connect() }
    func hear(_ subscriber: some Subscriber<Int, Never>) { numbers().subscribe(subscriber) }
    hear(Recorder<Int, Never>())
    input(Source())
    take(numbers().makeConnectable()).cancel()
    #expect(numbers().record().values == [1, 2])
  }

  @Test func `a custom scheduler inherits the methods with fewer arguments`() {
    let scheduler = OwnScheduler()
    var log: [String] = []
    scheduler.schedule { log.append("now") }
    scheduler.schedule(after: scheduler.now) { log.append("after") }
    scheduler.schedule(after: scheduler.now, tolerance: 0) { log.append("tolerance") }
    let a = scheduler.schedule(after: scheduler.now, interval: 1) { log.append("interval") }
    let b = scheduler.schedule(after: scheduler.now, interval: 1, tolerance: 0) { log.append("both") }
    scheduler.inner.advance()
    a.cancel()
    b.cancel()
    #expect(log == ["now", "after", "tolerance", "interval", "both"])
    #expect(ImmediateScheduler.SchedulerTimeType.Stride.seconds(1) >= 0)
  }

  @Test func `Sink, Assign and AnySubscriber have the same initializers as Combine's`() {
    final class Box { var number = 0 }
    let box = Box()
    let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { box.number += $0 })
    let assign = Subscribers.Assign<Box, Int>(object: box, keyPath: \.number)
    let value: (Int) -> Void = sink.receiveValue
    let completion: (Subscribers.Completion<Never>) -> Void = sink.receiveCompletion
    value(1)
    completion(.finished)
    #expect(box.number == 1)
    Just(5).subscribe(assign)
    #expect(box.number == 5)
    let any: AnySubscriber<Int, Never> = AnySubscriber(sink)
    any.receive(subscription: Subscriptions.empty)
    _ = any.receive(1)
    any.receive(completion: .finished)
    _ = AnySubscriber<Int, Never>()
    #expect(AnySubscriber(PassthroughSubject<Int, Never>()).combineIdentifier != any.combineIdentifier)
  }

  @Test func `Just, Empty, Fail and the other sources have Combine's properties and can be compared`() {
    #expect(Just(1) == Just(1))
    #expect(Just(1).output == 1)
    #expect(Empty<Int, Never>() == Empty(completeImmediately: true))
    #expect(Empty<Int, Never>(completeImmediately: false) != Empty())
    #expect(Empty<Int, Never>().completeImmediately)
    #expect(Empty(completeImmediately: true, outputType: Int.self, failureType: TestError.self).completeImmediately)
    #expect(Fail<Int, TestError>(error: .oops) == Fail(outputType: Int.self, failure: .oops))
    #expect(Fail<Int, TestError>(error: .oops).error == .oops)
    #expect(Deferred { Just(1) }.createPublisher() == Just(1))
    #expect(Optional<Int>.Publisher(1) == Optional(1).publisher)
    #expect(Optional<Int>.Publisher(1).output == 1)
    #expect(Result<Int, TestError>.Publisher(1) == Result.success(1).publisher)
    #expect(Result<Int, TestError>.Publisher(.oops).result == .failure(.oops))
    #expect(Result<Int, TestError>.Publisher(.success(2)).result == .success(2))
    #expect([1].publisher == Publishers.Sequence(sequence: [1]))
    #expect(Publishers.Sequence<[Int], TestError>(sequence: [1]).sequence == [1])
  }

  @Test func `ObservableObject and Published have the same members as Combine's`() {
    final class Model: ObservableObject {
      @Published var number = 1
      @Published(initialValue: 2) var other: Int
    }
    let model = Model()
    let publisher: Published<Int>.Publisher = model.$number
    let changes: ObservableObjectPublisher = model.objectWillChange
    #expect(publisher.record().values == [1])
    #expect(model.$other.record().values == [2])
    let recorder = changes.record()
    changes.send()
    #expect(recorder.values.count == 1)
    _ = Published(wrappedValue: 3)
    _ = ObservableObjectPublisher()
  }
}
