// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Connects upstream for the first subscriber, and disconnects it when the last has cancelled.
  public class Autoconnect<Upstream: ConnectablePublisher>: Operator {
    public final let upstream: Upstream

    @usableFromInline final var subscribers = 0
    @usableFromInline final var connection: (any Cancellable)?

    public init(_ upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public final func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      subscribers += 1
      let isFirst = subscribers == 1
      upstream.receive(subscriber: AutoconnectLink(subscriber) { [self] in leave() })
      guard isFirst, subscribers > 0 else { return }
      let connection = upstream.connect()
      // The subscriber may have cancelled in response to a value sent while connecting.
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

/// Reports when its subscriber cancels.
@usableFromInline
final class AutoconnectLink<Value, Failure: Error>: PassingLink<Value, Failure> {
  @usableFromInline var onCancel: (() -> Void)?

  @inlinable
  init<S: Subscriber<Value, Failure>>(_ subscriber: S, onCancel: @escaping () -> Void) {
    self.onCancel = onCancel
    super.init("Autoconnect", subscriber)
  }

  @inlinable
  override func receive(completion: Subscribers.Completion<Failure>) {
    // Does not count as a cancellation: an upstream that has ended must not be connected again for later subscribers.
    if phase == .live { onCancel = nil }
    super.receive(completion: completion)
  }

  @usableFromInline
  override func cancel() {
    let last = detach()
    let onCancel = self.onCancel
    self.onCancel = nil
    last?.cancel()
    onCancel?()
  }

  @usableFromInline override var description: String { upstream.map { String(describing: $0) } ?? label }
}
