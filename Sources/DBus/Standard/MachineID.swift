// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// The number of this machine, as `Peer.GetMachineId` tells it.
enum MachineID {
  private static var found: String?

  /// Read once; throws what libdbus says if there is none.
  static func local() throws(DBusError) -> String {
    if let found { return found }
    let text = try withDBusError { dbus_try_get_local_machine_id($0) }
    defer { dbus_free(text) }
    let id = String(cString: text)
    found = id
    return id
  }
}
