// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that connects its upstream for the first subscriber, and disconnects when the last has cancelled.
  public class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = Upstream.Failure

    /// The publisher that is connected.
    public final let upstream: Upstream

    @usableFromInline final var subscribers = 0
    @usableFromInline final var connection: (any Cancellable)?

    /// Connects `upstream` when there is somebody to listen.
    @inlinable
    public init(_ upstream: Upstream) { self.upstream = upstream }

    /// Attaches a subscriber.
    @inlinable
    public final func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      subscribers += 1
      let isFirst = subscribers == 1
      upstream.receive(subscriber: AutoconnectLink(Outlet(subscriber)) { [self] in leave() })
      guard isFirst, subscribers > 0 else { return }
      let connection = upstream.connect()
      // The subscriber may have cancelled on what the connection brought at once.
      if subscribers > 0 { self.connection = connection } else { connection.cancel() }
    }

    @inlinable
    final func leave() {
      subscribers -= 1
      guard subscribers == 0, let connection else { return }
      self.connection = nil
      connection.cancel()
    }
  }
}

extension ConnectablePublisher {
  /// Connects for the first subscriber, and disconnects when the last has cancelled.
  @inlinable
  public func autoconnect() -> Publishers.Autoconnect<Self> { Publishers.Autoconnect(self) }
}

/// Passes everything on, and tells when its subscriber cancels.
@usableFromInline
final class AutoconnectLink<Downstream: Subscriber>: Link, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline var onCancel: (() -> Void)?

  @inlinable
  init(_ downstream: Downstream, onCancel: @escaping () -> Void) {
    self.downstream = downstream
    self.onCancel = onCancel
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if attach(subscription) { downstream.receive(subscription: self) }
  }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    guard phase == .live else { return .none }
    return downstream.receive(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard phase == .live else { return }
    // Not counted as leaving: an upstream that has ended must not be connected again for those who come later.
    _ = detach()
    onCancel = nil
    downstream.receive(completion: completion)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    let onCancel = self.onCancel
    self.onCancel = nil
    last?.cancel()
    onCancel?()
  }

  @usableFromInline
  override var description: String { upstream.map { String(describing: $0) } ?? "Autoconnect" }
}
