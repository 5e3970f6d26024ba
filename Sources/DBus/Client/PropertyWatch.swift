// SPDX-License-Identifier: Apache-2.0
/// Watches the properties of a ``Proxy`` until released or cancelled.
public final class PropertyWatch {
  private let proxy: Proxy
  private var handler: (([String: Value]) -> Void)?
  private var changes: SignalMatch?
  private var service: NameWatch?
  private var reading: PendingCall?
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
      self?.reading = nil
      if owner != nil { self?.read() }
    }
  }

  /// Ends the watch. The handler is not called again.
  public func cancel() {
    handler = nil
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

  private func read() {
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
      if case .success(let values) = result, let properties = values.first?.properties { handler?(properties) }
      if mustReadAgain { read() }
    }
  }
}
