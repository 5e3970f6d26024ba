// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

nonisolated enum Sentences {
  /// Describes the location source, from the properties `State` and `StateReason`.
  static func source(state: String, reason: String) -> String {
    guard let state = SourceState(rawValue: state), let known = SourceReason(rawValue: reason) else {
      return reason.isEmpty ? state : reason
    }
    return SourceStatus(state: state, reason: known).sentence
  }

  /// Explains an authorization and what to do about it.
  ///
  /// - Parameter state: The property `State`, if known: GeoClue decides only while a program uses the location.
  static func authorization(reason: String, state: String? = nil) -> String {
    switch (AuthorizationReason(rawValue: reason), state.flatMap(SourceState.init)) {
    case (.undecided?, .idle?): "not decided yet; GeoClue decides when a program asks for the location"
    case (.authorizationRequired?, _): "polkit requires that the user is asked; use --interactive"
    case (.undecided?, .unavailable?): "not decided yet; GeoClue, which decides, is not available"
    case (let reason?, _): reason.sentence
    case (nil, _): reason
    }
  }

  /// Explains an authorization that was received as an object.
  static func authorization(_ authorization: Authorization) -> String {
    authorization.reason == .authorizationRequired
      ? Self.authorization(reason: authorization.reason.rawValue) : authorization.sentence
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
    case "unknown": "unknown while GeoClue is not running"
    case "none": "none"
    default: "up to \(accuracy)"
    }
  }
}
