// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that runs its upstream once, into a subject which all subscribers listen to.
  ///
  /// The subject is made at the first subscription or connection and kept from then on: one that replays will replay to
  /// newcomers even after everybody had left.
  public final class Multicast<Upstream: Publisher, SubjectType: Subject>: ConnectablePublisher
  where Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher run once for all.
    public final let upstream: Upstream
    /// Makes the subject.
    public final let createSubject: () -> SubjectType

    @usableFromInline var madeSubject: SubjectType?

    @inlinable
    var subject: SubjectType {
      if let madeSubject { return madeSubject }
      let subject = createSubject()
      madeSubject = subject
      return subject
    }

    /// Runs `upstream` into the subject that `createSubject` makes.
    @inlinable
    public init(upstream: Upstream, createSubject: @escaping () -> SubjectType) {
      self.upstream = upstream
      self.createSubject = createSubject
    }

    /// Attaches a subscriber.
    @inlinable
    public final func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      subject.receive(subscriber: MulticastLink(Outlet(subscriber)))
    }

    /// Subscribes the subject to the upstream.
    @inlinable
    public final func connect() -> any Cancellable { upstream.subscribe(subject) }
  }
}

extension Publisher {
  /// Runs this publisher once for all, into a subject that is made when it is first needed.
  @inlinable
  public func multicast<S: Subject>(_ createSubject: @escaping () -> S) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    Publishers.Multicast(upstream: self, createSubject: createSubject)
  }

  /// Runs this publisher once for all, into a subject.
  @inlinable
  public func multicast<S: Subject>(subject: S) -> Publishers.Multicast<Self, S>
  where S.Output == Output, S.Failure == Failure {
    Publishers.Multicast(upstream: self, createSubject: { subject })
  }
}

/// One subscriber of a multicast.
@usableFromInline
final class MulticastLink<Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline var downstream: Downstream?

  @inlinable
  init(_ downstream: Downstream) { self.downstream = downstream }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream?.receive(subscription: self) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live, let downstream else { return .none }
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live, let downstream else { return }
    _ = detach()
    self.downstream = nil
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    downstream = nil
    last?.cancel()
  }

  @usableFromInline
  override var description: String { "Multicast" }
}
