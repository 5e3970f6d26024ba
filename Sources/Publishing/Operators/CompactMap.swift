// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that transforms every value with a closure and drops those that come out as `nil`.
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// What makes the new value of the old, or `nil`.
    public let transform: (Upstream.Output) -> Output?

    /// Transforms the values of `upstream`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: StepLink(CompactMapStep<_, _, Failure>(transform: transform), Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``CompactMap`` does with a closure that may throw, and fails with what it throws.
  public struct TryCompactMap<Upstream: Publisher, Output>: Publisher {
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// What makes the new value of the old, or `nil`.
    public let transform: (Upstream.Output) throws -> Output?

    /// Transforms the values of `upstream`.
    @inlinable
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) throws -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.receive(
        subscriber: StepLink(TryCompactMapStep<_, _, Upstream.Failure>(transform: transform), Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Transforms every value with a closure and drops those that come out as `nil`.
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }

  /// Does what `compactMap` does with a closure that may throw; the publisher fails with what it throws.
  @inlinable
  public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Self, T> {
    Publishers.TryCompactMap(upstream: self, transform: transform)
  }
}

extension Publishers.CompactMap {
  /// Transforms once more, as one operator.
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).flatMap(transform) }
  }

  /// Transforms once more, as one operator.
  @inlinable
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
  }
}

extension Publishers.TryCompactMap {
  /// Transforms once more, as one operator.
  @inlinable
  public func compactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryCompactMap<Upstream, T>(upstream: upstream) { try first($0).flatMap(transform) }
  }
}

@usableFromInline
struct CompactMapStep<Input, Output, Failure: Error>: Step, PlainRule {
  @usableFromInline typealias Memory = Void

  @usableFromInline let transform: (Input) -> Output?

  @inlinable
  init(transform: @escaping (Input) -> Output?) { self.transform = transform }

  @inlinable
  static var label: String { "CompactMap" }

  @inlinable
  func take(_ input: Input, _ memory: inout Void) -> Verdict<Output, Failure> {
    if let output = transform(input) { .pass(output) } else { .skip }
  }
}

@usableFromInline
struct TryCompactMapStep<Input, Output, Failure: Error>: Step, TryRule {
  @usableFromInline typealias Memory = Void

  @usableFromInline let transform: (Input) throws -> Output?

  @inlinable
  init(transform: @escaping (Input) throws -> Output?) { self.transform = transform }

  @inlinable
  static var label: String { "TryCompactMap" }

  @inlinable
  func take(_ input: Input, _ memory: inout Void) -> Verdict<Output, any Error> {
    do {
      if let output = try transform(input) { return .pass(output) }
      return .skip
    } catch {
      return .fail(error)
    }
  }
}
