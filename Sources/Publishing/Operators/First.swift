// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the first value, which then finishes.
  public struct First<Upstream: Publisher>: Publisher {
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
      upstream.receive(subscriber: FoldLink(FirstFold<Output, Failure>(), Outlet(subscriber)))
    }
  }

  /// A publisher of the first value for which a condition holds, which then finishes.
  public struct FirstWhere<Upstream: Publisher>: Publisher {
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
      upstream.receive(subscriber: FoldLink(FirstWhereFold<_, Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``FirstWhere`` does with a closure that may throw, and fails with what it throws.
  public struct TryFirstWhere<Upstream: Publisher>: Publisher {
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
        subscriber: FoldLink(TryFirstWhereFold<_, Upstream.Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }
}

extension Publishers.First: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes the first value and finishes.
  @inlinable
  public func first() -> Publishers.First<Self> {
    Publishers.First(upstream: self)
  }

  /// Publishes the first value for which a condition holds and finishes.
  @inlinable
  public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
    Publishers.FirstWhere(upstream: self, predicate: predicate)
  }

  /// Publishes the first value for which a condition holds and finishes; it fails with what the closure throws.
  @inlinable
  public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
    Publishers.TryFirstWhere(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct FirstFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Void

  @inlinable
  init() {}

  @inlinable
  static var label: String { "First" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Value, Failure> {
    .answer(input)
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Value? { nil }
}

@usableFromInline
struct FirstWhereFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) -> Bool

  @inlinable
  init(predicate: @escaping (Value) -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "FirstWhere" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Value, Failure> {
    predicate(input) ? .answer(input) : .goOn
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Value? { nil }
}

@usableFromInline
struct TryFirstWhereFold<Value, Failure: Error>: Fold, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) throws -> Bool

  @inlinable
  init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "TryFirstWhere" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Value, any Error> {
    do { return try predicate(input) ? .answer(input) : .goOn } catch { return .fail(error) }
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Value? { nil }
}
