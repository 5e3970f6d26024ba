// SPDX-License-Identifier: Apache-2.0
import DBus
@_exported import GeopublicistContract
import GeopublicistLocationModel

/// Calls the location service on a connection to its bus.
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
  /// The connection to the bus.
  public let connection: Connection
  /// The service's manager object.
  public var manager: Proxy { calls.proxy }
  let calls: Location1Proxy
  // Kept as long as the connection, because every match on the service's name needs its owner immediately.
  private var watch: NameWatch?

  /// Uses an open connection. Does not start the service.
  public init(on connection: Connection) {
    self.connection = connection
    calls = Location1Proxy(on: connection, destination: ServiceContract.service, path: ServiceContract.path)
    watch = NameWatch(ServiceContract.service, on: connection) { [weak self] owner in self?.onPresence?(owner != nil) }
  }

  /// Connects to a bus, and blocks until the bus has answered.
  public convenience init(to bus: Connection.Bus) throws(DBusError) { self.init(on: try Connection(to: bus)) }

  /// Called with true when the service appears or is running already, and with false when it exits.
  public var onPresence: ((Bool) -> Void)?

  func proxy(_ path: ObjectPath, _ interface: InterfaceName) -> Proxy {
    Proxy(on: connection, destination: ServiceContract.service, path: path, interface: interface)
  }

  /// Requests one location; the bus starts the service if necessary.
  ///
  /// Fails with `CallFailure.refused` for the contract's errors, and for `ServiceUnknown` if the service is not
  /// installed; with `CallFailure.lost` 10 s after the timeout of the options.
  public func location(_ options: ClientOptions, _ handler: @escaping (Result<ServiceLocation, CallFailure>) -> Void) {
    calls.getLocation(options: options.value(ClientOption.ofRequest), timeout: Self.patience(options)) { result in
      handler(
        result.printable.flatMap { value in
          guard let location = ServiceLocation(value) else {
            return .failure(.refused(DBusError(.failed, "The service answered without a location")))
          }
          return .success(location)
        })
    }
  }

  /// Requests the authorization of this connection, and delivers the status and the reason in the contract's words, or
  /// `unknown`.
  ///
  /// The answer holds for this connection only; make the calls that need it on the same one. An interactive call, in
  /// which the user may be asked, is answered within 120 s.
  public func requestAuthorization(
    _ options: ClientOptions, isInteractive: Bool,
    _ handler: @escaping (Result<(status: String, reason: String), CallFailure>) -> Void
  ) {
    calls.requestAuthorization(
      options: options.value(ClientOption.ofAuthorization), timeout: .milliseconds(130_000), interactive: isInteractive
    ) { result in
      handler(
        result.printable.map { answer in
          (
            ContractWord.read(answer.status, as: AuthorizationStatus.self),
            ContractWord.read(answer.reason, as: AuthorizationReason.self)
          )
        })
    }
  }

  /// Calls a method of the manager object; an error has a printable message.
  package func call(
    _ member: MemberName, expecting signature: Signature, _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) {
    manager.call(member, expecting: signature) { handler($0.printable) }
  }

  /// Reads a property of the manager object, as in ``onProperties(_:)``.
  package func get(_ property: MemberName, _ handler: @escaping (Result<String, CallFailure>) -> Void) {
    manager.get(property) { result in
      handler(result.printable.map { [property.rawValue: $0].received[property.rawValue]?.string ?? "" })
    }
  }

  /// Follows the properties of the manager object like ``Proxy/onProperties(_:)``. The contract's words are known ones
  /// or `unknown`, and other texts are printable.
  package func onProperties(_ handler: @escaping ([String: Value]) -> Void) -> PropertyWatch {
    manager.onProperties { handler($0.received) }
  }
}
