// SPDX-License-Identifier: Apache-2.0
import DBus

nonisolated extension ErrorName {
  // libdbus: there is no such bus.
  static let noServer = ErrorName("org.freedesktop.DBus.Error.NoServer")
  static let badAddress = ErrorName("org.freedesktop.DBus.Error.BadAddress")
  // The bus: the service did not start in time.
  static let timedOut = ErrorName("org.freedesktop.DBus.Error.TimedOut")
}
