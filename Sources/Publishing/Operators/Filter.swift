// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of those values that a closure lets through.
  public struct Filter<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are chosen from.
    public let upstream: Upstream
    /// Whether a value is let through.
    public let isIncluded: (Output) -> Bool

    /// Chooses from the values of `upstream`.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepLink(FilterStep<_, Failure>(isIncluded: isIncluded), Outlet(subscriber)))
    }
  }

  /// A publisher of those values that a closure lets through; it fails with what the closure throws.
  public struct TryFilter<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher whose values are chosen from.
    public let upstream: Upstream
    /// Whether a value is let through.
    public let isIncluded: (Output) throws -> Bool

    /// Chooses from the values of `upstream`.
    @inlinable
    public init(upstream: Upstream, isIncluded: @escaping (Output) throws -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.receive(
        subscriber: StepLink(TryFilterStep<_, Upstream.Failure>(isIncluded: isIncluded), Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Publishes those values that a closure lets through.
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }

  /// Publishes those values that a closure lets through; the publisher fails with what it throws.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
    Publishers.TryFilter(upstream: self, isIncluded: isIncluded)
  }
}

extension Publishers.Filter {
  /// Chooses once more, as one operator.
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Upstream> {
    let first = self.isIncluded
    return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
  }

  /// Chooses once more, as one operator that may throw.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

extension Publishers.TryFilter {
  /// Chooses once more, as one operator.
  @inlinable
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }

  /// Chooses once more, as one operator.
  @inlinable
  public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

@usableFromInline
struct FilterStep<Value, Failure: Error>: Step, PlainRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Void

  @usableFromInline let isIncluded: (Value) -> Bool

  @inlinable
  init(isIncluded: @escaping (Value) -> Bool) { self.isIncluded = isIncluded }

  @inlinable
  static var label: String { "Filter" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Verdict<Value, Failure> {
    isIncluded(input) ? .pass(input) : .skip
  }
}

@usableFromInline
struct TryFilterStep<Value, Failure: Error>: Step, TryRule {
  @usableFromInline typealias Input = Value
  @usableFromInline typealias Output = Value
  @usableFromInline typealias Memory = Void

  @usableFromInline let isIncluded: (Value) throws -> Bool

  @inlinable
  init(isIncluded: @escaping (Value) throws -> Bool) { self.isIncluded = isIncluded }

  @inlinable
  static var label: String { "TryFilter" }

  @inlinable
  func take(_ input: Value, _ memory: inout Void) -> Verdict<Value, any Error> {
    do { return try isIncluded(input) ? .pass(input) : .skip } catch { return .fail(error) }
  }
}
