// SPDX-License-Identifier: Apache-2.0
import DBus

/// GeoClue2's names on the system bus; the same in every release from 2.5.2 on.
enum GeoClueNames {
  static let service: BusName = "org.freedesktop.GeoClue2"

  static let managerPath: ObjectPath = "/org/freedesktop/GeoClue2/Manager"
  static let agentPath: ObjectPath = "/org/freedesktop/GeoClue2/Agent"

  static let manager: InterfaceName = "org.freedesktop.GeoClue2.Manager"
  static let client: InterfaceName = "org.freedesktop.GeoClue2.Client"
  static let location: InterfaceName = "org.freedesktop.GeoClue2.Location"
  static let agent: InterfaceName = "org.freedesktop.GeoClue2.Agent"

  /// What we call ourselves; GeoClue's per-application rules know us by it.
  static let desktopID = "org.geopublicist.Location1"
  /// The agent's name that the default configuration of every release allows.
  static let agentID = "geoclue-demo-agent"
}
