// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The contract's words as sentences.
nonisolated enum Sentences {
  /// What the upstream does, from the properties `State` and `StateReason`.
  static func upstream(state: String, reason: String) -> String {
    guard let state = UpstreamState(rawValue: state), let known = UpstreamReason(rawValue: reason) else {
      return reason.isEmpty ? state : reason
    }
    return UpstreamStatus(state: state, reason: known).sentence
  }

  /// Why a status is what it is, and what to do.
  ///
  /// `state` is that of the upstream, if it is known: where GeoClue itself decides, it does so for whoever listens.
  static func authorization(reason: String, state: String? = nil) -> String {
    switch (AuthorizationReason(rawValue: reason), state.flatMap(UpstreamState.init)) {
    case (.undecided?, .idle?): "not decided yet; that comes when somebody asks for the location"
    case (.authorizationRequired?, _): "polkit wants the user to be asked first: call the command with --interactive"
    case (.undecided?, .unavailable?): "GeoClue decides, and is not there"
    case (let reason?, _): reason.sentence
    case (nil, _): reason
    }
  }

  /// Why a status is what it is, as the service says it.
  static func authorization(_ authorization: Authorization) -> String {
    authorization.reason == .authorizationRequired
      ? Self.authorization(reason: authorization.reason.rawValue) : authorization.sentence
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
