// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The session deployment: the daemon runs as the person, and GeoClue itself judges that person. What GeoClue cannot
/// see, because the one client that it knows is ours, stays to be judged here: sandboxes and rules for applications.
package final class SessionGatekeeper: Gatekeeper {
  package var onChange: (((any GatekeeperClient)?) -> Void)?
  package let decidesByListening = true
  /// What GeoClue says of us.
  package var upstream = Authorization.undecided() {
    didSet { if upstream != oldValue { onChange?(nil) } }
  }

  private let ownUserID: UInt32
  private let sandboxes: SandboxCheck
  private let rules: GeoClueRules
  private let allClientFacts = ClientFactsRegistry()

  init(ownUserID: UInt32, _ sandboxes: SandboxCheck, _ rules: GeoClueRules) {
    self.ownUserID = ownUserID
    self.sandboxes = sandboxes
    self.rules = rules
    rules.onChange = { [weak self] _ in self?.onChange?(nil) }
  }

  package func authorization(for client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String)
    -> Authorization
  {
    var facts = Facts(.own)
    facts.confinement = allClientFacts[client]?.confinement ?? .unknown
    facts.rule = rules.rule(for: desktopID, user: client.credentials?.userID ?? ownUserID, through: ownUserID)
    return Decision(facts, asking: level, upstream: upstream).authorization
  }

  package func isHeld(_ client: any GatekeeperClient) -> Bool { false }

  /// GeoClue itself limits what the service gets.
  package func ceiling(for client: any GatekeeperClient) -> AccuracyLevel { .exact }

  package func reload() { rules.reloadIfChanged() }

  package func prepare(_ client: any GatekeeperClient, _ action: @escaping () -> Void) {
    reload()
    let clientFacts = allClientFacts.open(for: client)
    guard clientFacts.confinement == .unknown, let credentials = client.credentials else { return action() }
    clientFacts.wait(action) { round in
      let done = round.expect()
      sandboxes.check(client.name, credentials) { [weak self, weak client] confinement, group in
        clientFacts.confinement = confinement
        client?.unit = group?.unit
        self?.onChange?(client)
        done()
      }
    }
  }

  package func wouldAsk(_ client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> Bool {
    false
  }

  package func ask(
    _ client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt {
    handler(authorization(for: client, asking: level, as: desktopID))
    return Prompt {}
  }
}
