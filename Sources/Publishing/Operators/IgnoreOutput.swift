// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes nothing but the completion of upstream.
  public struct IgnoreOutput<Upstream: Publisher>: Operator {
    public typealias Output = Never

    public let upstream: Upstream

    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      upstream.fold("IgnoreOutput", (), subscriber) { _, _ throws(Failure) in nil }
    }
  }
}

extension Publishers.IgnoreOutput: Equatable where Upstream: Equatable {}

extension Publisher {
  /// Publishes nothing but the completion.
  public func ignoreOutput() -> Publishers.IgnoreOutput<Self> { Publishers.IgnoreOutput(upstream: self) }
}
