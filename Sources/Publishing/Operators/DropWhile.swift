// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of the values from the first on for which a condition does not hold.
  public struct DropWhile<Upstream: Publisher>: Publisher {
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
      let step = DropWhileStep<_, Failure>(predicate: predicate)
      upstream.receive(subscriber: StepLink(step, true, Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``DropWhile`` does with a closure that may throw, and fails with what it throws.
  public struct TryDropWhile<Upstream: Publisher>: Publisher {
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
      let step = TryDropWhileStep<_, Upstream.Failure>(predicate: predicate)
      upstream.receive(subscriber: StepLink(step, true, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Drops values as long as a condition holds, then publishes everything.
  @inlinable
  public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }

  /// Drops values as long as a condition holds, then publishes everything; the publisher fails with what the closure
  /// throws.
  @inlinable
  public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct DropWhileStep<Value, Failure: Error>: Step, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Bool

  @usableFromInline let predicate: (Value) -> Bool

  @inlinable
  init(predicate: @escaping (Value) -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "DropWhile" }

  @inlinable
  func take(_ input: Value, _ isDropping: inout Bool) -> Verdict<Value, Failure> {
    isDropping = isDropping && predicate(input)
    return isDropping ? .skip : .pass(input)
  }
}

@usableFromInline
struct TryDropWhileStep<Value, Failure: Error>: Step, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Bool

  @usableFromInline let predicate: (Value) throws -> Bool

  @inlinable
  init(predicate: @escaping (Value) throws -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "TryDropWhile" }

  @inlinable
  func take(_ input: Value, _ isDropping: inout Bool) -> Verdict<Value, any Error> {
    do {
      isDropping = try isDropping && predicate(input)
      return isDropping ? .skip : .pass(input)
    } catch {
      return .fail(error)
    }
  }
}
