// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Parses GeoClue's replies. Unexpected content is treated as absent.
nonisolated enum GeoClueReply {
  /// Returns the fix from the reply to `GetAll` on a location object.
  ///
  /// Returns nil without coordinates, because GeoClue answers other connections with an empty dictionary instead of an
  /// error.
  static func fix(from properties: Value) -> Location? {
    guard let properties = properties.options else { return nil }
    var latitude: Double?
    var longitude: Double?
    var fix = Location(latitude: 0, longitude: 0)
    for (name, value) in properties {
      switch name {
      case "Latitude": latitude = value.double ?? latitude
      case "Longitude": longitude = value.double ?? longitude
      case "Accuracy": fix.accuracy = value.double ?? fix.accuracy
      case "Altitude": fix.altitude = value.double ?? fix.altitude
      case "Speed": fix.speed = value.double ?? fix.speed
      case "Heading": fix.heading = value.double ?? fix.heading
      case "Description":
        fix.sourceDescription = value.string ?? fix.sourceDescription
        fix.source = value.string.map(SourceKind.init(geoclueDescription:)) ?? fix.source
      case "Timestamp": fix.timestamp = timestamp(from: value) ?? fix.timestamp
      default: break
      }
    }
    guard let latitude, let longitude else { return nil }
    (fix.latitude, fix.longitude) = (latitude, longitude)
    return fix
  }

  private static func timestamp(from value: Value) -> Timestamp? {
    guard let time = value.structure, time.count == 2, let seconds = time[0].uint64,
      let microseconds = time[1].uint64
    else { return nil }
    return Timestamp(seconds: seconds, microseconds: microseconds)
  }

  /// Returns what a failed call means for the connection.
  static func failure(_ error: DBusError) -> ConnectionMachine.Failure {
    GeoClueRefusal.reason(for: error).map { .refused($0) } ?? .other
  }

  /// Returns whether an activation failed because GeoClue is not installed: there is no service file, or its unit is
  /// missing or masked.
  static func isNotInstalled(_ error: DBusError) -> Bool {
    let names = [
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.Spawn.ServiceNotFound", "org.freedesktop.DBus.Error.Spawn.ServiceNotValid",
      "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked",
    ]
    return names.contains(error.name.rawValue)
  }

  /// Returns the changed properties of an interface from a `PropertiesChanged` signal.
  static func changes(in signal: Signal, of interface: InterfaceName) -> [String: Value]? {
    guard signal.arguments.count == 3, signal.arguments[0].string == interface.rawValue else { return nil }
    return signal.arguments[1].properties
  }
}
