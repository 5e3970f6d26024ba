// SPDX-License-Identifier: Apache-2.0
import DBus
@_exported import GeopublicistContract
import GeopublicistLocationModel

/// A connection to the bus of the location service, with the calls of the service's contract.
///
/// ```swift
/// let service = try ServiceConnection(to: .system)
/// var options = ClientOptions()
/// options.accuracy = .city
/// service.location(options) { result in
///   if let location = try? result.get().location { print(location.latitude, location.longitude) }
/// }
/// ```
@MainActor public final class ServiceConnection {
  /// The connection itself.
  public let connection: Connection
  /// The service's manager object.
  public let manager: Proxy
  // Kept for the whole time: each match with the service's name needs to know its owner at once.
  private var watch: NameWatch?

  /// Uses a connection that is open; sends nothing yet that starts the service.
  public init(on connection: Connection) {
    self.connection = connection
    manager = Proxy(
      on: connection, destination: ServiceContract.service, path: ServiceContract.path,
      interface: ServiceContract.manager)
    watch = NameWatch(ServiceContract.service, on: connection) { [weak self] owner in self?.onPresence?(owner != nil) }
  }

  /// Connects to a bus; blocks until that has answered.
  public convenience init(to bus: Connection.Bus) throws(DBusError) { self.init(on: try Connection(to: bus)) }

  /// Called when the service has come (true) or gone (false), also for one that is there already.
  public var onPresence: ((Bool) -> Void)?

  /// An object of this connection.
  func proxy(_ path: ObjectPath, _ interface: InterfaceName) -> Proxy {
    Proxy(on: connection, destination: ServiceContract.service, path: path, interface: interface)
  }

  /// Requests one location; the bus starts the service if it has to.
  public func location(
    _ options: ClientOptions, _ handler: @escaping (Result<ServiceLocation, DBusError>) -> Void
  ) {
    // The service's own answer to the timeout comes first and says more than libdbus would.
    let patience = CallTimeout.milliseconds(Int32(clamping: Int64(options.timeout) + 10_000))
    manager.call(
      "GetLocation", options.value(ClientOption.ofRequest), timeout: patience, expecting: .variantDictionary
    ) { result in
      handler(
        result.flatMap { values in
          guard let location = values.first.flatMap(ServiceLocation.init) else {
            return .failure(DBusError(.failed, "The service answered without a location"))
          }
          return .success(location)
        })
    }
  }

  /// Decides for this connection, and delivers the status and the reason in the contract's words.
  ///
  /// The answer holds for this connection: the calls that need it must be made on the same one.
  ///
  /// - Parameters:
  ///   - options: What the authorization is for: the level and the desktop id.
  ///   - isInteractive: Whether the user may be asked; an interactive call is answered within 120 s.
  ///   - handler: Called once.
  public func requestAuthorization(
    _ options: ClientOptions, isInteractive: Bool,
    _ handler: @escaping (Result<(status: String, reason: String), DBusError>) -> Void
  ) {
    manager.call(
      "RequestAuthorization", options.value(ClientOption.ofAuthorization), timeout: .milliseconds(130_000),
      interactive: isInteractive, expecting: "ss"
    ) { result in
      handler(
        result.map { values in
          let texts = values.compactMap(\.string)
          return (texts.first ?? "", texts.last ?? "")
        })
    }
  }
}
