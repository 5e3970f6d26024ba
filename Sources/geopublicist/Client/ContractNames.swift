// SPDX-License-Identifier: Apache-2.0
import DBus

/// The names of the published contract, as its XML files have them.
nonisolated enum Contract {
  static let service: BusName = "org.geopublicist.Location1"
  static let path: ObjectPath = "/org/geopublicist/Location1"
  static let manager: InterfaceName = "org.geopublicist.Location1"
  static let subscription: InterfaceName = "org.geopublicist.Location1.Subscription"
}

nonisolated extension ErrorName {
  static let contractNotAuthorized = ErrorName("org.geopublicist.Location1.Error.NotAuthorized")
  static let contractTimeout = ErrorName("org.geopublicist.Location1.Error.Timeout")
  static let contractUnavailable = ErrorName("org.geopublicist.Location1.Error.Unavailable")
  static let contractInvalidOption = ErrorName("org.geopublicist.Location1.Error.InvalidOption")
  // What libdbus says of a bus that is not there.
  static let noServer = ErrorName("org.freedesktop.DBus.Error.NoServer")
  static let badAddress = ErrorName("org.freedesktop.DBus.Error.BadAddress")
  // What the bus says of a service that it has started in vain.
  static let timedOut = ErrorName("org.freedesktop.DBus.Error.TimedOut")
}
