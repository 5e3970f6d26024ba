// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// When a buffer asks its upstream for values.
  public enum PrefetchStrategy: Sendable {
    /// Requests only as many values as fit, so that an upstream that respects demand never overflows the buffer.
    case keepFull
    /// Requests everything immediately.
    case byRequest
  }

  /// What a buffer does with a value when it is full.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the new value.
    case dropNewest
    /// Drops the value that has waited longest.
    case dropOldest
    /// Fails with the error that the closure returns, after the buffered values.
    case customError(() -> Failure)
  }

  /// Keeps values until there is demand for them.
  public struct Buffer<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// The maximum number of values to keep.
    public let size: Int
    public let prefetch: PrefetchStrategy
    public let whenFull: BufferingStrategy<Failure>

    public init(
      upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>
    ) {
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      upstream.receive(subscriber: BufferLink(size, prefetch, whenFull, subscriber))
    }
  }
}

extension Publisher {
  /// Keeps up to `size` values until there is demand for them.
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }

  /// Keeps the newest value until there is demand for it and drops older ones. Use it for a slow subscriber that needs
  /// only the current state.
  ///
  /// The same as `buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)`. Place it directly before that
  /// subscriber: an operator in between would not keep the value.
  public func keepingNewest() -> Publishers.Buffer<Self> {
    buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
  }
}

@usableFromInline
final class BufferLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @usableFromInline let size: Int
  @usableFromInline let prefetch: Publishers.PrefetchStrategy
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>
  @exclusivity(unchecked) @usableFromInline var values = Queue<Value>()
  @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
  /// How upstream ended, while values are still waiting.
  @exclusivity(unchecked) @usableFromInline var outcome: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) @usableFromInline var isDraining = false

  @inlinable
  init<S: Subscriber<Value, Failure>>(
    _ size: Int, _ prefetch: Publishers.PrefetchStrategy, _ whenFull: Publishers.BufferingStrategy<Failure>,
    _ subscriber: S
  ) {
    self.size = size
    self.prefetch = prefetch
    self.whenFull = whenFull
    super.init("Buffer", subscriber)
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    downstream.receive(subscription: self)
    guard phase == .live else { return }
    switch prefetch {
    case .byRequest: subscription.request(.unlimited)
    case .keepFull: if size > 0 { subscription.request(.max(size)) }
    }
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    guard phase == .live, outcome == nil else { return .none }
    // A value that is delivered immediately needs no space.
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
  override func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live, outcome == nil else { return }
    upstream = nil
    outcome = completion
    _ = drain()
  }

  @usableFromInline
  override func request(_ demand: Subscribers.Demand) {
    guard phase == .live else { return }
    self.demand += demand
    let sent = drain()
    if sent > 0, prefetch == .keepFull { upstream?.request(.max(sent)) }
  }

  /// Sends as many values as requested, and the completion once the buffer is empty. Returns the number of values sent.
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

  @usableFromInline override func release() { values.removeAll() }
}
