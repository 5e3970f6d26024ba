// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Drops everything until another publisher has published a value.
  public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Operator
  where Upstream.Failure == Other.Failure {
    public let upstream: Upstream
    public let other: Other

    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      let link = GatedLink("DropUntilOutput", isOpen: false, subscriber)
      link.watch(other) {
        link.isOpen = true
      } onCompletion: {
        link.stop($0)
      }
      upstream.receive(subscriber: link)
    }
  }

  /// Finishes when another publisher publishes a value.
  public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Operator {
    public let upstream: Upstream
    public let other: Other

    public init(upstream: Upstream, other: Other) {
      self.upstream = upstream
      self.other = other
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      let link = GatedLink("PrefixUntilOutput", isOpen: true, subscriber)
      link.watch(other) {
        link.stop(.finished)
      } onCompletion: { _ in
      }
      upstream.receive(subscriber: link)
    }
  }
}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
extension Publishers.PrefixUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publisher {
  /// Drops everything until another publisher has published a value. If that publisher ends without a value, this one
  /// ends in the same way.
  public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
  where P.Failure == Failure {
    Publishers.DropUntilOutput(upstream: self, other: publisher)
  }

  /// Publishes values until another publisher publishes one, then finishes. The other publisher's completion is
  /// ignored.
  public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
    Publishers.PrefixUntilOutput(upstream: self, other: publisher)
  }
}

/// Passes on values while it is open and watches another publisher.
@usableFromInline
final class GatedLink<Value, Failure: Error>: OperatorLink<Value, Value, Failure> {
  @exclusivity(unchecked) @usableFromInline var isOpen: Bool
  @usableFromInline var watcher: Link?
  /// The completion that the other publisher caused before the subscription arrived.
  @usableFromInline var early: Subscribers.Completion<Failure>?

  @inlinable
  init<S: Subscriber<Value, Failure>>(_ label: String, isOpen: Bool, _ subscriber: S) {
    self.isOpen = isOpen
    super.init(label, subscriber)
  }

  @inlinable
  func watch<P: Publisher>(
    _ other: P, onValue: @escaping () -> Void, onCompletion: @escaping (Subscribers.Completion<P.Failure>) -> Void
  ) {
    let watcher = FirstValueSubscriber<P.Output, P.Failure>(onValue, onCompletion)
    self.watcher = watcher
    other.receive(subscriber: watcher)
  }

  @inlinable
  func stop(_ completion: Subscribers.Completion<Failure>) {
    watcher = nil
    if phase == .waiting { early = completion } else { end(completion) }
  }

  @inlinable
  override func receive(subscription: any Subscription) {
    guard attach(subscription) else { return }
    if let early { return endAtOnce(early) }
    downstream.receive(subscription: self)
  }

  @inlinable
  override func receive(_ input: Value) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    return isOpen ? downstream.receive(input) : .max(1)
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    if phase == .live { stopWatching() }
    super.receive(completion: completion)
  }

  @usableFromInline
  override func cancel() {
    detach()?.cancel()
    stopWatching()
  }

  @usableFromInline
  func stopWatching() {
    let last = watcher
    watcher = nil
    last?.cancel()
  }
}

/// Waits for one value and cancels.
@usableFromInline
final class FirstValueSubscriber<Input, Failure: Error>: Link, Subscriber {
  @usableFromInline var onValue: (() -> Void)?
  @usableFromInline var onCompletion: ((Subscribers.Completion<Failure>) -> Void)?

  @usableFromInline
  init(_ onValue: @escaping () -> Void, _ onCompletion: @escaping (Subscribers.Completion<Failure>) -> Void) {
    self.onValue = onValue
    self.onCompletion = onCompletion
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    if attach(subscription) { subscription.request(.max(1)) }
  }

  @usableFromInline
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    let onValue = self.onValue
    cancel()
    onValue?()
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    let onCompletion = self.onCompletion
    upstream = nil
    cancel()
    onCompletion?(completion)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    let held = (onValue, onCompletion)
    onValue = nil
    onCompletion = nil
    last?.cancel()
    withExtendedLifetime(held) {}
  }
}
