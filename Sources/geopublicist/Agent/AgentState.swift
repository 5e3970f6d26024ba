// SPDX-License-Identifier: Apache-2.0
/// What an agent of this user does, as it tells other commands.
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

  /// What it does now, by the running agent's own account.
  @MainActor static var current: AgentState {
    guard let word = AgentStatusFile.read() else { return .notRunning }
    return AgentState(rawValue: word) ?? .waiting
  }

  var sentence: String {
    switch self {
    case .waiting: "this agent decides as soon as GeoClue runs"
    case .registered: "this agent decides about locations for this user"
    case .aside: "another agent decides for this user; this one waits until it has gone"
    case .refused:
      "GeoClue's configuration does not allow this agent; add geoclue-demo-agent to whitelist under [agent]"
    case .notRunning: "no agent of geopublicist runs for this user"
    }
  }
}
