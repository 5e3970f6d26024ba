// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

extension Connection {
  /// Acquires a well-known name. Blocks until the bus has answered, so call it at the start of a program.
  ///
  /// Throws if the bus refuses or another connection owns the name. The request is never queued.
  ///
  /// - Parameters:
  ///   - name: The name, such as `org.example.Counter`.
  ///   - isReplaceable: Whether other programs that the bus policy allows to own the name may take it over.
  ///   - replaces: Whether to take over the name from a replaceable owner.
  public func own(_ name: BusName, isReplaceable: Bool = false, replaces: Bool = false) throws(DBusError) {
    var flags = DBUS_NAME_FLAG_DO_NOT_QUEUE
    if isReplaceable { flags |= DBUS_NAME_FLAG_ALLOW_REPLACEMENT }
    if replaces { flags |= DBUS_NAME_FLAG_REPLACE_EXISTING }
    let message = Message(callingBus: "RequestName", [.string(name.rawValue), .uint32(UInt32(flags))])
    let answer = try callBlocking(message).first?.uint32.flatMap(Int32.init(exactly:))
    guard answer == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER || answer == DBUS_REQUEST_NAME_REPLY_ALREADY_OWNER else {
      throw DBusError(.failed, "The name \(name) is already owned by another connection")
    }
  }

  /// Releases a name without waiting for the answer.
  public func release(_ name: BusName) {
    if isConnected { send(Message(callingBus: "ReleaseName", [.string(name.rawValue)])) }
  }

  /// Releases a name. `done` is called once the bus has answered. By then, all messages that were sent to the name have
  /// arrived.
  public func release(_ name: BusName, then done: @escaping () -> Void) -> PendingCall {
    call(Message(callingBus: "ReleaseName", [.string(name.rawValue)])) { _ in done() }
  }
}
