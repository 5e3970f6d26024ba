// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that runs its upstream once for all its subscribers, from the first that comes to the last that
  /// leaves.
  ///
  /// It replays nothing: who comes later gets what comes later. `multicast(_:)` with a `PassthroughSubject`, and
  /// `autoconnect()`.
  public final class Share<Upstream: Publisher>: Publisher, Equatable {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is shared.
    public final let upstream: Upstream

    @usableFromInline let shared: Autoconnect<Multicast<Upstream, PassthroughSubject<Output, Failure>>>

    /// Shares `upstream`.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
      shared = upstream.multicast(subject: PassthroughSubject()).autoconnect()
    }

    /// Attaches a subscriber.
    @inlinable
    public final func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      shared.receive(subscriber: subscriber)
    }

    /// Two are equal if they are the same object.
    public static func == (lhs: Share, rhs: Share) -> Bool { lhs === rhs }
  }
}

extension Publisher {
  /// Runs this publisher once for all subscribers.
  @inlinable
  public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}
