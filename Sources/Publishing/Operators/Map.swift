// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that transforms every value with a closure.
  public struct Map<Upstream: Publisher, Output>: Publisher {
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// What makes the new value of the old.
    public let transform: (Upstream.Output) -> Output

    /// Transforms the values of `upstream`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Mapping(transform, subscriber))
    }
  }

  /// A publisher that transforms every value with a closure that may throw, and fails with what it throws.
  public struct TryMap<Upstream: Publisher, Output>: Publisher {
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// What makes the new value of the old.
    public let transform: (Upstream.Output) throws -> Output

    /// Transforms the values of `upstream`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.receive(
        subscriber: StepLink(TryMapStep<_, _, Upstream.Failure>(transform: transform), Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Transforms every value with a closure.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }

  /// Transforms every value with a closure that may throw; the publisher fails with what it throws.
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
    Publishers.TryMap(upstream: self, transform: transform)
  }

  /// Replaces each `nil` with a value.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}

extension Publishers.Map {
  /// Transforms once more, as one operator.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Upstream, T> {
    let first = self.transform
    return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
  }

  /// Transforms once more, as one operator that may throw.
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}

extension Publishers.TryMap {
  /// Transforms once more, as one operator.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { transform(try first($0)) }
  }

  /// Transforms once more, as one operator.
  @inlinable
  public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap<Upstream, T>(upstream: upstream) { try transform(first($0)) }
  }
}

/// Stands before a subscriber and transforms what it takes; the subscription is the upstream's own.
@usableFromInline
struct Mapping<Input, Downstream: Subscriber>: Subscriber, Described {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let transform: (Input) -> Downstream.Input
  @usableFromInline let downstream: Downstream

  @inlinable
  init(_ transform: @escaping (Input) -> Downstream.Input, _ downstream: Downstream) {
    self.transform = transform
    self.downstream = downstream
  }

  @usableFromInline
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(transform(input)) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }

  @usableFromInline
  var description: String { "Map" }
}

@usableFromInline
struct TryMapStep<Input, Output, Failure: Error>: Step, TryRule {
  @usableFromInline typealias Memory = Void

  @usableFromInline let transform: (Input) throws -> Output

  @inlinable
  init(transform: @escaping (Input) throws -> Output) { self.transform = transform }

  @inlinable
  static var label: String { "TryMap" }

  @inlinable
  func take(_ input: Input, _ memory: inout Void) -> Verdict<Output, any Error> {
    do { return .pass(try transform(input)) } catch { return .fail(error) }
  }
}
