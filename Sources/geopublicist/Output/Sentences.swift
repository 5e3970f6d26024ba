// SPDX-License-Identifier: Apache-2.0
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

nonisolated enum Sentences {
  /// Describes the location source, from the properties `State` and `StateReason`.
  static func source(state: String, reason: String) -> String {
    guard let state = SourceState(rawValue: state), let known = SourceReason(rawValue: reason) else {
      return reason.isEmpty ? state : reason
    }
    return tr(received: SourceStatus(state: state, reason: known).sentence)
  }

  /// Explains an authorization and what to do about it.
  ///
  /// - Parameter state: The property `State`, if known: GeoClue decides only while a program uses the location.
  static func authorization(reason: String, state: String? = nil) -> String {
    switch (AuthorizationReason(rawValue: reason), state.flatMap(SourceState.init)) {
    case (.undecided?, .idle?): tr("not decided yet; GeoClue decides when a program asks for the location")
    case (.authorizationRequired?, _): tr("polkit requires that the user is asked; use --interactive")
    case (.undecided?, .unavailable?): tr("not decided yet; GeoClue decides, but it is not available")
    case (let reason?, _): tr(received: reason.sentence)
    case (nil, _): reason
    }
  }

  /// Explains an authorization that was received as an object.
  static func authorization(_ authorization: Authorization) -> String {
    authorization.reason == .authorizationRequired
      ? Self.authorization(reason: authorization.reason.rawValue) : tr(received: authorization.sentence)
  }

  static func emphasis(status: String) -> Emphasis {
    guard let status = AuthorizationStatus(rawValue: status) else { return .doubtful }
    switch status {
    case .authorizedAlways, .authorizedWhenInUse: return .good
    case .notDetermined: return .doubtful
    case .denied, .restricted: return .bad
    }
  }

  static func emphasis(state: String) -> Emphasis {
    switch SourceState(rawValue: state) {
    case .running, .idle: .good
    case .unavailable: .bad
    default: .doubtful
    }
  }

  /// Describes GeoClue's sources, from the property `AvailableAccuracy`.
  static func sources(_ accuracy: String) -> String {
    switch accuracy {
    case "unknown": tr("unknown while GeoClue is not running")
    case "none": tr("none")
    default: tr("up to \(accuracy)")
    }
  }
}

nonisolated enum LocationText {
  /// Digits of a degree after the point: a centimetre.
  static let digits = 7

  /// Returns a `geo:` URI (RFC 5870), with the accuracy in metres if it is known.
  static func uri(_ location: Location) -> String {
    let altitude = location.altitude.map { "," + Number.short($0, 1) } ?? ""
    let uncertainty = location.accuracy.map { ";u=" + Number.short($0, 1) } ?? ""
    return "geo:\(degrees(location.latitude)),\(degrees(location.longitude))\(altitude)\(uncertainty)"
  }

  /// Returns a line of fields separated by spaces: time, latitude, longitude, accuracy in metres or `-`, level.
  static func line(_ reading: ServiceLocation) -> String {
    let location = reading.location
    let accuracy = location.accuracy.map { Number.short($0, 1) } ?? "-"
    return [
      Moment.iso(location.timestamp), degrees(location.latitude), degrees(location.longitude), accuracy, reading.level,
    ].joined(separator: " ") + (location.isSimulated ? " simulated" : "")
  }

  static func rows(_ reading: ServiceLocation, now: Timestamp = Moment.now) -> Rows {
    let location = reading.location
    var rows = Rows()
    rows.add(tr("Latitude"), degrees(location.latitude) + degree, .strong)
    rows.add(tr("Longitude"), degrees(location.longitude) + degree, .strong)
    rows.add(tr("Accuracy"), location.accuracy.map { "\(plusMinus)\(Number.short($0, 1)) m" })
    rows.add(tr("Altitude"), location.altitude.map { Number.short($0, 1) + " m" })
    rows.add(tr("Speed"), location.speed.map { "\(Number.short($0, 1)) m/s (\(Number.short($0 * 3.6, 1)) km/h)" })
    rows.add(tr("Heading"), location.heading.map { Number.short($0, 0) + degree + " " + compassPoint($0) })
    rows.add(tr("Level"), reading.level + (reading.isReduced ? tr(" (less than requested)") : ""))
    rows.add(tr("Source"), location.sourceDescription)
    if location.isSimulated { rows.add(tr("Simulated"), tr("yes, this location was not measured"), .doubtful) }
    let age = (now - location.timestamp).components.seconds
    rows.add(tr("Measured"), "\(Moment.local(location.timestamp)) (\(Moment.age(age)))")
    return rows
  }

  private static func degrees(_ number: Double) -> String { Number.fixed(number, digits) }
  private static let degree = Text.isUnicode ? "°" : " deg"
  private static let plusMinus = Text.isUnicode ? "±" : "+-"

  static func compassPoint(_ heading: Double) -> String {
    let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
    guard heading.isFinite, (0...360).contains(heading) else { return "" }
    return points[Int((heading / 45).rounded()) % points.count]
  }
}

nonisolated enum RegionText {
  /// Returns a line: for programs the time, event, state, reason or `-`, and `gap` and `simulated` if they apply; for
  /// people the local time and a sentence.
  static func line(_ event: RegionEvent, isForPeople: Bool) -> String {
    guard isForPeople else {
      let fields = [
        Moment.iso(time(event)), event.kind.rawValue, event.state.rawValue,
        event.reason == .none ? "-" : event.reason.rawValue, event.hasGap ? "gap" : "",
        event.isSimulated ? "simulated" : "",
      ]
      return fields.filter { !$0.isEmpty }.joined(separator: " ")
    }
    return "\(Moment.local(time(event)))  \(sentence(event))"
      + (event.hasGap ? tr(", at an unknown earlier time") : "") + (event.isSimulated ? tr(" (simulated)") : "")
  }

  /// Returns the time of an event: now, unless a location supports it.
  static func time(_ event: RegionEvent) -> Timestamp {
    event.timestamp == Timestamp() ? Moment.now : event.timestamp
  }

  private static func sentence(_ event: RegionEvent) -> String {
    switch event.kind {
    case .determined where event.state == .unknown, .lost: tr("Unknown: \(reason(event.reason))")
    case .determined: event.state == .inside ? tr("Inside") : tr("Outside")
    case .entered: tr("Entered")
    case .exited: tr("Left")
    case .dwelled: tr("Still inside")
    }
  }

  private static func reason(_ reason: RegionReason) -> String {
    switch reason {
    case .noFix: tr("no location arrived")
    case .slept: tr("the computer was asleep")
    case .accuracyInsufficient: tr("the locations are too coarse, or too close to the border")
    case .accuracyLimited: tr("only coarser locations are allowed")
    case .notAuthorized: tr("access to the location is not allowed")
    case .none: tr("for an unknown reason")
    }
  }
}
