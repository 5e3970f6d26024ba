// SPDX-License-Identifier: Apache-2.0
import DBus

/// The gatekeepers with the sources of facts that a daemon has.
extension SystemGatekeeper {
  /// `probes` are connections to the same bus, through which users' agents are asked.
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
