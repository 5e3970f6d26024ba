// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that fails with another error.
  public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What makes the new error of the old.
    public let transform: (Upstream.Failure) -> Failure

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Failure) -> Failure) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Applies the operator to `upstream`; the other initializer without its label.
    @_disfavoredOverload
    @inlinable
    public init(upstream: Upstream, _ map: @escaping (Upstream.Failure) -> Failure) {
      self.init(upstream: upstream, transform: map)
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: ErrorMapping(transform, subscriber))
    }
  }

  /// A publisher that could fail, as far as its type tells, but never does.
  public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher
  where Upstream.Failure == Never {
    /// What it publishes.
    public typealias Output = Upstream.Output

    /// The publisher that the operator is applied to.
    public let upstream: Upstream

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: ErrorMapping({ (never: Never) -> Failure in }, subscriber))
    }
  }
}

extension Publishers.SetFailureType: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Replaces the error that this publisher fails with.
  @inlinable
  public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.MapError<Self, E> {
    Publishers.MapError(upstream: self, transform: transform)
  }
}

extension Publisher where Failure == Never {
  /// Changes the type of the error, so that this publisher fits with others.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
    Publishers.SetFailureType(upstream: self)
  }
}

extension Publishers.SetFailureType {
  /// Changes the type of the error once more, as one operator.
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Upstream, E> {
    Publishers.SetFailureType(upstream: upstream)
  }
}

/// Stands before a subscriber and changes the error; the subscription is the upstream's own.
@usableFromInline
struct ErrorMapping<Failure: Error, Downstream: Subscriber>: Subscriber, Described {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let transform: (Failure) -> Downstream.Failure
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ transform: @escaping (Failure) -> Downstream.Failure, _ downstream: Downstream) {
    self.transform = transform
    self.downstream = downstream
  }

  @usableFromInline
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: downstream.receive(completion: .finished)
    case .failure(let error): downstream.receive(completion: .failure(transform(error)))
    }
  }

  @usableFromInline
  var description: String { "MapError" }
}
