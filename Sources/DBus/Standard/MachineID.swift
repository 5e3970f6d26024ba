// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// The machine id, as returned by `Peer.GetMachineId`.
enum MachineID {
  private static var found: String?

  /// Returns the id, which is read once. Throws libdbus's error if there is none.
  static func local() throws(DBusError) -> String {
    if let found { return found }
    let text = try withDBusError { dbus_try_get_local_machine_id($0) }
    defer { dbus_free(text) }
    let id = String(cString: text)
    found = id
    return id
  }
}
