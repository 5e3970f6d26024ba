// SPDX-License-Identifier: Apache-2.0
/// What `geopublicist agent` does for this user, as other commands see it.
nonisolated enum AgentState: String {
  case waiting
  case registered
  case aside
  case refused
  case notRunning = "not-running"

  init(_ phase: AgentMachine.Phase) {
    self =
      switch phase {
      case .withoutGeoClue, .probing, .registering: .waiting
      case .registered: .registered
      case .aside: .aside
      case .refused: .refused
      }
  }

  /// The state that the running agent has written.
  @MainActor static var current: AgentState {
    guard let word = AgentStatusFile.read() else { return .notRunning }
    return AgentState(rawValue: word) ?? .waiting
  }

  var sentence: String {
    switch self {
    case .waiting: "this agent decides once it is registered with GeoClue"
    case .registered: "this agent decides about locations for this user"
    case .aside: "another agent decides for this user; this one takes over when that one ends"
    case .refused:
      "GeoClue's configuration does not allow this agent; add geoclue-demo-agent to whitelist under [agent]"
    case .notRunning: "geopublicist agent is not running for this user"
    }
  }
}
