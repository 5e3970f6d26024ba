// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// A connection to the simulated bus.
class Peer {
  /// Empty until `Hello`.
  var name = ""
  let user: UInt32
  let process: UInt32
  var matches: [Match] = []
  /// The bytes that were sent to the peer and that it has not read. Zero for a peer that reads.
  var unread = 0

  init(user: UInt32, process: UInt32) {
    self.user = user
    self.process = process
  }

  /// Delivers a message to the peer.
  func receive(_ parcel: Parcel) {}
  /// Informs the peer that another one has left.
  func peerLeft(_ name: String) {}
}

/// A connection through a socket: the service, or a client library under test.
final class SocketPeer: Peer {
  let connection: OpaquePointer

  init(_ connection: OpaquePointer, user: UInt32, process: UInt32) {
    self.connection = dbus_connection_ref(connection)
    super.init(user: user, process: process)
  }

  isolated deinit { dbus_connection_unref(connection) }

  override func receive(_ parcel: Parcel) { dbus_connection_send(connection, parcel.encoded().raw, nil) }
}
