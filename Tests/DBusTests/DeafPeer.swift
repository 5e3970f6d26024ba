// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import GeopublicistTestSupport
import Testing

@testable import DBus

/// A connection that no main loop serves, so that it reads nothing.
final class DeafPeer {
  private let raw: OpaquePointer
  let uniqueName: BusName

  init(_ bus: PrivateBus) throws {
    raw = try #require(dbus_connection_open_private(bus.address, nil))
    dbus_connection_set_exit_on_disconnect(raw, 0)
    dbus_bus_register(raw, nil)
    uniqueName = BusName(unchecked: String(cString: try #require(dbus_bus_get_unique_name(raw))))
  }

  func close() { dbus_connection_close(raw) }

  isolated deinit {
    close()
    dbus_connection_unref(raw)
  }
}
