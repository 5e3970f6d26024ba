import DBus
import LocationModel

/// Reads what GeoClue answers; anything unexpected in it is absence, never an assumption.
nonisolated enum GeoClueReply {
  /// The fix in the reply of `GetAll` on a location object.
  ///
  /// Nil if the place is not in it: GeoClue answers strangers with an empty dictionary instead of an error.
  static func fix(from properties: [String: Value]) -> RawFix? {
    guard let latitude = properties["Latitude"]?.double, let longitude = properties["Longitude"]?.double else {
      return nil
    }
    var fix = RawFix(latitude: latitude, longitude: longitude)
    if let accuracy = properties["Accuracy"]?.double { fix.accuracy = accuracy }
    if let altitude = properties["Altitude"]?.double { fix.altitude = altitude }
    if let speed = properties["Speed"]?.double { fix.speed = speed }
    if let heading = properties["Heading"]?.double { fix.heading = heading }
    if let description = properties["Description"]?.string { fix.sourceDescription = description }
    if let time = properties["Timestamp"]?.structure, time.count == 2,
      let seconds = time[0].uint64, let microseconds = time[1].uint64
    {
      fix.timestamp = Timestamp(seconds: seconds, microseconds: microseconds)
    }
    return fix
  }

  /// What a failed call means for the connection.
  static func failure(_ error: DBusError) -> ConnectionMachine.Failure {
    GeoClueRefusal.reason(for: error).map { .refused($0) } ?? .other
  }

  /// Whether an activation failed because there is nothing to start: no service file, or a unit that is not there or
  /// is masked.
  static func isNotInstalled(_ error: DBusError) -> Bool {
    let names = [
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.Spawn.ServiceNotFound", "org.freedesktop.DBus.Error.Spawn.ServiceNotValid",
      "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked",
    ]
    return names.contains(error.name.rawValue)
  }

  /// The changed properties of one interface in a `PropertiesChanged` signal.
  static func changes(in signal: Signal, of interface: InterfaceName) -> [String: Value]? {
    guard signal.arguments.count == 3, signal.arguments[0].string == interface.rawValue else { return nil }
    return signal.arguments[1].properties
  }
}
