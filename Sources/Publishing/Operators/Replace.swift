// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes a value if upstream finishes without one.
  public struct ReplaceEmpty<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    public let output: Upstream.Output

    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      let chain = Chain<Upstream.Output, Failure>("ReplaceEmpty", subscriber)
      let output = self.output
      chain.go(on: upstream) { completion in
        if case .finished = completion, chain.isEmpty {
          chain.go(on: Just(output)) { _ in chain.end(.finished) }
        } else {
          chain.end(completion)
        }
      }
    }
  }

  /// Publishes a value instead of an error, and finishes.
  public struct ReplaceError<Upstream: Publisher>: Operator {
    public typealias Failure = Never

    public let upstream: Upstream
    public let output: Upstream.Output

    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Never>>(subscriber: S) {
      let chain = Chain<Upstream.Output, Never>("ReplaceError", subscriber)
      let output = self.output
      chain.go(on: upstream) { completion in
        switch completion {
        case .finished: chain.end(.finished)
        case .failure: chain.go(on: Just(output)) { chain.end($0) }
        }
      }
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}
extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publisher {
  /// Publishes a value if this publisher finishes without one.
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }

  /// Publishes a value instead of an error, and finishes.
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}
