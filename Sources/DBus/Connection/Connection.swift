import CDBus
import MainLoop

/// A connection to a message bus, served by the main loop.
///
/// Always a private one of libdbus's, so that it can be closed, and closing it gives back everything that the bus and
/// other services hold for it. Opening blocks until the bus has answered; nothing after that does.
@MainActor public final class Connection {
  /// The name that the bus has given to this connection.
  public let uniqueName: BusName
  /// What is exported here.
  public let objects = ObjectTree()
  /// Called once, when the bus has gone or has thrown this connection out; not after ``close()``.
  public var onDisconnected: (() -> Void)?

  let raw: OpaquePointer
  let signals = SignalRouter()
  private var loop: LoopIntegration?
  private var isOpen = true

  /// Which bus to connect to.
  public enum Bus: Hashable, Sendable {
    /// The system bus, or what `DBUS_SYSTEM_BUS_ADDRESS` names.
    case system
    /// The bus of the user's session.
    case session
    /// The bus at a D-Bus address, such as `unix:path=/run/dbus/system_bus_socket`.
    case address(String)
  }

  /// Connects and says hello; throws what the bus or the socket says.
  public init(to bus: Bus) throws(DBusError) {
    let connection = try Self.open(bus)
    // On by default for some ways of opening: libdbus would end the process without a word when the bus goes.
    dbus_connection_set_exit_on_disconnect(connection, 0)
    guard let name = dbus_bus_get_unique_name(connection) else {
      throw DBusError(.failed, "The bus has not given this connection a name")
    }
    raw = connection
    uniqueName = BusName(unchecked: String(cString: name))
    let this = Unmanaged.passUnretained(self).toOpaque()
    guard dbus_connection_add_filter(raw, Self.filter, this, nil) != 0 else { fatalError("out of memory") }
    loop = LoopIntegration(raw)
    objects.connection = self
    signals.connection = self
  }

  isolated deinit { close() }

  /// Leaves the bus at once; messages that are still queued here are lost unless ``flush()`` is called before.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    onDisconnected = nil
    signals.removeAll()
    objects.removeAll()
    loop?.stop()
    dbus_connection_remove_filter(raw, Self.filter, Unmanaged.passUnretained(self).toOpaque())
    dbus_connection_close(raw)
    dbus_connection_unref(raw)
  }

  /// Whether the bus is still there.
  public var isConnected: Bool { isOpen && dbus_connection_get_is_connected(raw) != 0 }

  /// The bytes that are queued here because the bus has not taken them yet.
  public var outgoingBytes: Int { isOpen ? Int(dbus_connection_get_outgoing_size(raw)) : 0 }

  /// Queues a message; what it carries leaves in the order of the calls.
  public func send(_ message: Message) {
    guard isOpen else { return }
    if dbus_connection_send(raw, message.raw, nil) == 0 { fatalError("out of memory") }
  }

  /// Blocks until everything queued has been written; for the end of the program only.
  public func flush() {
    if isOpen { dbus_connection_flush(raw) }
  }

  private static func open(_ bus: Bus) throws(DBusError) -> OpaquePointer {
    switch bus {
    case .system: return try withDBusError { dbus_bus_get_private(DBUS_BUS_SYSTEM, $0) }
    case .session: return try withDBusError { dbus_bus_get_private(DBUS_BUS_SESSION, $0) }
    case .address(let address):
      let connection = try withDBusError { dbus_connection_open_private(address, $0) }
      do throws(DBusError) {
        dbus_connection_set_exit_on_disconnect(connection, 0)
        _ = try withDBusError { dbus_bus_register(connection, $0) != 0 ? connection : nil }
      } catch {
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
        throw error
      }
      return connection
    }
  }

  private static let filter: DBusHandleMessageFunction = { _, message, data in
    guard let message, let data else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    return Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue().receive(Message(retaining: message))
  }

  private func receive(_ message: Message) -> DBusHandlerResult {
    switch message.kind {
    case .call:
      objects.dispatch(message)
      return DBUS_HANDLER_RESULT_HANDLED
    case .signal:
      if dbus_connection_get_is_connected(raw) == 0 {
        disconnected()
      } else {
        signals.dispatch(message)
      }
      return DBUS_HANDLER_RESULT_HANDLED
    default:
      return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
    }
  }

  private func disconnected() {
    let action = onDisconnected
    onDisconnected = nil
    action?()
  }
}
