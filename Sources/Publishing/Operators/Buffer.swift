// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// When a buffer asks its upstream for values.
  public enum PrefetchStrategy: Sendable {
    /// Asks for as many as fit in, so that nothing ever overflows that keeps to what it is asked.
    case keepFull
    /// Asks for everything at once.
    case byRequest
  }

  /// What a buffer does with a value for which it has no room.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the value that comes.
    case dropNewest
    /// Drops the value that waited longest.
    case dropOldest
    /// Fails with the error that the closure makes, after the values that wait.
    case customError(() -> Failure)
  }

  /// A publisher that keeps values until they are asked for.
  public struct Buffer<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are kept.
    public let upstream: Upstream
    /// How many values are kept.
    public let size: Int
    /// When upstream is asked.
    public let prefetch: PrefetchStrategy
    /// What becomes of a value for which there is no room.
    public let whenFull: BufferingStrategy<Failure>

    /// Keeps up to `size` values of `upstream`.
    public init(
      upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: BufferLink(size, prefetch, whenFull, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Keeps up to `size` values until they are asked for.
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }

  /// Keeps the newest value until it is asked for, and forgets those before it: for a consumer that takes its time and
  /// then wants to know how things stand now.
  ///
  /// The same as `buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)`. It must be the last operator before
  /// that consumer: between the two nothing else keeps a value.
  public func keepingNewest() -> Publishers.Buffer<Self> {
    buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
  }
}

@usableFromInline
final class BufferLink<Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let size: Int
  @usableFromInline let prefetch: Publishers.PrefetchStrategy
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>
  @usableFromInline let downstream: Downstream
  @exclusivity(unchecked) @usableFromInline var values = Queue<Input>()
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  /// How upstream has ended, while values still wait.
  @exclusivity(unchecked) @usableFromInline var outcome: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) @usableFromInline var isDraining = false

  @inlinable
  init(
    _ size: Int, _ prefetch: Publishers.PrefetchStrategy, _ whenFull: Publishers.BufferingStrategy<Failure>,
    _ downstream: Downstream
  ) {
    self.size = size
    self.prefetch = prefetch
    self.whenFull = whenFull
    self.downstream = downstream
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    guard phase == .live else { return }
    switch prefetch {
    case .byRequest: subscription.request(.unlimited)
    case .keepFull: if size > 0 { subscription.request(.max(size)) }
    }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live, outcome == nil else { return .none }
    // A value that is wanted at once needs no room.
    let isWanted = demand > .none && values.isEmpty && !isDraining
    if values.count < size || isWanted {
      values.append(input)
    } else {
      switch whenFull {
      case .dropNewest:
        break
      case .dropOldest:
        _ = values.popFirst()
        if size > 0 { values.append(input) }
      case .customError(let makeError):
        outcome = .failure(makeError())
        let last = upstream
        upstream = nil
        last?.cancel()
      }
    }
    let sent = drain()
    return prefetch == .keepFull ? .max(sent) : .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live, outcome == nil else { return }
    upstream = nil
    outcome = completion
    _ = drain()
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    guard phase == .live else { return }
    self.demand += demand
    let sent = drain()
    if sent > 0, prefetch == .keepFull { upstream?.request(.max(sent)) }
  }

  /// Sends what is wanted of what waits, and the completion once nothing waits; tells how many values it sent.
  @inlinable
  func drain() -> Int {
    guard !isDraining else { return 0 }
    isDraining = true
    defer { isDraining = false }
    var sent = 0
    while phase == .live, demand > .none, let value = values.popFirst() {
      demand.spendOne()
      sent += 1
      let more = downstream.receive(value)
      demand += more
    }
    if phase == .live, values.isEmpty, let outcome {
      _ = detach()
      downstream.receive(completion: outcome)
    }
    return sent
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    values.removeAll()
    last?.cancel()
  }

  @usableFromInline
  override var description: String { "Buffer" }
}
