// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of each intermediate result of combining the values with what came before. The start itself is not
  /// published.
  public struct Scan<Upstream: Publisher, Output>: Publisher {
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What the first value is combined with.
    public let initialResult: Output
    /// What makes the next result of the last one and a value.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Applies the operator to `upstream`.
    @inlinable
    public init(
      upstream: Upstream, initialResult: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let step = ScanStep<_, Upstream.Output, Failure>(nextPartialResult: nextPartialResult)
      upstream.receive(subscriber: StepLink(step, initialResult, Outlet(subscriber)))
    }
  }

  /// A publisher that does what ``Scan`` does with a closure that may throw, and fails with what it throws.
  public struct TryScan<Upstream: Publisher, Output>: Publisher {
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What the first value is combined with.
    public let initialResult: Output
    /// What makes the next result of the last one and a value.
    public let nextPartialResult: (Output, Upstream.Output) throws -> Output

    /// Applies the operator to `upstream`.
    @inlinable
    public init(
      upstream: Upstream, initialResult: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let step = TryScanStep<_, Upstream.Output, Upstream.Failure>(nextPartialResult: nextPartialResult)
      upstream.receive(subscriber: StepLink(step, initialResult, Outlet(subscriber)))
    }
  }
}

extension Publisher {
  /// Combines each value with the result so far and publishes each new result.
  @inlinable
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }

  /// Does what `scan` does with a closure that may throw; the publisher fails with what it throws.
  @inlinable
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
  ) -> Publishers.TryScan<Self, T> {
    Publishers.TryScan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
  }
}

@usableFromInline
struct ScanStep<Output, Input, Failure: Error>: Step, PlainRule {
  @usableFromInline typealias Memory = Output

  @usableFromInline let nextPartialResult: (Output, Input) -> Output

  @inlinable
  init(nextPartialResult: @escaping (Output, Input) -> Output) { self.nextPartialResult = nextPartialResult }

  @inlinable
  static var label: String { "Scan" }

  @inlinable
  func take(_ input: Input, _ result: inout Output) -> Verdict<Output, Failure> {
    result = nextPartialResult(result, input)
    return .pass(result)
  }
}

@usableFromInline
struct TryScanStep<Output, Input, Failure: Error>: Step, TryRule {
  @usableFromInline typealias Memory = Output

  @usableFromInline let nextPartialResult: (Output, Input) throws -> Output

  @inlinable
  init(nextPartialResult: @escaping (Output, Input) throws -> Output) { self.nextPartialResult = nextPartialResult }

  @inlinable
  static var label: String { "TryScan" }

  @inlinable
  func take(_ input: Input, _ result: inout Output) -> Verdict<Output, any Error> {
    do {
      result = try nextPartialResult(result, input)
      return .pass(result)
    } catch {
      return .fail(error)
    }
  }
}
