// SPDX-License-Identifier: Apache-2.0
import DBus

nonisolated extension ErrorName {
  // What libdbus says of a bus that is not there.
  static let noServer = ErrorName("org.freedesktop.DBus.Error.NoServer")
  static let badAddress = ErrorName("org.freedesktop.DBus.Error.BadAddress")
  // What the bus says of a service that it has started in vain.
  static let timedOut = ErrorName("org.freedesktop.DBus.Error.TimedOut")
}
