// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Subscribes to upstream again when it fails. Values of failed attempts have already been published.
  public struct Retry<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// The number of further attempts; `nil` for no limit.
    public let retries: Int?

    public init(upstream: Upstream, retries: Int?) {
      self.upstream = upstream
      self.retries = retries
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      Attempts(upstream, retries, subscriber).run()
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Subscribes again when this publisher fails, at most `retries` times.
  public func retry(_ retries: Int) -> Publishers.Retry<Self> { Publishers.Retry(upstream: self, retries: retries) }
}

/// The attempts of one subscription. They run in a loop, so that an upstream that keeps failing synchronously does not
/// exhaust the stack.
@usableFromInline
final class Attempts<Upstream: Publisher> {
  @usableFromInline let upstream: Upstream
  @usableFromInline let chain: Chain<Upstream.Output, Upstream.Failure>
  @usableFromInline var retries: Int?
  @usableFromInline var isRunning = false
  @usableFromInline var isDue = false

  @inlinable
  init<S: Subscriber<Upstream.Output, Upstream.Failure>>(_ upstream: Upstream, _ retries: Int?, _ subscriber: S) {
    self.upstream = upstream
    self.retries = retries
    chain = Chain("Retry", subscriber)
  }

  @inlinable
  func run() {
    isDue = true
    guard !isRunning else { return }
    isRunning = true
    while isDue {
      isDue = false
      chain.go(on: upstream) { [self] completion in ended(completion) }
    }
    isRunning = false
  }

  @inlinable
  func ended(_ completion: Subscribers.Completion<Upstream.Failure>) {
    guard case .failure = completion, retries.map({ $0 > 0 }) ?? true else { return chain.end(completion) }
    retries = retries.map { $0 - 1 }
    run()
  }
}
