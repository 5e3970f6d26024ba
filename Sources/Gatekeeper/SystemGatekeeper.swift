import DBus
import GeopublicistLocationModel
import MainLoop

/// The system deployment: GeoClue sees only us, so all that it would have refused a client is refused here.
///
/// The facts come from those who know: the bus, polkit, the person's own GeoClue agent, GeoClue's configuration,
/// logind. ``Decision`` makes of them what a client may have.
package final class SystemGatekeeper: Gatekeeper {
  /// Where the facts come from.
  struct Sources {
    let sandboxes: SandboxCheck
    let rules: GeoClueConfiguration
    let polkit: PolkitAuthority
    let agents: AgentFinder
    let sessions: SessionWatch
  }

  package var onChange: (((any GatekeeperClient)?) -> Void)?
  package let decidesByListening = false

  /// How long a yes stands while polkit confirms it, in milliseconds: less than the 100 in which a revocation has to be
  /// known.
  static let grace: Int64 = 60
  /// How often an agent is looked for while somebody waits for one, in milliseconds.
  static let searchInterval: Int64 = 1_500

  private let ownUserID: UInt32
  private let sources: Sources
  private let allClientFacts = ClientFactsRegistry()
  private var clients: [BusName: any GatekeeperClient] = [:]
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

  package func authorization(for client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String)
    -> Authorization
  {
    decision(for: client, asking: level, as: desktopID).authorization
  }

  package func reload() {
    if sources.rules.reloadIfChanged() { onChange?(nil) }
  }

  package func prepare(_ client: any GatekeeperClient, _ action: @escaping () -> Void) {
    reload()
    guard let credentials = client.credentials else { return action() }
    let clientFacts = clientFacts(of: client)
    let act = { [weak self] in
      action()
      self?.searchIfNeeded()
    }
    clientFacts.wait(act) { round in
      look(into: clientFacts, of: client, credentials, round)
      guard person(credentials.userID) == .other else { return }
      ask(about: client, clientFacts, round)
      sources.sessions.find(credentials.userID, round.expect())
      sources.agents.find(credentials.userID, for: client.name, round.expect())
    }
  }

  private func decision(for client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> Decision
  {
    Decision(facts(of: client, as: desktopID), asking: level)
  }

  private func facts(of client: any GatekeeperClient, as desktopID: String) -> Facts {
    guard let user = client.credentials?.userID, let clientFacts = allClientFacts[client] else { return Facts(.other) }
    var facts = Facts(person(user))
    facts.confinement = clientFacts.confinement
    facts.rule = sources.rules.rule(for: desktopID, user: user)
    guard facts.person == .other else { return facts }
    for action in PolkitAction.allCases { facts[action] = clientFacts.answer(to: action) }
    facts.session = sources.sessions.state(of: user)
    facts.agent = sources.agents.level(for: user, without: client.name)
    return facts
  }

  private func person(_ user: UInt32) -> Facts.Person { user == 0 ? .root : user == ownUserID ? .own : .other }

  private func clientFacts(of client: any GatekeeperClient) -> ClientFacts {
    if let clientFacts = allClientFacts[client] { return clientFacts }
    clients[client.name] = client
    return allClientFacts.open(for: client) { [weak self, name = client.name, user = client.credentials?.userID] in
      guard let self else { return }
      clients.removeValue(forKey: name)
      sources.polkit.forget(name)
      guard let user, !clients.values.contains(where: { $0.credentials?.userID == user }) else { return }
      sources.sessions.forget(user)
      sources.agents.forget(user)
    }
  }
}

/// The dialog.
extension SystemGatekeeper {
  package func wouldAsk(_ client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> Bool {
    decision(for: client, asking: level, as: desktopID).dialog != nil
  }

  package func ask(
    _ client: any GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt {
    guard let action = decision(for: client, asking: level, as: desktopID).dialog else {
      handler(authorization(for: client, asking: level, as: desktopID))
      return Prompt {}
    }
    let question = CheckQueue.Question(peer: client.name, action: action, isInteractive: true)
    sources.polkit.check(question) { [weak self, weak client] answer in
      guard let self, let client else { return }
      // What the person says is kept if it is yes; a no is for this time only.
      if answer == .yes { note(.yes, to: action, for: client) }
      let authorization = authorization(for: client, asking: level, as: desktopID)
      let isRejected = answer == .no && authorization.reason == .authorizationRequired
      handler(isRejected ? .denied(.rejectedByAgent) : authorization)
    }
    return Prompt { [polkit = sources.polkit] in polkit.withdraw(question) }
  }
}

/// Gathering.
extension SystemGatekeeper {
  private func look(
    into clientFacts: ClientFacts, of client: any GatekeeperClient, _ credentials: Credentials, _ round: Gathering
  ) {
    guard clientFacts.confinement == .unknown else { return }
    let done = round.expect()
    sources.sandboxes.check(client.name, credentials) { [weak self, weak client] confinement, group in
      clientFacts.confinement = confinement
      client?.unit = group?.unit
      if let client { self?.onChange?(client) }
      done()
    }
  }

  /// Asks polkit what is not known; about the reduced location only if the precise one, which implies it, is no plain
  /// yes.
  private func ask(about client: any GatekeeperClient, _ clientFacts: ClientFacts, _ round: Gathering) {
    if clientFacts.isOld(.accessWithoutAgent) { ask(.accessWithoutAgent, about: client, round.expect()) }
    let askReduced = { [weak self, weak client] (done: @escaping () -> Void) in
      guard let self, let client, clientFacts.answer(to: .accessPrecise) != .yes, clientFacts.isOld(.access) else {
        return done()
      }
      ask(.access, about: client, done)
    }
    let done = round.expect()
    guard clientFacts.isOld(.accessPrecise) else { return askReduced(done) }
    ask(.accessPrecise, about: client) { askReduced(done) }
  }

  private func ask(_ action: PolkitAction, about client: any GatekeeperClient, _ done: @escaping () -> Void) {
    let question = CheckQueue.Question(peer: client.name, action: action, isInteractive: false)
    sources.polkit.check(question) { [weak self, weak client] answer in
      if let self, let client { note(answer, to: action, for: client) }
      done()
    }
  }

  private func note(_ answer: Facts.Answer, to action: PolkitAction, for client: any GatekeeperClient) {
    guard let clientFacts = allClientFacts[client], clientFacts.note(answer, to: action) else { return }
    // While what was so still stands, only the whole new answer replaces it.
    if clientFacts.grace == nil { changed(client) }
  }

  private func changed(_ client: any GatekeeperClient) {
    onChange?(client)
    searchIfNeeded()
  }
}

/// What happens around it.
extension SystemGatekeeper {
  private func changed(_ user: UInt32) {
    for client in clients.values where client.credentials?.userID == user { onChange?(client) }
    searchIfNeeded()
  }

  private func sessionChanged(_ user: UInt32) {
    // polkit's defaults depend on the session, too: what it said before counts only for less.
    if sources.sessions.state(of: user) != .active { changed(user) }
    for client in clients.values where client.credentials?.userID == user { confirm(client) }
  }

  private func policyChanged() {
    for client in clients.values { confirm(client) }
  }

  /// polkit's answers may have become others. Who waits or receives keeps what it has for the moment that polkit needs
  /// to confirm it; for others the answers are dropped.
  private func confirm(_ client: any GatekeeperClient) {
    guard let clientFacts = allClientFacts[client], let user = client.credentials?.userID, person(user) == .other else {
      return
    }
    clientFacts.doubtAnswers()
    guard client.isWaiting || clientFacts.isGathering else { return clientFacts.dropDoubtfulAnswers() }
    if clientFacts.grace == nil {
      clientFacts.grace = MainLoop.main.after(milliseconds: Self.grace) { [weak self, weak client] in
        clientFacts.dropDoubtfulAnswers()
        if let self, let client { changed(client) }
      }
    }
    clientFacts.wait(
      { [weak self, weak client] in
        clientFacts.grace = nil
        if let self, let client { changed(client) }
      },
      { round in
        ask(about: client, clientFacts, round)
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
      clients.values.compactMap { client in
        guard client.isWaiting, let user = client.credentials?.userID, person(user) == .other,
          sources.agents.level(for: user, without: client.name) == .none
        else { return nil }
        return user
      })
  }
}
