// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Decides in the session deployment, where the service runs as the user and GeoClue itself judges that user. The
/// service checks only what GeoClue cannot see because the service is its only client: sandboxes and rules for
/// applications.
package final class SessionGatekeeper: Gatekeeper {
  package var onChange: ((GatekeeperClient?) -> Void)?
  package let sourceDecides = true
  /// GeoClue's decision about the service itself.
  package var geoClueAuthorization = Authorization.undecided {
    didSet { if geoClueAuthorization != oldValue { onChange?(nil) } }
  }

  private let ownUserID = UserID.own
  private let sandboxes: SandboxCheck
  private let rules = GeoClueRules()
  private let registry = ClientFactsRegistry()

  package init(on connection: Connection) {
    sandboxes = SandboxCheck(on: connection, root: ProcessRoot.init)
    rules.onChange = { [weak self] _ in self?.onChange?(nil) }
  }

  package func access(
    for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String
  ) -> ClientAccess {
    var facts = Facts(.own)
    facts.confinement = registry[client]?.confinement ?? .unknown
    facts.rule = rules.rule(for: desktopID, user: client.credentials?.userID ?? ownUserID, through: ownUserID)
    return ClientAccess(authorization: Decision(facts, asking: level, geoClue: geoClueAuthorization).authorization)
  }

  package func hold(on client: GatekeeperClient) -> Hold<BootClock>? { nil }

  /// Always ``AccuracyLevel/exact``: GeoClue itself limits what the service receives.
  package func ceiling(for client: GatekeeperClient) -> AccuracyLevel { .exact }

  package func reload() { rules.reloadIfChanged() }

  package func findAccount(of client: GatekeeperClient, _ action: @escaping () -> Void) { action() }

  package func account(of client: GatekeeperClient) -> Account { .user(client.credentials?.userID ?? ownUserID) }

  package func prepare(_ client: GatekeeperClient, since arrival: BootInstant, _ action: @escaping () -> Void) {
    reload()
    let known = registry.open(for: client) { [weak self, name = client.name] in self?.sandboxes.forget(name) }
    guard known.confinement == .unknown, let credentials = client.credentials else { return action() }
    known.wait(action, since: arrival) { round in
      known.checkSandbox(round) {
        sandboxes.check(client.name, credentials, $0)
      } _: { [weak self, weak client] group in
        guard let client else { return }
        client.unit = group?.unit
        self?.onChange?(client)
      }
    }
  }

  package func ask(
    _ client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt {
    handler(access(for: client, asking: level, as: desktopID).authorization)
    return Prompt {}
  }
}
