// SPDX-License-Identifier: Apache-2.0
import DBus

/// GeoClue's names on the system bus. The same in all releases since 2.5.2.
nonisolated package enum GeoClueNames {
  package static let service: BusName = "org.freedesktop.GeoClue2"

  package static let managerPath: ObjectPath = "/org/freedesktop/GeoClue2/Manager"
  package static let agentPath: ObjectPath = "/org/freedesktop/GeoClue2/Agent"

  package static let manager: InterfaceName = "org.freedesktop.GeoClue2.Manager"
  package static let client: InterfaceName = "org.freedesktop.GeoClue2.Client"
  package static let location: InterfaceName = "org.freedesktop.GeoClue2.Location"
  package static let agent: InterfaceName = "org.freedesktop.GeoClue2.Agent"

  /// An agent id that the default configuration of every release allows.
  package static let agentID = "geoclue-demo-agent"
}
