// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The contract's words as sentences.
nonisolated enum Sentences {
  /// What the upstream does, from the properties `State` and `StateReason`.
  static func upstream(state: String, reason: String) -> String {
    switch UpstreamReason(rawValue: reason) {
    case .geoclueNotInstalled:
      return "GeoClue is not installed or its service is masked; install the package geoclue-2.0, or unmask geoclue"
    case .geoclueRestarting: return "GeoClue does not answer, or has gone; it is called again"
    case .noSource: return "GeoClue has no source; connect a GPS receiver or switch Wi-Fi on"
    case .noAgent: return AuthorizationReason.noAgent.sentence
    case .noFix: return "GeoClue runs, but has measured nothing yet"
    case .disabledByUser, .rejectedByAgent, .disallowedByConfiguration, .disallowedByPolicy:
      return authorization(reason: reason)
    case .resting: return UpstreamReason.resting.sentence
    case .some(.none), nil: break
    }
    switch UpstreamState(rawValue: state) {
    case .idle: return "nobody listens, so GeoClue is not held"
    case .starting: return "GeoClue is being asked for a client"
    case .waiting: return "GeoClue has not allowed it yet"
    case .running: return "fixes are coming in"
    case .unavailable: return "no fix can come now"
    case nil: return reason
    }
  }

  /// Why a status is what it is, and what to do.
  ///
  /// `state` is that of the upstream, if it is known: where GeoClue itself decides, it does so for whoever listens.
  static func authorization(reason: String, state: String? = nil) -> String {
    switch (AuthorizationReason(rawValue: reason), state.flatMap(UpstreamState.init)) {
    case (.undecided?, .idle?): "not decided yet; that comes when somebody asks for the location"
    case (.authorizationRequired?, _): "polkit wants the person to be asked first: geopublicist authorize --interactive"
    case (.undecided?, .unavailable?): "GeoClue decides, and is not there"
    case (let reason?, _): reason.sentence
    case (nil, _): reason
    }
  }

  /// How good a status is.
  static func emphasis(status: String) -> Emphasis {
    guard let status = AuthorizationStatus(rawValue: status) else { return .doubtful }
    switch status {
    case .authorizedAlways, .authorizedWhenInUse: return .good
    case .notDetermined: return .doubtful
    case .denied, .restricted: return .bad
    }
  }

  /// How good a state is.
  static func emphasis(state: String) -> Emphasis {
    switch UpstreamState(rawValue: state) {
    case .running, .idle: .good
    case .unavailable: .bad
    default: .doubtful
    }
  }

  /// What GeoClue's sources can do, from the property `AvailableAccuracy`.
  static func sources(_ accuracy: String) -> String {
    switch accuracy {
    case "unknown": "not known while GeoClue does not run"
    case "none": "none"
    default: "up to \(accuracy)"
    }
  }
}
