// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus

/// Runs a libdbus function that reports failure through a `DBusError` struct and a null result.
nonisolated func withDBusError<Success>(
  _ body: (UnsafeMutablePointer<GeopublicistCDBus.DBusError>) -> Success?
) throws(DBusError) -> Success {
  var error = GeopublicistCDBus.DBusError()
  dbus_error_init(&error)
  let result = body(&error)
  defer { dbus_error_free(&error) }
  if let result { return result }
  guard dbus_error_is_set(&error) != 0, let name = error.name else {
    throw DBusError(.failed, "libdbus reported no error message")
  }
  let message = error.message.map { String(cString: $0) } ?? ""
  throw DBusError(ErrorName(validating: String(cString: name)) ?? .failed, message)
}
