import DBus
import LocationModel
import MainLoop

/// The system deployment: GeoClue sees only us, so all that it would have refused a consumer is refused here.
///
/// The facts come from those who know: the bus, polkit, the person's own GeoClue agent, GeoClue's configuration,
/// logind. ``Decision`` makes of them what a consumer may have.
final class SystemGatekeeper: Gatekeeper {
  /// Where the facts come from.
  struct Sources {
    let sandboxes: SandboxCheck
    let rules: GeoClueConfiguration
    let polkit: PolkitAuthority
    let agents: AgentFinder
    let sessions: SessionWatch
  }

  var onChange: ((Consumer?) -> Void)?
  let decidesByListening = false

  /// How long a yes stands while polkit confirms it, in milliseconds: less than the 100 in which a revocation has to be
  /// known.
  static let grace: Int64 = 60
  /// How often an agent is looked for while somebody waits for one, in milliseconds.
  static let searchInterval: Int64 = 1_500

  private let ownUserID: UInt32
  private let sources: Sources
  private let dossiers = Dossiers()
  private var consumers: [BusName: Consumer] = [:]
  private var search: LoopSource?

  init(ownUserID: UInt32, _ sources: Sources) {
    self.ownUserID = ownUserID
    self.sources = sources
    sources.polkit.onChange = { [weak self] in self?.policyChanged() }
    sources.agents.onChange = { [weak self] user in self?.changed(user) }
    sources.sessions.onChange = { [weak self] user, isFirst in
      if isFirst { self?.changed(user) } else { self?.sessionChanged(user) }
    }
  }

  func authorization(for consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Authorization {
    decision(for: consumer, asking: level, as: desktopID).authorization
  }

  func reload() {
    if sources.rules.reloadIfChanged() { onChange?(nil) }
  }

  func prepare(_ consumer: Consumer, _ action: @escaping () -> Void) {
    reload()
    guard let credentials = consumer.credentials else { return action() }
    let dossier = dossier(of: consumer)
    let act = { [weak self] in
      action()
      self?.searchIfNeeded()
    }
    dossier.wait(act) { round in
      look(into: dossier, of: consumer, credentials, round)
      guard person(credentials.userID) == .other else { return }
      ask(about: consumer, dossier, round)
      sources.sessions.find(credentials.userID, round.expect())
      sources.agents.find(credentials.userID, for: consumer.name, round.expect())
    }
  }

  private func decision(for consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Decision {
    Decision(facts(of: consumer, as: desktopID), asking: level)
  }

  private func facts(of consumer: Consumer, as desktopID: String) -> Facts {
    guard let user = consumer.credentials?.userID, let dossier = dossiers[consumer] else { return Facts(.other) }
    var facts = Facts(person(user))
    facts.housing = dossier.housing
    facts.rule = sources.rules.rule(for: desktopID, user: user)
    guard facts.person == .other else { return facts }
    for action in PolkitAction.allCases { facts[action] = dossier.answer(to: action) }
    facts.session = sources.sessions.state(of: user)
    facts.agent = sources.agents.level(for: user, without: consumer.name)
    return facts
  }

  private func person(_ user: UInt32) -> Facts.Person { user == 0 ? .root : user == ownUserID ? .own : .other }

  private func dossier(of consumer: Consumer) -> Dossier {
    if let dossier = dossiers[consumer] { return dossier }
    consumers[consumer.name] = consumer
    return dossiers.open(for: consumer) { [weak self, name = consumer.name, user = consumer.credentials?.userID] in
      guard let self else { return }
      consumers.removeValueAndRoom(forKey: name)
      sources.polkit.forget(name)
      guard let user, !consumers.values.contains(where: { $0.credentials?.userID == user }) else { return }
      sources.sessions.forget(user)
      sources.agents.forget(user)
    }
  }
}

/// The dialog.
extension SystemGatekeeper {
  func wouldAsk(_ consumer: Consumer, asking level: AccuracyLevel, as desktopID: String) -> Bool {
    decision(for: consumer, asking: level, as: desktopID).dialog != nil
  }

  func ask(
    _ consumer: Consumer, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt {
    guard let action = decision(for: consumer, asking: level, as: desktopID).dialog else {
      handler(authorization(for: consumer, asking: level, as: desktopID))
      return Prompt {}
    }
    let question = CheckQueue.Question(peer: consumer.name, action: action, isInteractive: true)
    sources.polkit.check(question) { [weak self, weak consumer] answer in
      guard let self, let consumer else { return }
      // What the person says is kept if it is yes; a no is for this time only.
      if answer == .yes { note(.yes, to: action, for: consumer) }
      let authorization = authorization(for: consumer, asking: level, as: desktopID)
      let isRejected = answer == .no && authorization.reason == .authorizationRequired
      handler(isRejected ? .denied(.rejectedByAgent) : authorization)
    }
    return Prompt { [polkit = sources.polkit] in polkit.withdraw(question) }
  }
}

/// Gathering.
extension SystemGatekeeper {
  private func look(into dossier: Dossier, of consumer: Consumer, _ credentials: Credentials, _ round: Gathering) {
    guard dossier.housing == .unknown else { return }
    let done = round.expect()
    sources.sandboxes.check(consumer.name, credentials) { [weak self, weak consumer] housing, group in
      dossier.housing = housing
      consumer?.unit = group?.unit
      if let consumer { self?.onChange?(consumer) }
      done()
    }
  }

  /// Asks polkit what is not known; about the reduced location only if the precise one, which implies it, is no plain
  /// yes.
  private func ask(about consumer: Consumer, _ dossier: Dossier, _ round: Gathering) {
    if dossier.isOld(.accessWithoutAgent) { ask(.accessWithoutAgent, about: consumer, round.expect()) }
    let askReduced = { [weak self, weak consumer] (done: @escaping () -> Void) in
      guard let self, let consumer, dossier.answer(to: .accessPrecise) != .yes, dossier.isOld(.access) else {
        return done()
      }
      ask(.access, about: consumer, done)
    }
    let done = round.expect()
    guard dossier.isOld(.accessPrecise) else { return askReduced(done) }
    ask(.accessPrecise, about: consumer) { askReduced(done) }
  }

  private func ask(_ action: PolkitAction, about consumer: Consumer, _ done: @escaping () -> Void) {
    let question = CheckQueue.Question(peer: consumer.name, action: action, isInteractive: false)
    sources.polkit.check(question) { [weak self, weak consumer] answer in
      if let self, let consumer { note(answer, to: action, for: consumer) }
      done()
    }
  }

  private func note(_ answer: Facts.Answer, to action: PolkitAction, for consumer: Consumer) {
    guard let dossier = dossiers[consumer], dossier.note(answer, to: action) else { return }
    // While what was so still stands, only the whole new answer replaces it.
    if dossier.grace == nil { changed(consumer) }
  }

  private func changed(_ consumer: Consumer) {
    onChange?(consumer)
    searchIfNeeded()
  }
}

/// What happens around it.
extension SystemGatekeeper {
  private func changed(_ user: UInt32) {
    for consumer in consumers.values where consumer.credentials?.userID == user { onChange?(consumer) }
    searchIfNeeded()
  }

  private func sessionChanged(_ user: UInt32) {
    // polkit's defaults depend on the session, too: what it said before counts only for less.
    if sources.sessions.state(of: user) != .active { changed(user) }
    for consumer in consumers.values where consumer.credentials?.userID == user { confirm(consumer) }
  }

  private func policyChanged() {
    for consumer in consumers.values { confirm(consumer) }
  }

  /// polkit's answers may have become others. Who waits or receives keeps what it has for the moment that polkit needs
  /// to confirm it; for others the answers are dropped.
  private func confirm(_ consumer: Consumer) {
    guard let dossier = dossiers[consumer], let user = consumer.credentials?.userID, person(user) == .other else {
      return
    }
    dossier.doubtAnswers()
    guard consumer.isWaiting || dossier.isGathering else { return dossier.dropDoubtfulAnswers() }
    if dossier.grace == nil {
      dossier.grace = MainLoop.main.after(milliseconds: Self.grace) { [weak self, weak consumer] in
        dossier.dropDoubtfulAnswers()
        if let self, let consumer { changed(consumer) }
      }
    }
    dossier.wait(
      { [weak self, weak consumer] in
        dossier.grace = nil
        if let self, let consumer { changed(consumer) }
      },
      { round in
        ask(about: consumer, dossier, round)
        sources.sessions.findAgain(user, round.expect())
      })
  }

  /// Nothing signals that an agent has come; so one is looked for as long as somebody waits for it.
  private func searchIfNeeded() {
    guard search == nil, !usersWithoutAgent.isEmpty else { return }
    search = MainLoop.main.after(milliseconds: Self.searchInterval) { [weak self] in
      guard let self else { return }
      let round = Gathering { [weak self] in
        self?.search = nil
        self?.searchIfNeeded()
      }
      for user in usersWithoutAgent { sources.agents.find(user, again: true, round.expect()) }
      round.allExpected()
    }
  }

  private var usersWithoutAgent: Set<UInt32> {
    Set(
      consumers.values.compactMap { consumer in
        guard consumer.isWaiting, let user = consumer.credentials?.userID, person(user) == .other,
          sources.agents.level(for: user, without: consumer.name) == .none
        else { return nil }
        return user
      })
  }
}
