// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that subscribes to its upstream again when it fails. What failed attempts have published stays
  /// published.
  public struct Retry<Upstream: Publisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// How often it tries again; `nil` for as long as it takes.
    public let retries: Int?

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, retries: Int?) {
      self.upstream = upstream
      self.retries = retries
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let chain = Chain("Retry", Outlet(subscriber))
      Publishers.Retry.attempt(upstream, retries, chain)
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

extension Publishers.Retry {
  @inlinable
  static func attempt<S: Subscriber>(_ upstream: Upstream, _ retries: Int?, _ chain: Chain<S>)
  where S.Input == Output, S.Failure == Failure {
    chain.go(on: upstream) { completion in
      guard case .failure = completion, retries.map({ $0 > 0 }) ?? true else { return chain.end(completion) }
      attempt(upstream, retries.map { $0 - 1 }, chain)
    }
  }
}

extension Publisher {
  /// Subscribes again when this publisher fails, up to so many times.
  @inlinable
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}
