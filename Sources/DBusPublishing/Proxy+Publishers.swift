// SPDX-License-Identifier: Apache-2.0
@_exported import DBus
@_exported import Publishing

extension Proxy {
  /// Publishes each signal named `member`. Follows the service through restarts and never finishes, not even when the
  /// connection is lost (``Connection/onDisconnected``).
  ///
  /// ```swift
  /// login.publisher(for: "PrepareForSleep").sink { signal in print(signal.arguments) }.store(in: &cancellables)
  /// ```
  public func publisher(for member: MemberName) -> AnyPublisher<Signal, Never> { signalPublisher(member) }

  /// Publishes each signal of the interface, or only those named `member`.
  package func signalPublisher(_ member: MemberName?) -> AnyPublisher<Signal, Never> {
    events { [self] receive in
      let match = onSignal(member, receive)
      return { match.cancel() }
    }
  }

  /// Publishes a property: its value when the service is running and after each restart, then each value that is
  /// signalled. Never starts the service, and never finishes.
  public func propertyPublisher(_ property: MemberName) -> AnyPublisher<Value, Never> {
    events { [self] receive in
      let watch = onProperties { if let value = $0[property.rawValue] { receive(value) } }
      return { watch.cancel() }
    }
  }

  /// Publishes events for which each subscription registers its own handler. Events without demand are dropped.
  private func events<Output>(
    _ register: @escaping (_ receive: @escaping (Output) -> Void) -> () -> Void
  ) -> AnyPublisher<Output, Never> {
    Deferred {
      let subject = PassthroughSubject<Output, Never>()
      // Holds the registration until the subscription is cancelled.
      return subject.handleEvents(receiveCancel: register { subject.send($0) })
    }.eraseToAnyPublisher()
  }
}
