// SPDX-License-Identifier: Apache-2.0
/// The values of a publisher that cannot fail, as an asynchronous sequence.
///
/// Each call of `next()` asks for one value: a value that a subject sends between two calls is lost unless an operator
/// such as ``Publisher/keepingNewest()`` keeps it. Cancelling the task, or releasing the iterator, cancels the
/// subscription.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
  public typealias Element = P.Output
  public typealias Failure = Never

  @usableFromInline let publisher: P

  public init(_ publisher: P) { self.publisher = publisher }

  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(Subscribed(publisher)) }

  /// One subscription, read value by value.
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Element = P.Output
    public typealias Failure = Never

    @usableFromInline let subscribed: Subscribed<P>

    @inlinable init(_ subscribed: Subscribed<P>) { self.subscribed = subscribed }

    /// Returns the next value, or `nil` after the end or if the task is cancelled.
    public nonisolated(nonsending) mutating func next() async -> P.Output? { await subscribed.next() }

    /// Returns the next value, or `nil` after the end or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
      await subscribed.next(isolation: actor)
    }
  }
}

/// The values of a publisher, as an asynchronous sequence that throws the publisher's error.
///
/// Otherwise identical to ``AsyncPublisher``.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
  public typealias Element = P.Output
  public typealias Failure = any Error

  @usableFromInline let publisher: P

  public init(_ publisher: P) { self.publisher = publisher }

  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(Subscribed(publisher)) }

  /// One subscription, read value by value.
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Element = P.Output
    public typealias Failure = any Error

    @usableFromInline let subscribed: Subscribed<P>

    @inlinable init(_ subscribed: Subscribed<P>) { self.subscribed = subscribed }

    /// Returns the next value, or `nil` after the end or if the task is cancelled. Throws the publisher's error once.
    public nonisolated(nonsending) mutating func next() async throws -> P.Output? {
      if let value = await subscribed.next() { return .some(value) }
      try subscribed.throwFailure()
      return nil
    }

    /// Returns the next value, or `nil` after the end or if the task is cancelled. Throws the publisher's error once.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> P.Output? {
      if let value = await subscribed.next(isolation: actor) { return .some(value) }
      try subscribed.throwFailure()
      return nil
    }
  }
}

extension Publisher where Failure == Never {
  /// The values of this publisher, as an asynchronous sequence.
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

extension Publisher {
  /// The values of this publisher, as an asynchronous sequence that throws the publisher's error.
  public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// The subscription shared by an iterator and its copies. Cancelled when the last of them is released.
@usableFromInline
final class Subscribed<P: Publisher> {
  @usableFromInline let link = ValuesLink<P.Output, P.Failure>()

  @inlinable init(_ publisher: P) { publisher.receive(subscriber: link) }

  deinit { link.cancel() }

  func next(isolation: isolated (any Actor)? = #isolation) async -> P.Output? {
    guard !Task.isCancelled else {
      link.cancel()
      return nil
    }
    let waiter = Waiter<P.Output>()
    if link.ask(waiter), waiter.value == nil { await waiter.wait() }
    if let value = waiter.value { return .some(value) }
    // Woken without a value: either the publisher completed, and cancelling has no effect, or the task was cancelled.
    link.cancel()
    return nil
  }

  func throwFailure() throws {
    guard let failure = link.failure else { return }
    link.failure = nil
    throw failure
  }
}

@usableFromInline
final class ValuesLink<Input, Failure: Error>: Link, Subscriber {
  private var waiters = Queue<Waiter<Input>>()
  private var values = Queue<Input>()
  @inlinable override init() {}

  /// The demand that accumulated before the subscription arrived.
  private var early = Subscribers.Demand.none
  var failure: Failure?

  @usableFromInline
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    if early > .none { subscription.request(early) }
  }

  /// Requests one value. Returns whether the caller may still have to wait for it.
  func ask(_ waiter: Waiter<Input>) -> Bool {
    if let value = values.popFirst() {
      waiter.value = .some(value)
      return false
    }
    guard phase != .done else { return false }
    waiters.append(waiter)
    if phase == .waiting { early += 1 } else { super.request(.max(1)) }
    return true
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    if let waiter = waiters.popFirst() {
      waiter.value = .some(input)
      waiter.wake()
    } else {
      values.append(input)
    }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    // Some publishers complete without sending a subscription first.
    guard phase != .done else { return }
    _ = detach()
    if case .failure(let error) = completion { failure = error }
    wakeAll()
  }

  @usableFromInline
  override func cancel() {
    guard phase != .done else { return }
    let last = detach()
    values.removeAll()
    last?.cancel()
    wakeAll()
  }

  private func wakeAll() {
    while let waiter = waiters.popFirst() { waiter.wake() }
  }

  @usableFromInline override var description: String { "AsyncSubscriber" }
}
