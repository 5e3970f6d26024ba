// SPDX-License-Identifier: Apache-2.0
import DBus

/// A subscription, from the call that makes it to its end.
final class SubscriptionClient {
  enum Event {
    case location(LocationReading)
    case authorization(status: String, reason: String)
    case error(name: String, message: String)
    /// The service has ended it.
    case closed(reason: String)
    /// It could not be made or started.
    case failed(DBusError)
  }

  private let bridge: Bridge
  private let onEvent: (Event) -> Void
  private var signals: SignalMatch?

  /// Makes a subscription with these options, and starts it if `starts` is set.
  init(
    on bridge: Bridge, _ options: [(String, Value)], starts: Bool = true, _ onEvent: @escaping (Event) -> Void
  ) {
    self.bridge = bridge
    self.onEvent = onEvent
    bridge.call("CreateSubscription", [.options(options)], expecting: "o") { [weak self] result in
      switch result {
      case .success(let values):
        if let path = values.first?.objectPath { self?.follow(path, starts: starts) }
      case .failure(let error): self?.onEvent(.failed(error))
      }
    }
  }

  private func follow(_ path: ObjectPath, starts: Bool) {
    // The bridge sends to this connection alone, so that no signal is lost before the match is in place.
    signals = bridge.onSignal(of: Contract.subscription, at: path) { [weak self] signal in self?.received(signal) }
    guard starts else { return }
    bridge.call("Start", of: Contract.subscription, at: path, expecting: "") { [weak self] result in
      if case .failure(let error) = result { self?.onEvent(.failed(error)) }
    }
  }

  private func received(_ signal: Signal) {
    let texts = signal.arguments.compactMap(\.string)
    switch signal.member {
    case "LocationUpdated":
      if let value = signal.arguments.first, let reading = LocationReading(value) { onEvent(.location(reading)) }
    case "AuthorizationChanged" where texts.count == 2:
      onEvent(.authorization(status: texts[0], reason: texts[1]))
    case "ErrorOccurred" where texts.count == 2: onEvent(.error(name: texts[0], message: texts[1]))
    case "Closed" where texts.count == 1: onEvent(.closed(reason: texts[0]))
    default: break
    }
  }
}
