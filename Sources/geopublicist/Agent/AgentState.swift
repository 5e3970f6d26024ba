// SPDX-License-Identifier: Apache-2.0
import GeopublicistProcessSupport

/// The state of `geopublicist agent` for this user, as other commands see it.
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

  @MainActor static var current: AgentState {
    guard let word = AgentStatusFile.read() else { return .notRunning }
    return AgentState(rawValue: word) ?? .waiting
  }

  var sentence: String {
    switch self {
    case .waiting: tr("this agent decides as soon as it is registered with GeoClue")
    case .registered: tr("this agent decides about locations for this user")
    case .aside: tr("another agent decides for this user; this one takes over when the other one exits")
    case .refused:
      tr("GeoClue's configuration does not allow this agent; add geoclue-demo-agent to whitelist under [agent]")
    case .notRunning: tr("geopublicist agent is not running for this user")
    }
  }
}
