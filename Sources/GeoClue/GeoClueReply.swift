// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport

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
    guard let time = value.structure, time.count == 2, let seconds = time[0].uint64, let microseconds = time[1].uint64
    else { return nil }
    return Timestamp(seconds: seconds, microseconds: microseconds)
  }

  static func failure(_ failure: CallFailure) -> ConnectionMachine.Failure {
    guard case .refused(let error) = failure else { return .other }
    return GeoClueRefusal.reason(for: error).map { .refused($0) } ?? .other
  }

  /// Returns whether an activation failed because GeoClue is not installed: there is no service file, or its unit is
  /// missing or masked.
  static func isNotInstalled(_ failure: CallFailure) -> Bool {
    guard case .refused(let error) = failure else { return false }
    let names = [
      "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
      "org.freedesktop.DBus.Error.Spawn.ServiceNotFound", "org.freedesktop.DBus.Error.Spawn.ServiceNotValid",
      "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked",
    ]
    return names.contains(error.name.rawValue)
  }

  static func changes(in signal: Signal, of interface: InterfaceName) -> [String: Value]? {
    guard signal.arguments.count == 3, signal.arguments[0].string == interface.rawValue else { return nil }
    return signal.arguments[1].properties
  }
}

/// Reports from GeoClue to the shell around ``ConnectionMachine``.
enum GeoClueReport {
  case event(ConnectionMachine.Event)
  /// A location object was read. Its values have not been validated.
  case fix(Location)
  case failure(LocationError)

  /// Returns a failed call as an error for the delegate, or nil if GeoClue or the bus has exited, which the next event
  /// reports.
  static func failure(_ failure: CallFailure) -> GeoClueReport? {
    let error: DBusError
    switch failure {
    case .lost: return nil
    case .notSent(let failure) where failure.name == .disconnected: return nil
    case .notSent:
      return .failure(LocationError(.unavailable, "Too many calls to GeoClue are unanswered; trying again"))
    case .refused(let refusal): error = refusal
    }
    if error.isAbsence { return nil }
    if let reason = GeoClueRefusal.reason(for: error) { return .failure(LocationError(.denied, reason.sentence)) }
    // GeoClue's own message may contain object paths of its clients.
    return .failure(LocationError(.unavailable, "GeoClue returned an error; trying again"))
  }
}

/// Recognises why GeoClue refuses to start a client.
///
/// All refusals have the error name `AccessDenied` and differ only in their English messages, which are not translated
/// and are identical in 2.6, 2.7 and 2.8. An unknown message is a refusal without a known reason.
nonisolated package enum GeoClueRefusal {
  package static func reason(for error: DBusError) -> AuthorizationReason? {
    error.name == .accessDenied ? reason(in: error.message) : nil
  }

  /// Returns the reason stated in the message of an `AccessDenied` error; nil if the message is no refusal.
  package static func reason(in sentence: String) -> AuthorizationReason? {
    // Not a refusal: the object belongs to another connection, or the client was not configured.
    if sentence == "Access denied" || sentence.hasPart("property must be set") { return nil }
    if sentence.hasPart("Geolocation disabled for UID") { return .disabledByUser }
    if sentence.hasPart("disallowed by configuration") { return .disallowedByConfiguration }
    if sentence.hasPart("disallowed, no agent for UID") { return .noAgent }
    if sentence.hasPart("Agent rejected") { return .rejectedByAgent }
    if sentence.hasPart("authorization request is already pending") { return .undecided }
    return .disallowedByPolicy
  }
}

extension SourceKind {
  /// Interprets GeoClue's `Description`. It is empty in 2.6 and names the method since 2.7. Forks may use other words.
  nonisolated init(geoclueDescription description: String) {
    let words = description.split(separator: " ")
    // In "ipf fallback (from WiFi data)", the server knew none of the networks and answered from a coarser source.
    // The message is split, because searching a string for a substring would link 1 MB of regular expressions.
    if words.count > 2, words[1] == "fallback", words[2].hasPrefix("(") {
      self = Self.fallbacks[String(words[0])] ?? .unknown
    } else {
      let method = words.first.map { String($0.prefix { $0 != "(" }) } ?? ""
      self = Self.methods[description] ?? Self.families[method] ?? .unknown
    }
  }

  nonisolated private static let methods: [String: SourceKind] = [
    "WiFi": .wifi, "3GPP": .cell, "3GPP + WiFi": .wifi, "Static location": .static,
  ]
  /// Methods whose description also contains a service or sentence: "GeoIP (ichnaea)", "GPS GGA+RMC".
  nonisolated private static let families: [String: SourceKind] = ["GeoIP": .ip, "GPS": .gnss]
  nonisolated private static let fallbacks: [String: SourceKind] = [
    "ipf": .ip, "GeoIP": .ip, "lacf": .cell, "3GPP": .cell, "WiFi": .wifi,
  ]
}
