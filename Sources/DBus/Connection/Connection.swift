// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc
import MainLoop

/// A connection to a message bus, served by the main loop.
///
/// Always a private one of libdbus's, so that it can be closed, and closing it gives back everything that the bus and
/// other services hold for it. Opening blocks until the bus has answered; nothing after that does.
///
/// ```swift
/// let connection = try Connection(to: .session)
/// connection.call(try Message(callingBus: "ListNames"), expecting: "as") { result in
///   print((try? result.get())?.first?.array?.count ?? 0, "names")
/// }.keep()
/// MainLoop.main.run()
/// ```
@MainActor public final class Connection {
  /// The name that the bus has given to this connection.
  public private(set) var uniqueName: BusName
  /// What is exported here.
  public let objects = ObjectTree()
  /// Called once, when the bus has gone or has thrown this connection out, after all pending calls have failed; not
  /// after ``close()``. With ``isToRejoin``, each time and before any call fails.
  public var onDisconnected: (() -> Void)?

  /// How many calls a destination other than the bus may leave unanswered, given up or not; more fail at once with
  /// `LimitsExceeded`, so that calls to others go on. Nil, which is the default, leaves it to the bus.
  public var unansweredCallLimit: Int? {
    get { replies.limit }
    set { replies.limit = newValue }
  }

  /// The largest message, in bytes, that is still read; nil, which is the default, leaves it at what D-Bus allows.
  ///
  /// The connection is lost over a larger one, at its first bytes. libdbus needs twice a message's size to read it, and
  /// dbus-broker passes on up to 128 MiB: that is for a process that may not become so large, and joins the bus again.
  public var largestMessage: Int? { didSet { limitMessages() } }

  /// Whether the connection is to be joined again with `rejoin()` after it was lost: then calls whose replies have not
  /// come, and a limited number of messages, wait for that instead of failing.
  public var isToRejoin = false
  /// Called for each message to a single peer, with its size in bytes.
  public var onSent: ((BusName, Int) -> Void)?
  /// Called when the bus has taken nothing for ``stallTime`` although something waits for it; again after each such time.
  public var onStalled: (() -> Void)? { didSet { watchForStall() } }
  /// Microseconds.
  public static let stallTime: Int64 = 2_000_000

  private(set) var raw: OpaquePointer
  /// Grows each time that the connection is joined again: a call that came before cannot be answered any more.
  private(set) var generation: UInt64 = 0
  private let bus: Bus
  private var serverID: String
  /// What was to be sent while the connection was lost.
  private var unsent: [Message] = []
  /// What is to be done again whenever the connection was joined again.
  var rejoinActions: [ObjectIdentifier: (_ forgetsOwners: Bool) -> Void] = [:]
  private var stall: LoopSource?
  /// What was on the way to the bus when that was last looked at.
  private var lastOutgoing = 0
  /// When the bus was last seen to take something, in microseconds of the monotonic clock.
  public private(set) var progressAt: Int64 = 0
  let signals = SignalRouter()
  let replies = ReplyRouter()
  private var loop: LoopIntegration?
  private(set) var isOpen = true

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
    guard let name = dbus_bus_get_unique_name(connection) else {
      dbus_connection_close(connection)
      dbus_connection_unref(connection)
      throw DBusError(.failed, "The bus has not given this connection a name")
    }
    raw = connection
    self.bus = bus
    serverID = Self.serverID(of: connection)
    uniqueName = BusName(unchecked: String(cString: name))
    serve()
    objects.connection = self
    signals.connection = self
    replies.connection = self
  }

  isolated deinit { close() }

  /// Leaves the bus at once; messages that are still queued here are lost unless ``flush(milliseconds:)`` is called
  /// before. No handler that was given to this connection is called any more.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    onDisconnected = nil
    onStalled = nil
    onSent = nil
    stall = nil
    unsent = []
    signals.removeAll()
    replies.removeAll()
    objects.removeAll()
    loop?.stop()
    dbus_connection_remove_filter(raw, Self.filter, Unmanaged.passUnretained(self).toOpaque())
    dbus_connection_close(raw)
    dbus_connection_unref(raw)
  }

  /// Whether the bus is still there.
  public var isConnected: Bool { isOpen && dbus_connection_get_is_connected(raw) != 0 }

  /// The bytes that are queued here because the socket has had no room for them yet.
  public var outgoingBytes: Int { isOpen ? Int(dbus_connection_get_outgoing_size(raw)) : 0 }

  /// The bytes that the bus has not taken yet, whether they wait here or in the kernel, which counts some of its own.
  public var untakenBytes: Int {
    guard isOpen else { return 0 }
    var inKernel: Int32 = 0
    if let socket, ioctl(socket, UInt(TIOCOUTQ), &inKernel) != 0 { inKernel = 0 }
    return outgoingBytes + Int(inKernel)
  }

  private var socket: Int32? {
    var socket: Int32 = -1
    return dbus_connection_get_unix_fd(raw, &socket) != 0 ? socket : nil
  }

  /// Whether something has come that nobody here has seen.
  public var hasUnread: Bool {
    guard isConnected else { return false }
    if dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS { return true }
    guard let socket else { return false }
    var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLIN) != 0
  }

  /// Queues a message; what it carries leaves in the order of the calls. Does nothing when the bus has gone.
  public func send(_ message: Message) { _ = post(message) }

  /// Queues a message and returns its serial number, or nil when the bus has gone.
  func post(_ message: Message) -> UInt32? {
    guard isConnected else {
      if isOpen, isToRejoin, unsent.count < Self.largestBacklog { unsent.append(message) }
      return nil
    }
    let size = message.wireSize
    if let onSent, let peer = message.destination, peer.isUnique { onSent(peer, size) }
    noteProgress(since: lastOutgoing)
    let outgoing = lastOutgoing
    var serial: dbus_uint32_t = 0
    if dbus_connection_send(raw, message.raw, &serial) == 0 { fatalError("out of memory") }
    noteProgress(since: outgoing + size)
    watchForStall()
    return serial
  }

  /// Notes whether the bus has taken something, now that there would be so many bytes if it had not. Whether the socket
  /// has room says nothing about that: with steady traffic it is never seen empty.
  private func noteProgress(since bytes: Int) {
    guard onStalled != nil else { return }
    lastOutgoing = untakenBytes
    if lastOutgoing < bytes { progressAt = MainLoop.main.clock.monotonic() }
  }

  /// How many messages wait for a lost connection.
  private static let largestBacklog = 256

  private func limitMessages() {
    if isOpen, let largestMessage { dbus_connection_set_max_message_size(raw, largestMessage) }
  }

  private func watchForStall() {
    guard stall == nil, onStalled != nil, untakenBytes > 0 else { return }
    let begin = MainLoop.main.clock.monotonic()
    stall = MainLoop.main.after(microseconds: Self.stallTime) { [weak self] in
      guard let self else { return }
      stall = nil
      noteProgress(since: lastOutgoing)
      if lastOutgoing > 0, progressAt < begin { onStalled?() }
      watchForStall()
    }
  }

  /// While true, nothing that comes is read, and nothing that has been read is handled.
  public var isPaused = false { didSet { loop?.isPaused = isPaused } }

  /// Leaves the bus, if it has not ended the connection already, and joins it again: with a new unique name, the same
  /// objects, matches and handlers. Calls whose replies have not come are made again; calls to this connection that have
  /// not been answered cannot be answered any more. Names have to be owned again.
  ///
  /// Blocks until the bus has answered. Returns false if this is another bus, on which nobody from before is: then
  /// nothing but the connection itself is made again. With `forgettingOwners`, every ``NameWatch`` tells of a new owner,
  /// for services that keep something for this connection and have lost it.
  public func rejoin(forgettingOwners: Bool = false) throws(DBusError) -> Bool {
    guard isOpen else { throw DBusError(.disconnected, "The connection was closed") }
    loop?.stop()
    loop = nil
    stall = nil
    replies.hold()
    // The old one stays until there is a new one: closed, it can be asked and does nothing.
    dbus_connection_close(raw)
    let connection = try Self.open(bus)
    dbus_connection_remove_filter(raw, Self.filter, Unmanaged.passUnretained(self).toOpaque())
    dbus_connection_unref(raw)
    raw = connection
    uniqueName = dbus_bus_get_unique_name(connection).map { BusName(unchecked: String(cString: $0)) } ?? uniqueName
    generation &+= 1
    let (before, now) = (serverID, Self.serverID(of: connection))
    serverID = now
    serve()
    guard before == now else {
      unsent = []
      return false
    }
    signals.rejoin()
    replies.resend()
    let messages = unsent
    unsent = []
    for message in messages { send(message.isSent ? message.copy() : message) }
    for action in rejoinActions.values { action(forgettingOwners) }
    return true
  }

  private func serve() {
    // On by default for some ways of opening: libdbus would end the process without a word when the bus goes.
    dbus_connection_set_exit_on_disconnect(raw, 0)
    // Otherwise libdbus answers calls of `Peer` itself, before anybody here has let them in.
    dbus_connection_set_route_peer_messages(raw, 1)
    Self.raiseDescriptorLimits(raw)
    limitMessages()
    let this = Unmanaged.passUnretained(self).toOpaque()
    guard dbus_connection_add_filter(raw, Self.filter, this, nil) != 0 else { fatalError("out of memory") }
    loop = LoopIntegration(raw)
    loop?.isPaused = isPaused
  }

  /// By which a bus is told from another one at the same address.
  private static func serverID(of connection: OpaquePointer) -> String {
    guard let id = dbus_connection_get_server_id(connection) else { return "" }
    defer { dbus_free(id) }
    return String(cString: id)
  }

  /// Blocks until everything queued has been written or the time is over; for the end of the program only.
  public func flush(milliseconds: Int32 = 1_000) {
    let end = MainLoop.main.clock.monotonic() + Int64(milliseconds) * 1_000
    while isConnected, dbus_connection_has_messages_to_send(raw) != 0 {
      let left = (end - MainLoop.main.clock.monotonic() + 999) / 1_000
      guard left > 0 else { return }
      dbus_connection_read_write(raw, Int32(left))
    }
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

  /// Any peer may send file descriptors, which this package refuses one by one. libdbus would leave the bus over a
  /// message with more of them than it has room for (16, by default), or when the process has no more to spare: so there
  /// is room for as many as the kernel carries at once, and while one such message waits, no other is read.
  private static func raiseDescriptorLimits(_ connection: OpaquePointer) {
    dbus_connection_set_max_message_unix_fds(connection, 256)
    dbus_connection_set_max_received_unix_fds(connection, 1)
  }

  private static let filter: DBusHandleMessageFunction = { _, message, data in
    guard let message, let data else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue().receive(Message(retaining: message))
    return DBUS_HANDLER_RESULT_HANDLED
  }

  private func receive(_ message: Message) {
    switch message.kind {
    case .call: objects.dispatch(message)
    case .reply, .error: replies.receive(message)
    case .signal where message.isDisconnection: disconnected()
    case .signal: signals.dispatch(message)
    case .other: break
    }
  }

  private func disconnected() {
    guard !isToRejoin else {
      onDisconnected?()
      return
    }
    replies.failAll(DBusError(.disconnected, "The bus has gone"))
    let action = onDisconnected
    onDisconnected = nil
    action?()
  }
}
