// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the values before the first for which a condition does not hold.
  public struct PrefixWhile<Upstream: Publisher>: Publisher {
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
      upstream.receive(subscriber: StepLink(PrefixWhileStep<_, Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``PrefixWhile`` does with a closure that may throw, and fails with what it throws.
  public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
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
        subscriber: StepLink(TryPrefixWhileStep<_, Upstream.Failure>(predicate: predicate), Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Publishes values as long as a condition holds, then finishes.
  @inlinable
  public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: predicate)
  }

  /// Publishes values as long as a condition holds, then finishes; the publisher fails with what the closure throws.
  @inlinable
  public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
    Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct PrefixWhileStep<Value, Failure: Error>: Step, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) -> Bool

  @inlinable
  init(predicate: @escaping (Value) -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "PrefixWhile" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Verdict<Value, Failure> {
    predicate(input) ? .pass(input) : .finish
  }
}

@usableFromInline
struct TryPrefixWhileStep<Value, Failure: Error>: Step, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Void

  @usableFromInline let predicate: (Value) throws -> Bool

  @inlinable
  init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "TryPrefixWhile" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Verdict<Value, any Error> {
    do { return try predicate(input) ? .pass(input) : .finish } catch { return .fail(error) }
  }
}
