// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that drops a value which equals the one received before it.
  ///
  /// Compared is with the last value *received*, let through or not: a slow drift of steps that each count as equal
  /// never passes.
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are compared.
    public let upstream: Upstream
    /// Whether two values count as equal; called with the earlier one first.
    public let predicate: (Output, Output) -> Bool

    /// Drops repeated values of `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output, Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        subscriber: StepLink(RemoveDuplicatesStep<_, Failure>(predicate: predicate), nil, Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``RemoveDuplicates`` does with a closure that may throw, and fails with what it throws.
  public struct TryRemoveDuplicates<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher whose values are compared.
    public let upstream: Upstream
    /// Whether two values count as equal; called with the earlier one first.
    public let predicate: (Output, Output) throws -> Bool

    /// Drops repeated values of `upstream`.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Output, Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let step = TryRemoveDuplicatesStep<_, Upstream.Failure>(predicate: predicate)
      upstream.receive(subscriber: StepLink(step, nil, Outlet(subscriber)))
    }
  }
}

extension Publisher where Output: Equatable {
  /// Drops a value that equals the one received before it.
  @inlinable
  public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: ==)
  }
}

extension Publisher {
  /// Drops a value that counts as equal to the one received before it. Not meant for thresholds: see
  /// ``Publishers/RemoveDuplicates``.
  @inlinable
  public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.RemoveDuplicates<Self> {
    Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
  }

  /// Drops a value that counts as equal to the one received before it; the publisher fails with what the closure
  /// throws.
  @inlinable
  public func tryRemoveDuplicates(
    by predicate: @escaping (Output, Output) throws -> Bool
  ) -> Publishers.TryRemoveDuplicates<Self> {
    Publishers.TryRemoveDuplicates(upstream: self, predicate: predicate)
  }
}

@usableFromInline
struct RemoveDuplicatesStep<Value, Failure: Error>: Step, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Value?

  @usableFromInline let predicate: (Value, Value) -> Bool

  @inlinable
  init(predicate: @escaping (Value, Value) -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "RemoveDuplicates" }

  @inlinable
  func take(_ input: Value, _ last: inout Value?) -> Verdict<Value, Failure> {
    let isRepeated = last.map { predicate($0, input) } ?? false
    last = .some(input)
    return isRepeated ? .skip : .pass(input)
  }
}

@usableFromInline
struct TryRemoveDuplicatesStep<Value, Failure: Error>: Step, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Value?

  @usableFromInline let predicate: (Value, Value) throws -> Bool

  @inlinable
  init(predicate: @escaping (Value, Value) throws -> Bool) { self.predicate = predicate }

  @inlinable
  static var label: String { "TryRemoveDuplicates" }

  @inlinable
  func take(_ input: Value, _ last: inout Value?) -> Verdict<Value, any Error> {
    do {
      let isRepeated = try last.map { try predicate($0, input) } ?? false
      last = .some(input)
      return isRepeated ? .skip : .pass(input)
    } catch {
      return .fail(error)
    }
  }
}
