// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of whether a condition holds for all values: `false` at the first for which it does not, `true` when
  /// its upstream finishes.
  public struct AllSatisfy<Upstream: Publisher>: Publisher {
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
      upstream.receive(subscriber: FoldLink(AllSatisfyFold<_, Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``AllSatisfy`` does with a closure that may throw, and fails with what it throws.
  public struct TryAllSatisfy<Upstream: Publisher>: Publisher {
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
        subscriber: FoldLink(TryAllSatisfyFold<_, Upstream.Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Publishes whether a condition holds for all values.
  @inlinable
  public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
    Publishers.AllSatisfy(upstream: self, predicate: predicate)
  }

  /// Publishes whether a condition holds for all values; it fails with what the closure throws.
  @inlinable
  public func tryAllSatisfy(_ predicate: @escaping (Output) throws -> Bool) -> Publishers.TryAllSatisfy<Self> {
    Publishers.TryAllSatisfy(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct AllSatisfyFold<Value, Failure: Error>: Fold, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Bool
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) -> Bool

  @inlinable
  init(predicate: @escaping (Value) -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "AllSatisfy" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Bool, Failure> {
    predicate(input) ? .goOn : .answer(false)
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Bool? { true }
}

@usableFromInline
struct TryAllSatisfyFold<Value, Failure: Error>: Fold, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Bool
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) throws -> Bool

  @inlinable
  init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "TryAllSatisfy" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Ruling<Bool, any Error> {
    do { return try predicate(input) ? .goOn : .answer(false) } catch { return .fail(error) }
  }

  @inlinable
  var start: Void { () }

  @inlinable
  func conclude(_ memory: Void) -> Bool? { true }
}
