// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("print, handleEvents, breakpoint") struct ObservingTests {
  let trace = Trace()

  @Test func `print logs the subscription, the request, values and the completion`() {
    let stream = LineStream()
    [1, 2].publisher.print("p", to: stream).record()
    #expect(
      stream.lines == [
        "p: receive subscription: ([1, 2])",
        "p: request unlimited",
        "p: receive value: (1)",
        "p: receive value: (2)",
        "p: receive finished",
      ])
  }

  @Test func `print logs limited requests, additional demand, a failure and a cancel`() {
    let stream = LineStream()
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.print("", to: stream).record(asking: .max(1)) { $0 == 1 ? .max(2) : .none }
    subject.send(1)
    recorder.cancel()
    let other = PassthroughSubject<Int, TestError>()
    other.print("q", to: stream).record()
    other.send(completion: .failure(.oops))
    #expect(
      stream.lines == [
        "receive subscription: (PassthroughSubject)",
        "request max: (1)",
        "receive value: (1)",
        "request max: (2) (synchronous)",
        "receive cancel",
        "q: receive subscription: (PassthroughSubject)",
        "q: request unlimited",
        "q: receive error: (oops)",
      ])
  }

  /// Regression: the stream was read while it was being written.
  @Test func `a stream may cancel the subscription that prints to it`() {
    final class Canceller: TextOutputStream {
      var lines: [String] = []
      var subscription: AnyCancellable?
      func write(_ string: String) {
        lines.append(string)
        if string.contains("value") { subscription?.cancel() }
      }
    }
    let stream = Canceller()
    let subject = PassthroughSubject<Int, Never>()
    stream.subscription = subject.print("", to: stream).sink { _ in }
    subject.send(1)
    subject.send(2)
    #expect(stream.lines.suffix(2) == ["receive value: (1)\n", "receive cancel\n"])
  }

  @Test(arguments: Described.all)
  func `print logs the description of the subscription`(_ described: Described) {
    let stream = LineStream()
    let cancellable = described.publisher(TestScheduler())
      .print("", to: stream)
      .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    #expect(stream.lines.first == "receive subscription: (\(described.name))")
    cancellable.cancel()
  }

  @Test func `handleEvents reports the subscription, the request, values and the completion in order`() {
    [1, 2].publisher
      .handleEvents(
        receiveSubscription: { _ in trace.add("subscription") },
        receiveOutput: { trace.add("\($0)") },
        receiveCompletion: { trace.add($0.traced) },
        receiveCancel: { trace.add("cancel") },
        receiveRequest: { trace.add("request:\($0.traced)") }
      )
      .record()
    #expect(trace.text == "subscription request:unlimited 1 2 end")
  }

  /// Regression: the subscriber received it.
  @Test func `handleEvents sends no value that its own reaction to a cancel causes`() {
    let subject = PassthroughSubject<Int, TestError>()
    let recorder = subject.handleEvents(receiveOutput: { trace.add("\($0)") }, receiveCancel: { subject.send(2) })
      .record()
    subject.send(1)
    recorder.cancel()
    #expect(trace.text == "1" && recorder.values == [1])
  }

  @Test func `handleEvents reports a cancel before it cancels upstream, and additional demand as a request`() {
    let probe = Probe<Int, TestError>(trace)
    let recorder =
      probe
      .handleEvents(
        receiveCancel: { trace.add("cancel") }, receiveRequest: { trace.add("request:\($0.traced)") }
      )
      .record(asking: .max(1)) { _ in .max(2) }
    probe.send(1)
    recorder.cancel()
    #expect(trace.text == "up:sub request:max(1) up:max(1) request:max(2) cancel up:cancel")
  }
}

/// A publisher and the description of its subscription.
struct Described: Sendable, CustomTestStringConvertible {
  let name: String
  let publisher: @Sendable (TestScheduler) -> AnyPublisher<Int, TestError>

  init<P: Publisher & SendableMetatype>(_ name: String, _ publisher: @escaping @Sendable (TestScheduler) -> P)
  where P.Output == Int, P.Failure == TestError {
    self.name = name
    self.publisher = { publisher($0).eraseToAnyPublisher() }
  }

  var testDescription: String { name }

  private static func source() -> PassthroughSubject<Int, TestError> { PassthroughSubject() }

  static let all: [Described] = sources + passing + stepping + several + timed

  private static let sources: [Described] = [
    Described("PassthroughSubject") { _ in source() },
    Described("CurrentValueSubject") { _ in CurrentValueSubject<Int, TestError>(1) },
    Described("Just") { _ in Just(1).eraseToAnyPublisher().setFailureType(to: TestError.self) },
    Described("Empty") { _ in Empty<Int, TestError>() },
    Described("[1, 2]") { _ in [1, 2].publisher.eraseToAnyPublisher().setFailureType(to: TestError.self) },
    Described("Future") { _ in Future<Int, TestError> { _ in } },
    Described("Optional") { _ in Optional(1).publisher.eraseToAnyPublisher().setFailureType(to: TestError.self) },
  ]

  private static let passing: [Described] = [
    Described("PassthroughSubject") { _ in source().eraseToAnyPublisher() },
    Described("PassthroughSubject") { _ in source().map { $0 } },
    Described("PassthroughSubject") { _ in Deferred { source() } },
  ]

  private static let stepping: [Described] = [
    Described("Filter") { _ in source().filter { _ in true } },
    Described("CompactMap") { _ in source().compactMap { $0 } },
    Described("RemoveDuplicates") { _ in source().removeDuplicates() },
    Described("Scan") { _ in source().scan(0, +) },
    Described("DropWhile") { _ in source().drop { _ in false } },
    Described("PrefixWhile") { _ in source().prefix { _ in true } },
    Described("Reduce") { _ in source().reduce(0, +) },
    Described("ReplaceEmpty") { _ in source().replaceEmpty(with: 1) },
  ]

  private static let several: [Described] = [
    Described("Merge") { _ in source().merge(with: source()) },
    Described("Zip") { _ in source().zip(source()).map { $0 + $1 } },
    Described("CombineLatest") { _ in source().combineLatest(source()).map { $0 + $1 } },
    Described("FlatMap") { _ in source().flatMap { Just($0).setFailureType(to: TestError.self) } },
    Described("Catch") { _ in source().catch { _ in source() } },
    Described("Multicast") { _ in source().share() },
    Described("Buffer") { _ in source().buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest) },
  ]

  private static let timed: [Described] = [
    Described("Debounce") { source().debounce(for: 1, scheduler: $0) },
    Described("Throttle") { source().throttle(for: 1, scheduler: $0, latest: true) },
    Described("Delay") { source().delay(for: 1, scheduler: $0) },
    Described("Timeout") { source().timeout(1, scheduler: $0) },
    Described("ReceiveOn") { source().receive(on: $0) },
  ]
}
