// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the last value, when its upstream finishes.
  public struct Last<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

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
      upstream.receive(subscriber: FoldLink(LastFold<Output, Failure>(), Outlet(subscriber)))
    }
  }

  /// A publisher of the last value for which a condition holds, when its upstream finishes.
  public struct LastWhere<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The condition.
    public let predicate: (Output) -> Bool

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: FoldLink(LastWhereFold<_, Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``LastWhere`` does with a closure that may throw, and fails with what it throws.
  public struct TryLastWhere<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The condition; what it throws ends the publisher.
    public let predicate: (Output) throws -> Bool

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.receive(
        subscriber: FoldLink(TryLastWhereFold<_, Upstream.Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }
}

extension Publishers.Last: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the last value, when this publisher finishes.
  @inlinable
  public func last() -> Publishers.Last<Self> {
    Publishers.Last(upstream: self)
  }

  /// Publishes the last value for which a condition holds, when this publisher finishes.
  @inlinable
  public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
    Publishers.LastWhere(upstream: self, predicate: predicate)
  }

  /// Publishes the last value for which a condition holds, when this publisher finishes; it fails with what the closure
  /// throws.
  @inlinable
  public func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
    Publishers.TryLastWhere(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct LastFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Value?

  @inlinable
  init() {}

  @inlinable
  static var label: String { "Last" }

  @inlinable
  func take(_ input: Value, _ last: inout Value?) -> Ruling<Value, Failure> {
    last = .some(input)
    return .goOn
  }

  @inlinable
  var start: Value? { nil }

  @inlinable
  func conclude(_ last: Value?) -> Value? { last }
}

@usableFromInline
struct LastWhereFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Value?

  @usableFromInline let predicate: (Value) -> Bool

  @inlinable
  init(predicate: @escaping (Value) -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "LastWhere" }

  @inlinable
  func take(_ input: Value, _ last: inout Value?) -> Ruling<Value, Failure> {
    if predicate(input) { last = .some(input) }
    return .goOn
  }

  @inlinable
  var start: Value? { nil }

  @inlinable
  func conclude(_ last: Value?) -> Value? { last }
}

@usableFromInline
struct TryLastWhereFold<Value, Failure: Error>: Fold, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Value?

  @usableFromInline let predicate: (Value) throws -> Bool

  @inlinable
  init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "TryLastWhere" }

  @inlinable
  func take(_ input: Value, _ last: inout Value?) -> Ruling<Value, any Error> {
    do {
      if try predicate(input) { last = .some(input) }
      return .goOn
    } catch {
      return .fail(error)
    }
  }

  @inlinable
  var start: Value? { nil }

  @inlinable
  func conclude(_ last: Value?) -> Value? { last }
}
