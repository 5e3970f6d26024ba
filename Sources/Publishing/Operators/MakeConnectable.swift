// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that gives its subscribers nothing until it is connected.
  public struct MakeConnectable<Upstream: Publisher>: ConnectablePublisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    @usableFromInline let multicast: Multicast<Upstream, PassthroughSubject<Output, Failure>>

    /// Holds back `upstream` until it is connected.
    @inlinable
    public init(upstream: Upstream) { multicast = upstream.multicast(subject: PassthroughSubject()) }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      multicast.receive(subscriber: subscriber)
    }

    /// Starts; what is returned stops it again.
    @inlinable
    public func connect() -> any Cancellable { multicast.connect() }
  }
}

extension Publisher where Failure == Never {
  /// Holds back everything until the result is connected.
  @inlinable
  public func makeConnectable() -> Publishers.MakeConnectable<Self> { Publishers.MakeConnectable(upstream: self) }
}
