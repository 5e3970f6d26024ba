import LocationModel

/// The session deployment: the daemon runs as the person, and GeoClue itself judges that person. What GeoClue cannot
/// see, because the one client that it knows is ours, stays to be judged here: sandboxes and rules for applications.
final class SessionGatekeeper: Gatekeeper {
  var onChange: ((Consumer?) -> Void)?
  let decidesByListening = true
  /// What GeoClue says of us.
  var upstream = Authorization.undecided() {
    didSet { if upstream != oldValue { onChange?(nil) } }
  }

  private let ownUserID: UInt32
  private let sandboxes: SandboxCheck
  private let rules: GeoClueConfiguration
  private let dossiers = Dossiers()

  init(ownUserID: UInt32, _ sandboxes: SandboxCheck, _ rules: GeoClueConfiguration) {
    self.ownUserID = ownUserID
    self.sandboxes = sandboxes
    self.rules = rules
  }

  func authorization(for consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Authorization {
    var facts = Facts(.own)
    facts.housing = dossiers[consumer]?.housing ?? .unknown
    facts.rule = rules.rule(for: desktopID, user: consumer.credentials?.userID ?? ownUserID)
    return Decision(facts, asking: level, upstream: upstream).authorization
  }

  func reload() {
    if rules.reloadIfChanged() { onChange?(nil) }
  }

  func prepare(_ consumer: Consumer, _ action: @escaping () -> Void) {
    reload()
    let dossier = dossiers.open(for: consumer)
    guard dossier.housing == .unknown, let credentials = consumer.credentials else { return action() }
    dossier.wait(action) { round in
      let done = round.expect()
      sandboxes.check(consumer.name, credentials) { [weak self, weak consumer] housing, group in
        dossier.housing = housing
        consumer?.unit = group?.unit
        self?.onChange?(consumer)
        done()
      }
    }
  }

  func wouldAsk(_ consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Bool { false }

  func ask(
    _ consumer: Consumer, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt {
    handler(authorization(for: consumer, asking: level, as: desktopID))
    return Prompt {}
  }
}
