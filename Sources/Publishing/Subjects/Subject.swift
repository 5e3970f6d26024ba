// SPDX-License-Identifier: Apache-2.0
/// A publisher into which a program sends values.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes a value.
  func send(_ value: Output)

  /// Ends the sequence; everything sent afterwards is ignored.
  func send(completion: Subscribers.Completion<Failure>)

  /// Takes the subscription to an upstream, which the subject asks for values.
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
  /// Whether the upstreams have been asked for everything.
  private var isWanted = false

  @usableFromInline init() {}

  /// Adds an upstream; returns whether to ask it for everything at once.
  mutating func add(_ subscription: any Subscription) -> Bool {
    list.append(subscription)
    return isWanted
  }

  /// Returns the upstreams to be asked for everything: all at the first call, none later.
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

/// A subject that releases an upstream subscription when it has ended.
@usableFromInline
protocol UpstreamKeeper: AnyObject {
  func forget(_ subscription: any Subscription)
}

/// Sends everything it receives into a subject, and is the subscription that the subject is given. It does not keep the
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
