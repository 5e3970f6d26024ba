// SPDX-License-Identifier: Apache-2.0
/// A publisher through which a program sends values.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes a value.
  func send(_ value: Output)

  /// Ends the sequence. Later values and completions are ignored.
  func send(completion: Subscribers.Completion<Failure>)

  /// Accepts a subscription to an upstream and requests values from it.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes an empty value.
  @inlinable public func send() { send(()) }
}

/// The upstream subscriptions of a subject.
@usableFromInline
struct Upstreams {
  private var list: [any Subscription] = []
  /// Whether everything has been requested from the upstreams.
  private var isWanted = false

  @usableFromInline init() {}

  /// Adds an upstream. Returns whether to request everything from it immediately.
  mutating func add(_ subscription: any Subscription) -> Bool {
    list.append(subscription)
    return isWanted
  }

  /// Returns the upstreams from which everything must now be requested: all at the first call, none later.
  mutating func want() -> [any Subscription] {
    defer { isWanted = true }
    return isWanted ? [] : list
  }

  mutating func remove(_ subscription: any Subscription) {
    let identifier = subscription.combineIdentifier
    list.removeAll { $0.combineIdentifier == identifier }
  }

  func cancel() {
    for upstream in list { upstream.cancel() }
  }
}

/// A subject that releases an upstream subscription once it has ended.
@usableFromInline
protocol UpstreamKeeper: AnyObject {
  func forget(_ subscription: any Subscription)
}

/// Sends everything it receives to a subject, and serves as the subject's upstream subscription. It does not keep the
/// subject alive.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Link, Subscriber {
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline weak var subject: S?

  @inlinable init(_ subject: S) { self.subject = subject }

  @inlinable
  func receive(subscription: any Subscription) {
    guard let subject else { return subscription.cancel() }
    if attach(subscription) { subject.send(subscription: self) }
  }

  @inlinable
  func receive(_ input: S.Output) -> Subscribers.Demand {
    if phase == .live { subject?.send(input) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<S.Failure>) {
    guard phase == .live else { return }
    _ = detach()
    (subject as? any UpstreamKeeper)?.forget(self)
    subject?.send(completion: completion)
  }

  @usableFromInline
  override func cancel() {
    detach()?.cancel()
    (subject as? any UpstreamKeeper)?.forget(self)
  }

  @usableFromInline override var description: String { "Subject" }
}
