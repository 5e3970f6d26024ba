// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Watches the properties of a ``Proxy`` until released or cancelled.
public final class PropertyWatch {
  private let proxy: Proxy
  private var handler: (([String: Value]) -> Void)?
  private var changes: SignalMatch?
  private var service: NameWatch?
  private var reading: PendingCall?
  private var retry: LoopSource?
  /// Whether a property was invalidated while all properties were being read.
  private var mustReadAgain = false

  init(of proxy: Proxy, _ handler: @escaping ([String: Value]) -> Void) {
    self.proxy = proxy
    self.handler = handler
    // Subscribe before the first read, so that no change is missed.
    changes = proxy.connection.onSignal(
      MatchRule(
        sender: proxy.destination, path: proxy.path, interface: .properties, member: .propertiesChanged,
        argument0: proxy.interface.rawValue)
    ) { [weak self] signal in self?.changed(signal.arguments) }
    service = NameWatch(proxy.destination, on: proxy.connection) { [weak self] owner in
      if owner != nil { self?.readAnew() } else { self?.reading = nil }
    }
    // Signals were lost with the connection.
    proxy.connection.whenRejoined(self) { [weak self] _ in self?.readAnew() }
  }

  isolated deinit { proxy.connection.forgetRejoin(self) }

  /// Ends the watch. The handler is not called again.
  public func cancel() {
    handler = nil
    retry = nil
    proxy.connection.forgetRejoin(self)
    reading?.cancel()
    service?.cancel()
    changes?.cancel()
  }

  /// Leaves the watch to the connection until it is cancelled or the connection is closed.
  public func keep() { changes?.keep(with: self) }

  private func changed(_ arguments: [Value]) {
    guard arguments.count == 3, let values = arguments[1].properties, let invalidated = arguments[2].array else {
      return
    }
    if !values.isEmpty { handler?(values) }
    if !invalidated.isEmpty { read() }
  }

  private func readAnew() {
    reading = nil
    read()
  }

  /// The pause before a read is repeated that has not reached the service.
  private static let pause = Duration.seconds(5)

  private func read() {
    retry = nil
    guard handler != nil else { return }
    guard reading == nil else {
      mustReadAgain = true
      return
    }
    mustReadAgain = false
    guard let service = service?.owner ?? (proxy.destination.isUnique ? proxy.destination : nil) else { return }
    let message = Message(
      calling: "GetAll", of: .properties, at: proxy.path, on: service, [.string(proxy.interface.rawValue)])
    reading = proxy.connection.call(message, expecting: .variantDictionary) { [weak self] result in
      guard let self else { return }
      reading = nil
      switch result {
      case .success(let values): if let properties = values.first?.properties { handler?(properties) }
      // A service may have an error of its own for its limits.
      case .failure(.refused(let error)) where !error.name.rawValue.hasSuffix(".LimitsExceeded"): break
      case .failure where !proxy.connection.isOpen: break
      case .failure: retry = MainLoop.main.after(Self.pause) { [weak self] in self?.read() }
      }
      if mustReadAgain { read() }
    }
  }
}
