// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCDBus
import GeopublicistSimulatedKernel
import Glibc

/// A message bus in this process, on this thread.
///
/// Programs under test connect through libdbus's own server; the programs of the world are peers without a socket. The
/// bus works only in its turns, which the world starts.
final class SimulatedBus {
  /// Called with each message that the bus accepts, before it is delivered.
  var onParcel: (Parcel, Peer) -> Void = { _, _ in }
  /// Called when a program needs a service that is not running.
  var onActivation: (String) -> Void = { _ in }
  /// Called with a reply to a call that is not pending.
  var onStrayReply: (Parcel, Peer) -> Void = { _, _ in }
  var activatable: Set<String> = []
  private var entrances: [Entrance] = []
  /// Whether too much waits for the service, so that broadcasts to it are dropped, as by dbus-daemon.
  var dropsBroadcasts = false
  /// Whether the bus has exited.
  private(set) var isDown = false
  /// Called once, when a program is about to release a name.
  var onRelease: (() -> Void)?
  /// Called once, when a program under test has been told all names.
  var onList: (() -> Void)?
  /// The names about which the next look-up of a program under test is answered too late, as by a busy bus.
  var answersLate: Set<String> = []
  /// Called when a name no longer has an owner.
  var onNameLost: (String) -> Void = { _ in }
  private(set) var stall = Stall.none
  private var watches: [OpaquePointer] = []
  private(set) var peers: [String: Peer] = [:]
  private var unnamed: [SocketPeer] = []
  private(set) var owners: [String: String] = [:]
  /// Stands for a process that has not exited: never readable.
  let aliveProcess = OwnedDescriptor(owning: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
  /// Stands for a process that has exited: always readable.
  let exitedProcess: OwnedDescriptor = {
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    close(ends[1])
    return OwnedDescriptor(owning: ends[0])
  }()
  private var lastNumber = 0
  private var lastSerial: UInt32 = 0
  /// Calls without a reply.
  private(set) var pending: [Call: String] = [:]
  /// Whether it stands for the buses of a system and of a session.
  var areTwo = false
  /// Messages for services that are being started.
  private var waiting: [String: [(parcel: Parcel, sender: Peer)]] = [:]

  nonisolated struct Call: Hashable, Comparable {
    let caller: String
    let serial: UInt32
    static func < (left: Call, right: Call) -> Bool { (left.caller, left.serial) < (right.caller, right.serial) }
  }

  nonisolated enum Stall: Equatable {
    case none
    /// The bus neither reads nor writes.
    case hangs
    /// The bus reads nothing from one connection.
    case ignores(String)
  }

  static let name = "org.freedesktop.DBus"

  /// Creates a socket for a program under test. Returns its address.
  func listen(
    at path: String, user: UInt32, process: UInt32, isOfSystemBus: Bool = false,
    onJoin: @escaping (SocketPeer) -> Void = { _ in }
  ) -> String {
    let entrance = Entrance(
      self, path, user: user, process: process, isOfSystemBus: isOfSystemBus, onJoin: onJoin)
    entrances.append(entrance)
    entrance.open()
    return entrance.address
  }

  func serve(_ server: OpaquePointer, _ entrance: UnsafeMutableRawPointer) {
    let this = Unmanaged.passUnretained(self).toOpaque()
    dbus_server_set_watch_functions(server, Self.addWatch, Self.removeWatch, { _, _ in }, this, nil)
    dbus_server_set_new_connection_function(
      server,
      { _, connection, data in
        guard let connection, let data else { return }
        let entrance = Unmanaged<Entrance>.fromOpaque(data).takeUnretainedValue()
        entrance.bus.accept(connection, entrance)
      }, entrance, nil)
  }

  /// Ends all connections to programs under test, and then the bus.
  func exit() {
    (isDown, isHidden) = (true, false)
    stall = .none
    for peer in sockets { peer.close() }
    for entrance in entrances { entrance.close() }
    (peers, named, unnamed, owners, pending, waiting) = ([:], [], [], [:], [:], [:])
  }

  /// Begins again as another bus, which assigns the same unique names as the first one.
  func start() {
    (isDown, lastNumber) = (false, 0)
    for entrance in entrances { entrance.open() }
  }

  /// Whether no further connection of the service can be opened.
  var isHidden = false {
    didSet { for entrance in entrances where isHidden != oldValue { entrance.hide(isHidden) } }
  }

  func stall(_ new: Stall) {
    stall = new
    if new == .none { for peer in socketPeers { peer.receiveHeld() } }
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> SimulatedBus? {
    data.map { Unmanaged<SimulatedBus>.fromOpaque($0).takeUnretainedValue() }
  }

  private static let addWatch: DBusAddWatchFunction = { watch, data in
    guard let watch else { return 0 }
    SimulatedBus.from(data)?.watches.append(watch)
    return 1
  }
  private static let removeWatch: DBusRemoveWatchFunction = { watch, data in
    SimulatedBus.from(data)?.watches.removeAll { $0 == watch }
  }

  func accept(_ connection: OpaquePointer, _ entrance: Entrance) {
    let peer = SocketPeer(connection, entrance)
    unnamed.append(peer)
    let this = Unmanaged.passUnretained(self).toOpaque()
    dbus_connection_set_watch_functions(connection, Self.addWatch, Self.removeWatch, { _, _ in }, this, nil)
    dbus_connection_set_route_peer_messages(connection, 1)
    dbus_connection_add_filter(
      connection,
      { connection, raw, data in
        if let connection, let raw { SimulatedBus.from(data)?.received(raw, on: connection) }
        return DBUS_HANDLER_RESULT_HANDLED
      }, this, nil)
  }

  /// Reads and writes as much as the sockets permit. Returns whether there was anything to do.
  ///
  /// - Parameter includesIgnored: Whether it also reads from the connection that it ignores.
  @discardableResult
  func turn(includesIgnored: Bool = false) -> Bool {
    if stall == .hangs { return false }
    var ignored: Int32 = -1
    if !includesIgnored, case .ignores(let name) = stall, let peer = peers[name] as? SocketPeer {
      dbus_connection_get_unix_fd(peer.connection, &ignored)
    }
    var polled = watches.filter { dbus_watch_get_enabled($0) != 0 && dbus_watch_get_unix_fd($0) != ignored }
    var descriptors = polled.map { watch in
      let flags = dbus_watch_get_flags(watch)
      let readable = flags & DBUS_WATCH_READABLE.rawValue != 0 ? POLLIN : 0
      let writable = flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? POLLOUT : 0
      return pollfd(fd: dbus_watch_get_unix_fd(watch), events: Int16(readable | writable), revents: 0)
    }
    guard kernel_poll(&descriptors, UInt(descriptors.count)) > 0 else { return false }
    for (index, descriptor) in descriptors.enumerated() where descriptor.revents != 0 {
      let watch = polled[index]
      guard watches.contains(watch) else { continue }
      var flags: UInt32 = 0
      if descriptor.revents & Int16(POLLIN) != 0 { flags |= DBUS_WATCH_READABLE.rawValue }
      if descriptor.revents & Int16(POLLOUT) != 0 { flags |= DBUS_WATCH_WRITABLE.rawValue }
      if descriptor.revents & Int16(POLLHUP) != 0 { flags |= DBUS_WATCH_HANGUP.rawValue }
      if descriptor.revents & Int16(POLLERR) != 0 { flags |= DBUS_WATCH_ERROR.rawValue }
      dbus_watch_handle(watch, flags)
    }
    polled = []
    for peer in sockets { while dbus_connection_dispatch(peer.connection) == DBUS_DISPATCH_DATA_REMAINS {} }
    return true
  }

  /// In the order of their numbers.
  private var sockets: [SocketPeer] {
    unnamed + named.compactMap { $0 as? SocketPeer }
  }

  /// All peers, in the order of their numbers.
  private(set) var named: [Peer] = []

  private func received(_ raw: OpaquePointer, on connection: OpaquePointer) {
    guard let peer = sockets.first(where: { $0.connection == connection }) else { return }
    if dbus_message_is_signal(raw, "org.freedesktop.DBus.Local", "Disconnected") != 0 { return left(peer) }
    guard let parcel = Parcel(raw) else { return }
    if peer.name.isEmpty {
      guard parcel.member == "Hello" else { return }
      unnamed.removeAll { $0 === peer }
      join(peer)
      parcel.sender = peer.name
      answer(parcel, [.string(peer.name)])
      announce(peer.name, from: "", to: peer.name)
      return peer.entrance.onJoin(peer)
    }
    send(parcel, from: peer)
  }

  // MARK: - Peers

  /// Gives a peer its unique name.
  func join(_ peer: Peer) {
    lastNumber += 1
    peer.name = ":1.\(lastNumber)"
    peers[peer.name] = peer
    named.append(peer)
  }

  /// Connects a program of the world.
  func connect(_ peer: Peer) {
    join(peer)
    announce(peer.name, from: "", to: peer.name)
  }

  /// Ends a connection.
  func left(_ peer: Peer) {
    unnamed.removeAll { $0 === peer }
    guard peers[peer.name] === peer else { return }
    for name in owners.filter({ $0.value == peer.name }).keys.sorted() { release(name, peer) }
    peers[peer.name] = nil
    named.removeAll { $0 === peer }
    peer.matches = []
    for (call, callee) in pending.sorted(by: { $0.key < $1.key }) {
      if call.caller == peer.name {
        pending[call] = nil
      } else if callee == peer.name {
        pending[call] = nil
        let error = Parcel(.error, [.string("Message recipient disconnected from message bus without replying")])
        (error.errorName, error.replySerial) = ("org.freedesktop.DBus.Error.NoReply", call.serial)
        deliver(error, to: call.caller)
      }
    }
    for other in named { other.peerLeft(peer.name) }
    announce(peer.name, from: peer.name, to: "")
    (peer as? SocketPeer)?.close()
  }

  /// Makes a peer the owner of a name. Returns `RequestName`'s answer.
  @discardableResult
  func own(_ name: String, _ peer: Peer, replaces: Bool = false) -> UInt32 {
    let before = owners[name]
    if before == peer.name { return 4 }
    if before != nil, !replaces { return 3 }
    owners[name] = peer.name
    announce(name, from: before ?? "", to: peer.name)
    for (parcel, sender) in waiting.removeValue(forKey: name) ?? [] {
      if parcel.member == "StartServiceByName", parcel.destination == Self.name {
        answer(parcel, [.uint32(1)])
      } else if peers[sender.name] === sender {
        forward(parcel, from: sender, to: peer)
      }
    }
    return 1
  }

  func release(_ name: String, _ peer: Peer) {
    guard owners[name] == peer.name else { return }
    owners[name] = nil
    announce(name, from: peer.name, to: "")
    onNameLost(name)
  }

  private func announce(_ name: String, from old: String, to new: String) {
    let signal = Parcel(.signal, [.string(name), .string(old), .string(new)])
    (signal.path, signal.interface, signal.member) = ("/org/freedesktop/DBus", Self.name, "NameOwnerChanged")
    signal.sender = Self.name
    broadcast(signal)
  }

  /// The connections of the programs under test.
  var socketPeers: [SocketPeer] { named.compactMap { $0 as? SocketPeer } }

  // MARK: - Messages

  func nextSerial() -> UInt32 {
    lastSerial += 1
    return lastSerial
  }

  /// Takes a message from a peer.
  func send(_ parcel: Parcel, from peer: Peer) {
    guard peers[peer.name] === peer else { return }
    parcel.sender = peer.name
    onParcel(parcel, peer)
    switch parcel.kind {
    case .reply, .error:
      guard let destination = parcel.destination else { return }
      // A reply to a call that is not pending is dropped.
      let call = Call(caller: destination, serial: parcel.replySerial)
      guard pending.removeValue(forKey: call) == peer.name else { return onStrayReply(parcel, peer) }
      peers[destination]?.receive(parcel)
    case .signal:
      if let destination = parcel.destination {
        (peers[destination] ?? owners[destination].flatMap { peers[$0] })?.receive(parcel)
      } else {
        broadcast(parcel)
      }
    case .call:
      guard let destination = parcel.destination, destination != Self.name else { return called(parcel, by: peer) }
      let receiver = peers[destination] ?? owners[destination].flatMap { peers[$0] }
      if let receiver, isReachable(receiver, from: peer) {
        forward(parcel, from: peer, to: receiver)
      } else if receiver == nil, parcel.startsService, activatable.contains(destination) {
        activate(destination, parcel, peer)
      } else {
        let isUnique = destination.hasPrefix(":")
        refuse(
          parcel, isUnique || !parcel.startsService ? "NameHasNoOwner" : "ServiceUnknown", "There is no \(destination)")
      }
    }
  }

  private func forward(_ parcel: Parcel, from sender: Peer, to receiver: Peer) {
    if parcel.wantsReply { pending[Call(caller: sender.name, serial: parcel.serial)] = receiver.name }
    receiver.receive(parcel)
  }

  func activate(_ name: String, _ parcel: Parcel, _ peer: Peer) {
    let isFirst = waiting[name] == nil
    waiting[name, default: []].append((parcel, peer))
    if isFirst { onActivation(name) }
  }

  /// Informs all callers that a service could not be started.
  func activationFailed(_ name: String, _ error: String) {
    for (parcel, _) in waiting.removeValue(forKey: name) ?? [] { refuse(parcel, error, "\(name) could not be started") }
  }

  /// Whether messages of one program reach another. If there are two buses, only names and their owners are known on both.
  private func isReachable(_ peer: Peer, from other: Peer) -> Bool {
    !areTwo || peer.isOnSystemBus == other.isOnSystemBus
  }

  private func broadcast(_ parcel: Parcel) {
    let sender = peers[parcel.sender]
    for peer in named where peer.matches.contains(where: { $0.matches(parcel, owners) }) {
      if let sender, !isReachable(peer, from: sender) { continue }
      if dropsBroadcasts, peer.isService { continue }
      peer.receive(parcel)
    }
  }

  func answer(_ call: Parcel, _ values: [Value]) {
    let reply = Parcel(.reply, values)
    reply.replySerial = call.serial
    deliver(reply, to: call.sender)
  }

  func refuse(_ call: Parcel, _ error: String, _ text: String) {
    let reply = Parcel(.error, [.string(text)])
    (reply.errorName, reply.replySerial) = ("org.freedesktop.DBus.Error.\(error)", call.serial)
    deliver(reply, to: call.sender)
  }

  /// Delivers a message of the bus itself.
  private func deliver(_ parcel: Parcel, to name: String) {
    (parcel.sender, parcel.destination, parcel.serial) = (Self.name, name, nextSerial())
    parcel.wantsReply = false
    peers[name]?.receive(parcel)
  }
}
