// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of whether a value is among those published: `true` as soon as it comes, `false` when its upstream
  /// finishes.
  public struct Contains<Upstream: Publisher>: Publisher
  where Upstream.Output: Equatable {
    /// What it publishes.
    public typealias Output = Bool
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The value looked for.
    public let output: Upstream.Output

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: FoldLink(ContainsFold<_, Failure>(output: output), Outlet(subscriber)))
    }
  }

  /// A publisher of whether a condition holds for any value: `true` at the first for which it does, `false` when its
  /// upstream finishes.
  public struct ContainsWhere<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Bool
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The condition.
    public let predicate: (Upstream.Output) -> Bool

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: FoldLink(ContainsWhereFold<_, Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``ContainsWhere`` does with a closure that may throw, and fails with what it throws.
  public struct TryContainsWhere<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Bool
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// The condition; what it throws ends the publisher.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.receive(
        subscriber: FoldLink(TryContainsWhereFold<_, Upstream.Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

extension Publisher where Output: Equatable {
  /// Publishes whether a value is among those published.
  @inlinable
  public func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publisher {
  /// Publishes whether a condition holds for any value.
  @inlinable
  public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
    Publishers.ContainsWhere(upstream: self, predicate: predicate)
  }

  /// Publishes whether a condition holds for any value; it fails with what the closure throws.
  @inlinable
  public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
    Publishers.TryContainsWhere(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct ContainsFold<Value: Equatable, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Bool
  @usableFromInline typealias Memory = Void

  @usableFromInline let output: Value

  @inlinable
  init(output: Value) { self.output = output }

  @inlinable
  static var label: String { "Contains" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Bool, Failure> {
    input == output ? .answer(true) : .goOn
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Bool? { false }
}

@usableFromInline
struct ContainsWhereFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Bool
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) -> Bool

  @inlinable
  init(predicate: @escaping (Value) -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "ContainsWhere" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Bool, Failure> {
    predicate(input) ? .answer(true) : .goOn
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Bool? { false }
}

@usableFromInline
struct TryContainsWhereFold<Value, Failure: Error>: Fold, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Bool
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) throws -> Bool

  @inlinable
  init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "TryContainsWhere" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Bool, any Error> {
    do { return try predicate(input) ? .answer(true) : .goOn } catch { return .fail(error) }
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Bool? { false }
}
