// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc

/// A connection to the simulated bus.
class Peer {
  /// Empty until `Hello`.
  var name = ""
  let user: UInt32
  let process: UInt32
  /// Whether the process that opened the connection has exited. Another one uses it now, and a third one has the id.
  var hasLostProcess = false
  var matches: [Match] = []
  /// The bytes that were sent to the peer since its last call and that it has not read. Zero for a peer that reads.
  var unread = 0
  /// The bytes that the service has sent to the peer since its last answer to a ping.
  var unproven = 0
  /// The same before its last answer, and when that was. The service may not have read the answer yet.
  var proven: (bytes: Int, at: Int64) = (0, .min / 2)
  /// Whether a ping to it is unanswered.
  var owesAnswer = false

  init(user: UInt32, process: UInt32) {
    self.user = user
    self.process = process
  }

  /// Whether it is a connection of the service.
  var isService: Bool { false }
  /// Whether it is on the system bus if the service uses two buses.
  var isOnSystemBus: Bool { false }

  /// Delivers a message to the peer.
  func receive(_ parcel: Parcel) {}
  /// Informs the peer that another one has left.
  func peerLeft(_ name: String) {}
}

/// A program under test, the service or one that uses the client library: its socket, and the user as which it
/// connects.
final class Entrance {
  unowned let bus: SimulatedBus
  let path: String
  let user: UInt32
  let process: UInt32
  let isOfSystemBus: Bool
  /// Called with each connection that has a name.
  let onJoin: (SocketPeer) -> Void
  private var server: OpaquePointer?

  init(
    _ bus: SimulatedBus, _ path: String, user: UInt32, process: UInt32, isOfSystemBus: Bool,
    onJoin: @escaping (SocketPeer) -> Void
  ) {
    (self.bus, self.path, self.user, self.process, self.onJoin) = (bus, path, user, process, onJoin)
    self.isOfSystemBus = isOfSystemBus
  }

  var address: String { "unix:path=\(path)" }

  func open() {
    guard let server = dbus_server_listen(address, nil) else { fatalError("cannot listen on \(address)") }
    self.server = server
    bus.serve(server, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Moves the socket away, or back.
  func hide(_ hides: Bool) {
    guard process == 0 else { return }
    let hidden = path + ".hidden"
    rename(hides ? path : hidden, hides ? hidden : path)
  }

  func close() {
    dbus_server_disconnect(server)
    dbus_server_unref(server)
    server = nil
  }
}

/// A connection through a socket.
final class SocketPeer: Peer {
  let connection: OpaquePointer
  let entrance: Entrance
  /// The messages that wait while the bus hangs.
  private var held: [Parcel] = []
  /// The serial numbers of the messages so far.
  var serials: Set<UInt32> = []

  init(_ connection: OpaquePointer, _ entrance: Entrance) {
    self.connection = dbus_connection_ref(connection)
    self.entrance = entrance
    super.init(user: entrance.user, process: entrance.process)
  }

  isolated deinit { dbus_connection_unref(connection) }

  override var isService: Bool { process == 0 }
  override var isOnSystemBus: Bool { entrance.isOfSystemBus }

  override func receive(_ parcel: Parcel) {
    if entrance.bus.stall == .hangs { return held.append(parcel) }
    dbus_connection_send(connection, parcel.encoded().raw, nil)
  }

  func receiveHeld() {
    let parcels = held
    held = []
    for parcel in parcels { receive(parcel) }
  }

  func close() {
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_close(connection)
  }
}
