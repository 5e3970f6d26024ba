// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc
import MainLoop

/// A connection to a message bus, served by the main loop.
///
/// Uses a private libdbus connection, so that closing it releases everything that the bus and other services hold for
/// it. ``init(to:)`` blocks until the bus has answered. Nothing else blocks unless documented.
///
/// ```swift
/// let connection = try Connection(to: .session)
/// connection.call(Message(callingBus: "ListNames"), expecting: "as") { result in
///   print((try? result.get())?.first?.array?.count ?? 0, "names")
/// }.keep()
/// MainLoop.main.run()
/// ```
@MainActor public final class Connection {
  /// The unique name that the bus assigned to this connection; ``BusName/unassigned`` until it has.
  public private(set) var uniqueName: BusName
  /// Whether the bus has admitted this connection.
  public var isJoined: Bool { uniqueName != .unassigned }
  /// The objects exported on this connection.
  public let objects = ObjectTree()
  /// Called once when the bus has exited or ended the connection, after all pending calls have failed. Not called after
  /// ``close()``. With ``isToRejoin``, it is called for each loss, before any call fails.
  public var onDisconnected: (() -> Void)?

  /// The maximum number of calls that a destination other than the bus may leave unanswered, including abandoned ones.
  /// Further calls fail immediately (``CallFailure/notSent(_:)``), so that calls to other destinations still succeed.
  /// Nil, the default, leaves the limit to the bus.
  public var unansweredCallLimit: Int? {
    get { replies.limit }
    set { replies.limit = newValue }
  }
  /// Called when a destination, or the bus for it, has answered a call, even one that was abandoned. Only if
  /// ``unansweredCallLimit`` is set.
  public var onAnswer: ((BusName) -> Void)?

  /// The size in bytes of the largest message that is read. Nil, the default, uses D-Bus's own limit.
  ///
  /// A larger message ends the connection at its first bytes. libdbus needs twice a message's size to read it, and
  /// dbus-broker delivers up to 128 MiB. Set this in a process with limited memory that rejoins the bus.
  public var largestMessage: Int? { didSet { limitMessages() } }

  /// Called once the bus has admitted a connection that was opened without waiting for it.
  public var onJoined: (() -> Void)?

  /// Whether the program will call `rejoin()` after losing the connection. Pending calls, and a limited number of new
  /// messages, then wait instead of failing.
  public var isToRejoin = false
  /// Whether a signal may be sent now. An assertion checks this, for programs that must limit their signals.
  public var allowsSignal: () -> Bool = { true }
  /// Called for each message to a single peer, with its size in bytes.
  public var onSent: ((BusName, Int) -> Void)?
  /// Called when the bus has not read anything for ``stallTime`` although data is queued, and again after each further
  /// ``stallTime``.
  public var onStalled: (() -> Void)? { didSet { watchForStall() } }
  /// The time after which a bus counts as stalled.
  public static let stallTime = Duration.seconds(2)

  private(set) var raw: OpaquePointer
  /// Incremented each time the connection is rejoined. Calls received earlier can no longer be answered.
  private(set) var generation: UInt64 = 0
  private let bus: Bus
  private var serverID: String
  /// Messages to be sent once a lost connection has been rejoined.
  private var unsent: [Message] = []
  /// Actions to repeat whenever the connection has been rejoined, in order.
  private var rejoinActions: [(owner: ObjectIdentifier, action: (_ forgetsOwners: Bool) -> Void)] = []
  private var stall: LoopSource?
  /// The number of unread bytes at the last check.
  private var lastOutgoing = 0
  private var lastProgress = MonotonicInstant.origin
  /// When the bus was last seen to read something. Looks again.
  public var progressAt: MonotonicInstant {
    noteProgress(since: lastOutgoing)
    return lastProgress
  }
  let signals = SignalRouter()
  let replies = ReplyRouter()
  private var loop: LoopIntegration?
  private(set) var isOpen = true

  /// The bus to connect to.
  public enum Bus: Hashable, Sendable {
    /// The system bus, or the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
    case system
    /// The user's session bus.
    case session
    /// The bus at a D-Bus address, such as `unix:path=/run/dbus/system_bus_socket`.
    case address(String)

    var address: String {
      switch self {
      case .system: Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
      case .session:
        Self.variable("DBUS_SESSION_BUS_ADDRESS")
          ?? Self.variable("XDG_RUNTIME_DIR").map { "unix:path=\($0)/bus" } ?? "autolaunch:"
      case .address(let address): address
      }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
  }

  /// Connects to a bus. Throws the error reported by the bus or the socket.
  public convenience init(to bus: Bus) throws(DBusError) {
    let connection = try Self.open(bus)
    guard let name = dbus_bus_get_unique_name(connection) else {
      dbus_connection_close(connection)
      dbus_connection_unref(connection)
      throw DBusError(.failed, "The bus has not assigned a name to this connection")
    }
    self.init(connection, bus, BusName(unchecked: String(cString: name)))
  }

  /// Connects to a bus without waiting until it has admitted this connection, which others can delay. Calls may be made
  /// immediately. If the bus refuses, the connection is lost. Blocks only while the queue of the bus's socket is full.
  ///
  /// - Parameters:
  ///   - bus: The bus.
  ///   - name: A well-known name to own, or to wait for in the queue of its owners, from the beginning. The rules of the
  ///     bus about its owner apply in either case.
  /// - Throws: The error of the socket.
  public convenience init(joining bus: Bus, as name: BusName? = nil) throws(DBusError) {
    let address = bus.address
    self.init(try withDBusError { dbus_connection_open_private(address, $0) }, bus, .unassigned)
    call(Message(callingBus: "Hello"), timeout: .never, expecting: "s") { [weak self] result in
      guard let self else { return }
      guard case .success(let values) = result, let name = values.first?.string else {
        if isOpen { dbus_connection_close(raw) }
        return
      }
      uniqueName = BusName(unchecked: name)
      onJoined?()
    }.keep()
    if let name { send(Message(callingBus: "RequestName", [.string(name.rawValue), .uint32(0)])) }
  }

  private init(_ connection: OpaquePointer, _ bus: Bus, _ name: BusName) {
    raw = connection
    self.bus = bus
    serverID = Self.serverID(of: connection)
    uniqueName = name
    serve()
    objects.connection = self
    signals.connection = self
    replies.connection = self
  }

  isolated deinit { close() }

  /// Closes the connection immediately. Queued messages are lost unless ``flush(milliseconds:)`` is called first.
  /// Afterwards, only handlers of calls that could not be sent are called, with a failure.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    onDisconnected = nil
    onJoined = nil
    onStalled = nil
    onSent = nil
    stall = nil
    unsent = []
    signals.removeAll()
    replies.cancelAll()
    objects.removeAll()
    loop?.stop()
    dbus_connection_remove_filter(raw, Self.filter, Unmanaged.passUnretained(self).toOpaque())
    dbus_connection_close(raw)
    dbus_connection_unref(raw)
  }

  /// Whether calls and signals can be sent: neither side has closed the connection.
  public var isConnected: Bool { isOpen && dbus_connection_get_is_connected(raw) != 0 }

  /// The number of bytes queued in this process because the socket is full.
  public var outgoingBytes: Int { isOpen ? Int(dbus_connection_get_outgoing_size(raw)) : 0 }

  /// The number of bytes that the bus has not read, in this process and in the kernel, including some kernel overhead.
  public var untakenBytes: Int {
    guard isOpen else { return 0 }
    var (socket, inKernel): (Int32, Int32) = (-1, 0)
    guard dbus_connection_get_unix_fd(raw, &socket) != 0, ioctl(socket, UInt(TIOCOUTQ), &inKernel) == 0 else {
      return outgoingBytes
    }
    return outgoingBytes + Int(inKernel)
  }

  /// Whether input is waiting that has not been handled.
  public var hasUnread: Bool {
    guard isConnected else { return false }
    return dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS || loop?.hasInput ?? false
  }

  /// Queues a message. Messages are sent in the order of the calls. Has no effect if the connection is lost, unless
  /// ``isToRejoin`` is set.
  public func send(_ message: Message) { _ = post(message) }

  /// Queues a message and returns its serial number, or nil if the connection is lost.
  func post(_ message: Message) -> UInt32? {
    assert(message.kind != .signal || allowsSignal(), "a signal of \(message.member ?? "?") bypasses its gate")
    return queue(message)
  }

  /// Returns why the connection cannot carry the message, or nil if it can: only connections over Unix sockets carry
  /// file descriptors.
  func refusal(of message: Message) -> DBusError? {
    if let refusal = message.refusal { return refusal }
    guard message.hasDescriptors, isOpen else { return nil }
    return dbus_connection_can_send_type(raw, cdbus_type_unix_fd) == 0 ? .noDescriptors : nil
  }

  private func queue(_ message: Message) -> UInt32? {
    guard refusal(of: message) == nil else { return nil }
    guard isConnected else {
      if isOpen, isToRejoin, unsent.count < Self.largestBacklog { unsent.append(message) }
      return nil
    }
    // The size is computed only if a handler needs it, because that visits the whole message.
    let size = onSent == nil && onStalled == nil ? 0 : message.wireSize
    if let onSent, let peer = message.destination, peer.isUnique { onSent(peer, size) }
    var serial: dbus_uint32_t = 0
    if dbus_connection_send(raw, message.raw, &serial) == 0 { fatalError("out of memory") }
    noteProgress(since: lastOutgoing + size)
    watchForStall()
    return serial
  }

  /// Updates ``lastProgress`` if the bus has read something, that is, if fewer bytes are queued than `bytes`. Free space
  /// in the socket proves nothing: under steady traffic, the queue is never seen empty.
  private func noteProgress(since bytes: Int) {
    guard onStalled != nil else { return }
    lastOutgoing = untakenBytes
    if lastOutgoing < bytes { lastProgress = MainLoop.main.clock.monotonic() }
  }

  /// The maximum number of messages waiting for a lost connection.
  private static let largestBacklog = 256

  private func limitMessages() {
    if isOpen, let largestMessage { dbus_connection_set_max_message_size(raw, largestMessage) }
  }

  private func watchForStall() {
    guard stall == nil, onStalled != nil, untakenBytes > 0 else { return }
    let begin = MainLoop.main.clock.monotonic()
    stall = MainLoop.main.after(Self.stallTime) { [weak self] in
      guard let self else { return }
      stall = nil
      if progressAt < begin, lastOutgoing > 0 { onStalled?() }
      watchForStall()
    }
  }

  func whenRejoined(_ owner: AnyObject, _ action: @escaping (_ forgetsOwners: Bool) -> Void) {
    rejoinActions.append((ObjectIdentifier(owner), action))
  }

  /// Drops the actions of an owner. It may be deinitializing, so only its identity is used.
  func forgetRejoin(_ owner: AnyObject) { rejoinActions.removeAll { $0.owner == ObjectIdentifier(owner) } }

  /// Leaves the bus, if the connection is not already lost, and joins it again with a new unique name but the same
  /// objects, matches and handlers. Pending calls are repeated. Calls received earlier can no longer be answered. Names
  /// must be acquired again.
  ///
  /// Blocks until the bus has answered. Returns false, and closes the connection, if a different bus answers at the same
  /// address: no previous peer can be on it, and others may own their names. With `forgettingOwners`, every
  /// ``NameWatch`` reports its owner again, for services that hold state for this connection and have discarded it.
  public func rejoin(forgettingOwners: Bool = false) throws(DBusError) -> Bool {
    guard isOpen else { throw DBusError(.disconnected, "The connection was closed") }
    loop?.stop()
    loop = nil
    stall = nil
    replies.hold()
    // Keep the closed connection until there is a new one, because it can still be queried.
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
      close()
      return false
    }
    signals.rejoin()
    replies.resend()
    let messages = unsent
    unsent = []
    for message in messages { if let message = message.unsent() { _ = queue(message) } }
    for (_, action) in rejoinActions { action(forgettingOwners) }
    return true
  }

  private func serve() {
    // Enabled by default for the well-known buses: libdbus would exit the process silently when the bus exits.
    dbus_connection_set_exit_on_disconnect(raw, 0)
    // Otherwise libdbus itself answers `Peer` calls before they have been admitted.
    dbus_connection_set_route_peer_messages(raw, 1)
    Self.raiseDescriptorLimits(raw)
    limitMessages()
    let this = Unmanaged.passUnretained(self).toOpaque()
    guard dbus_connection_add_filter(raw, Self.filter, this, nil) != 0 else { fatalError("out of memory") }
    loop = LoopIntegration(raw)
  }

  /// The id that distinguishes a bus from another one at the same address.
  private static func serverID(of connection: OpaquePointer) -> String {
    guard let id = dbus_connection_get_server_id(connection) else { return "" }
    defer { dbus_free(id) }
    return String(cString: id)
  }

  /// Blocks until the bus has read everything that was sent, or the time has passed. Intended for the end of a program.
  ///
  /// Writing everything is not enough. If a connection was closed with unread messages, dbus-daemon's next write to it
  /// fails, and the daemon drops everything from that connection that it has not read.
  public func flush(milliseconds: Int32 = 1_000) {
    let end = MainLoop.main.clock.monotonic() + .milliseconds(milliseconds)
    while isConnected, untakenBytes > 0 {
      let left = (end - MainLoop.main.clock.monotonic() + .microseconds(999)).milliseconds
      guard left > 0 else { return }
      if dbus_connection_has_messages_to_send(raw) != 0 {
        dbus_connection_read_write(raw, Int32(left))
      } else {
        // Nothing reports when the bus has read, so check every millisecond.
        poll(nil, 0, 1)
      }
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

  /// Any peer may send file descriptors, which are refused call by call unless the method has them. libdbus leaves the
  /// bus when a message contains more descriptors than its limit (16 by default) or the process runs out of them. The
  /// limit is therefore as high as the kernel allows per message, and while such a message is waiting, no other is
  /// read.
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
    replies.failAll(DBusError(.disconnected, "The connection to the bus was lost"))
    let action = onDisconnected
    onDisconnected = nil
    action?()
  }
}
