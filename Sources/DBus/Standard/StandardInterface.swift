// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// Answers calls to the interfaces that every object has.
enum StandardInterface {
  /// Answers the call if it is for `Peer`, which exists at every path.
  static func handlePeer(_ call: MethodCall) throws(DBusError) -> Bool {
    guard call.interface == .peer else { return false }
    switch call.member {
    case "Ping":
      try read(call, expecting: "", returning: "")
      call.reply()
    case "GetMachineId":
      try read(call, expecting: "", returning: "s")
      call.reply(.string(try localMachineID()))
    default: throw unknownMethod(call)
    }
    return true
  }

  /// Answers the call if it is for another standard interface.
  static func handle(_ call: MethodCall, object: ExportedObject?, children: () -> [String]) throws(DBusError) -> Bool {
    switch (call.interface, call.member) {
    case (.introspectable, "Introspect"), (nil, "Introspect"):
      try read(call, expecting: "", returning: "s")
      call.reply(.string(IntrospectionData.document(interfaces: object?.interfaces ?? [], children: children())))
    case (.properties, "Get"), (nil, "Get"):
      try read(call, expecting: "ss", returning: "v")
      try Properties.get(call, of: object)
    case (.properties, "GetAll"), (nil, "GetAll"):
      try read(call, expecting: "s", returning: "a{sv}")
      try Properties.getAll(call, of: object)
    case (.properties, "Set"), (nil, "Set"):
      try read(call, expecting: "ssv", returning: "")
      try Properties.set(call, on: object)
    case (.introspectable, _), (.properties, _): throw unknownMethod(call)
    default:
      return false
    }
    return true
  }

  private static var machineID: String?

  /// Returns the machine id, which is read once. Throws libdbus's error if there is none.
  private static func localMachineID() throws(DBusError) -> String {
    if let machineID { return machineID }
    let text = try withDBusError { dbus_try_get_local_machine_id($0) }
    defer { dbus_free(text) }
    let id = String(cString: text)
    machineID = id
    return id
  }

  private static func unknownMethod(_ call: MethodCall) -> DBusError {
    DBusError(.unknownMethod, "This interface has no method \(call.member)")
  }

  private static func read(
    _ call: MethodCall, expecting signature: String, returning outputs: String
  ) throws(DBusError) {
    guard call.signature == signature else {
      throw DBusError(
        .invalidArgs, "\(call.member) takes arguments with the signature '\(signature)', not '\(call.signature)'")
    }
    try call.readArguments()
    call.outputs = outputs
  }
}
