// SPDX-License-Identifier: Apache-2.0
/// One interface of an object that another program exports.
///
/// The program may start, exit and restart. Calls go to the current owner of the name, and only signals from that owner
/// are delivered.
///
/// ```swift
/// let hostname = Proxy(
///   on: try Connection(to: .system), destination: "org.freedesktop.hostname1", path: "/org/freedesktop/hostname1",
///   interface: "org.freedesktop.hostname1")
/// hostname.get("Chassis") { result in print((try? result.get())?.string ?? "unknown") }
/// hostname.call("GetProductUUID", .boolean(false), expecting: "ay") { result in print(result) }
/// ```
public final class Proxy {
  /// The connection on which calls are made.
  public let connection: Connection
  /// The program's well-known or unique name.
  public let destination: BusName
  /// The path of the object.
  public let path: ObjectPath
  /// The interface of the object.
  public let interface: InterfaceName

  /// Creates a proxy without sending anything.
  public init(on connection: Connection, destination: BusName, path: ObjectPath, interface: InterfaceName) {
    self.connection = connection
    self.destination = destination
    self.path = path
    self.interface = interface
  }

  /// Calls a method. The bus starts the service if it can. The handler is called once, asynchronously, unless the
  /// connection is closed first.
  ///
  /// Fails like ``Connection/call(_:timeout:expecting:within:_:)``.
  public func call(
    _ member: MemberName, _ arguments: Value..., timeout: CallTimeout = .standard,
    interactive: Bool = false,
    expecting signature: Signature? = nil, _ handler: @escaping (Result<[Value], CallFailure>) -> Void = { _ in }
  ) {
    call(
      member, of: interface, arguments, timeout: timeout, interactive: interactive, expecting: signature, handler)
  }

  /// Reads a property.
  public func get(_ property: MemberName, _ handler: @escaping (Result<Value, CallFailure>) -> Void) {
    let arguments: [Value] = [.string(interface.rawValue), .string(property.rawValue)]
    call("Get", of: .properties, arguments, expecting: .variant) { result in
      handler(result.map(\.content))
    }
  }

  /// Reads all properties of the interface.
  public func getAll(
    timeout: CallTimeout = .standard, _ handler: @escaping (Result<[String: Value], CallFailure>) -> Void
  ) {
    let arguments: [Value] = [.string(interface.rawValue)]
    call("GetAll", of: .properties, arguments, timeout: timeout, expecting: .variantDictionary) { result in
      handler(result.map { $0.first?.properties ?? [:] })
    }
  }

  /// Writes a property.
  public func set(
    _ property: MemberName, to value: Value, _ handler: @escaping (Result<Void, CallFailure>) -> Void = { _ in }
  ) {
    let arguments: [Value] = [.string(interface.rawValue), .string(property.rawValue), .variant(value)]
    call("Set", of: .properties, arguments, expecting: "") { result in handler(result.map { _ in }) }
  }

  /// Calls the handler for each signal of the interface, or only for signals named `member`.
  public func onSignal(_ member: MemberName? = nil, _ handler: @escaping (Signal) -> Void) -> SignalMatch {
    connection.onSignal(
      MatchRule(sender: destination, path: path, interface: interface, member: member), handler)
  }

  /// Reports property values: all of them when the service is running and after each restart, then those that have
  /// changed. Ends when the returned object is released. Never starts the service.
  public func onProperties(_ handler: @escaping ([String: Value]) -> Void) -> PropertyWatch {
    PropertyWatch(of: self, handler)
  }

  /// Creates a call to a method of this object.
  package func message(
    calling member: MemberName, of interface: InterfaceName, _ arguments: [Value], interactive: Bool = false
  ) -> Message {
    let message = Message(calling: member, of: interface, at: path, on: destination, arguments)
    message.allowsInteractiveAuthorization = interactive
    return message
  }

  private func call(
    _ member: MemberName, of interface: InterfaceName, _ arguments: [Value],
    timeout: CallTimeout = .standard, interactive: Bool = false, expecting signature: Signature?,
    _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) {
    let message = message(calling: member, of: interface, arguments, interactive: interactive)
    connection.call(message, timeout: timeout, expecting: signature, handler).keep()
  }
}

nonisolated extension [Value] {
  /// The content of the variant in a reply to `Get`.
  package var content: Value { if case .variant(let inner)? = first { inner } else { first ?? .structure([]) } }
}

nonisolated extension Result where Failure == CallFailure {
  /// Converts a result. Used by generated code. Fails with `InvalidArgs` if `read` returns nil.
  public func typed<Output>(_ read: (Success) -> Output?) -> Result<Output, CallFailure> {
    flatMap { value in
      guard let output = read(value) else {
        return .failure(.refused(DBusError(.invalidArgs, "The value does not have the declared type")))
      }
      return .success(output)
    }
  }
}
