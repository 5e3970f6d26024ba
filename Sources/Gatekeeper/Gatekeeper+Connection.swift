// SPDX-License-Identifier: Apache-2.0
import DBus

/// Creates the gatekeepers with their real sources of facts.
extension SystemGatekeeper {
  /// - Parameter probes: Connections to the same bus for asking users' agents.
  package convenience init(on connection: Connection, probes: ProbePool) {
    let sandboxes = SandboxCheck(on: connection)
    let rules = GeoClueRules()
    let agents = AgentFinder(on: connection, probes, sandboxes) { group in
      rules.acceptsAgent(AgentIdentity.id(of: group))
    }
    self.init(
      ownUserID: UserID.own,
      Sources(
        sandboxes: sandboxes, rules: rules, polkit: PolkitAuthority(on: connection), agents: agents,
        sessions: SessionWatch(on: connection)))
  }
}

extension SessionGatekeeper {
  package convenience init(on connection: Connection) {
    self.init(ownUserID: UserID.own, SandboxCheck(on: connection), GeoClueRules())
  }
}
