// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Subscribes once to upstream, with a subject to which all subscribers subscribe.
  ///
  /// The subject is created at the first subscription or connection and kept. A subject that replays a value therefore
  /// replays it to later subscribers even if there were none in between.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher, Operator
  where Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure {
    public final let upstream: Upstream
    public final let createSubject: () -> SubjectType

    @usableFromInline lazy var subject = createSubject()

    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    @inlinable
    public final func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      subject.receive(subscriber: MulticastLink(subject, subscriber))
    }

    @inlinable
    public final func connect() -> any Cancellable { upstream.subscribe(subject) }
  }

  /// Publishes nothing until it is connected.
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher, Operator {
    @usableFromInline let multicast: Multicast<Upstream, PassthroughSubject<Upstream.Output, Failure>>

    public init(upstream: Upstream) { multicast = upstream.multicast(subject: PassthroughSubject()) }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      multicast.receive(subscriber: subscriber)
    }

    @inlinable
    public func connect() -> any Cancellable { multicast.connect() }
  }

  /// Subscribes once to upstream for all subscribers, from the first subscription until the last subscriber has
  /// cancelled.
  ///
  /// Replays nothing: a later subscriber receives only later values. The same as `multicast(_:)` with a
  /// `PassthroughSubject` and `autoconnect()`.
  public final class Share<Upstream: Publisher>: Operator, Equatable {
    public final let upstream: Upstream

    @usableFromInline let shared: Autoconnect<Multicast<Upstream, PassthroughSubject<Upstream.Output, Failure>>>

    public init(upstream: Upstream) {
      self.upstream = upstream
      shared = upstream.multicast(subject: PassthroughSubject()).autoconnect()
    }

    @inlinable
    public final func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      shared.receive(subscriber: subscriber)
    }

    public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
  }
}

extension Publisher {
  /// Subscribes once for all subscribers, through a subject that is created when first needed.
  public func multicast<S: Subject<Output, Failure>>(
    _ createSubject: @escaping () -> S
  ) -> Publishers.Multicast<Self, S> {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Subscribes once for all subscribers, through a subject.
  public func multicast<S: Subject<Output, Failure>>(subject: S) -> Publishers.Multicast<Self, S> {
    Publishers.Multicast(upstream: self, createSubject: { subject })
  }

  /// Subscribes once for all subscribers.
  public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

extension Publisher where Failure == Never {
  /// Publishes nothing until the result is connected.
  public func makeConnectable() -> Publishers.MakeConnectable<Self> { Publishers.MakeConnectable(upstream: self) }
}

/// A subscriber of a multicast. It keeps the subject alive, because the connection holds it weakly.
@usableFromInline
final class MulticastLink<Value, Failure: Error>: PassingLink<Value, Failure> {
  @usableFromInline var subject: AnyObject?

  @inlinable
  init<S: Subscriber<Value, Failure>>(_ subject: AnyObject, _ subscriber: S) {
    self.subject = subject
    super.init("Multicast", subscriber)
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    let held = subject
    subject = nil
    super.receive(completion: completion)
    withExtendedLifetime(held) {}
  }

  @usableFromInline
  override func cancel() {
    let held = subject
    subject = nil
    super.cancel()
    withExtendedLifetime(held) {}
  }
}
