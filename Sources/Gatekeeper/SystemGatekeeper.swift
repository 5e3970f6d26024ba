// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop

/// Decides in the system deployment. GeoClue sees only the service, so the service must refuse everything that GeoClue
/// would refuse the client.
///
/// The facts come from the bus, polkit, the user's GeoClue agent, GeoClue's configuration and logind. Pure state
/// machines, one per client (``PolicyAnswers``) and per user (``AgentSearch``, ``SessionState``), track what is known
/// and how reliable it is. ``Decision`` derives the authorization from the facts.
package final class SystemGatekeeper: Gatekeeper {
  package var onChange: ((GatekeeperClient?) -> Void)?
  package let sourceDecides = false

  /// How many of an account's users are searched for agents per interval. They are chosen at random.
  private static let searchesPerAccount = 4

  /// The first and the longest pause before the sandbox check of a client that makes no calls is repeated.
  static let sandboxPauses = Duration.seconds(30)...Duration.seconds(1_800)

  /// The facts that the clients of one user share.
  private struct User {
    var access = AccessDamper()
    var timer: LoopSource?
  }

  private let ownUserID = UserID.own
  private let subordinates: SubordinateFile
  private let accountOf: (UInt32) -> Account
  private let sandboxes: SandboxCheck
  private let rules: GeoClueRules
  private let polkit: PolkitAuthority
  private let agents: AgentFinder
  private let sessions: SessionWatch
  private let registry = ClientFactsRegistry()
  private var users: [UInt32: User] = [:]
  private var clients: [BusName: GatekeeperClient] = [:]
  private var search: LoopSource?

  /// - Parameter open: Opens further connections to the same bus, for questions to users' agents and for long answers.
  package init(
    on connection: Connection, _ lookup: CredentialsLookup,
    openingMore open: @escaping () throws(DBusError) -> Connection
  ) {
    let rules = GeoClueRules()
    self.rules = rules
    let subordinates = SubordinateFile()
    self.subordinates = subordinates
    let account = { Account(of: $0, login: $1, isNamed: false, subordinates.ranges) }
    let sessions = SessionWatch(on: connection, accountOf: account)
    self.sessions = sessions
    let accountOf = { user in account(user, sessions.login(of: user)) }
    self.accountOf = accountOf
    sandboxes = SandboxCheck(on: connection, openingMore: open, accountOf: accountOf)
    agents = AgentFinder(on: connection, lookup, ProbePool(open), sandboxes, accountOf: accountOf) {
      rules.acceptsAgent(AgentIdentity.id(of: $0))
    }
    polkit = PolkitAuthority(on: connection)
    rules.onChange = { [weak self] areAgentsAffected in
      if areAgentsAffected { self?.agents.startOver() }
      self?.onChange?(nil)
    }
    polkit.onDoubt = { [weak self] in self?.policyChanged() }
    polkit.onReply = { [weak self] name, action, reply in
      guard let self, let client = clients[name] else { return }
      handle(.answered(action, reply), for: client)
    }
    agents.onChange = { [weak self] user, isReleased in
      guard let self else { return }
      let isChanged = follow(user)
      changed(user) { isChanged || isReleased && !self.isHeld($0) }
      searchSoon()
    }
    sessions.onChange = { [weak self] user, before in self?.sessionChanged(user, from: before) }
    agents.isServed = { [weak self] in self?.isServed($0) ?? false }
    sessions.isServed = agents.isServed
  }

  package func access(
    for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String
  ) -> ClientAccess {
    let decision = decision(for: client, asking: level, as: desktopID)
    return ClientAccess(
      authorization: decision.authorization, isHeld: decision.authorization.isAuthorized && hold(on: client) != nil,
      canAsk: decision.dialog != nil)
  }

  package func hold(on client: GatekeeperClient) -> Hold<BootClock>? {
    // This is called before every delivery, so it must usually return without gathering all the facts.
    guard let user = client.credentials?.userID, kind(of: user) == .other, let known = registry[client] else {
      return nil
    }
    let areAgentsHeld = agents.isHeld(user) || users[user]?.access.isHeld == true
    return Hold(
      policy: known.isChangeUnreported ? Hold() : known.policy.hold(at: now), session: sessions.hold(on: user),
      agents: areAgentsHeld ? Hold<MonotonicClock>() : nil,
      isNamed: known.policy.answer(to: .accessWithoutAgent) == .yes
    )?.onBootClock()
  }

  package func ceiling(for client: GatekeeperClient) -> AccuracyLevel {
    let facts = facts(about: client, as: "")
    guard facts.user == .other, facts.withoutAgent != .yes else { return .exact }
    if case .level(let level) = facts.agent { return level }
    return .none
  }

  package func findAccount(of client: GatekeeperClient, _ action: @escaping () -> Void) {
    subordinates.readIfChanged()
    let facts = facts(about: client)
    // If, and only if, a user's account depends on logind, logind is asked before anything is done for that user.
    guard let user = client.credentials?.userID, account(of: client) == .common, sessions.login(of: user) == .unknown
    else { return action() }
    facts.wait(action, atMost: accountTime, since: MainLoop.main.clock.boottime()) { sessions.find(user, for: $0) }
  }

  package func account(of client: GatekeeperClient) -> Account {
    guard let user = client.credentials?.userID else { return .common }
    let isNamed = user == ownUserID || registry[client]?.policy.answer(to: .accessWithoutAgent) == .yes
    return Account(of: user, login: sessions.login(of: user), isNamed: isNamed, subordinates.ranges)
  }

  package func reload() { rules.reloadIfChanged() }

  package func prepare(_ client: GatekeeperClient, since arrival: BootInstant, _ action: @escaping () -> Void) {
    reload()
    guard let credentials = client.credentials else { return action() }
    let facts = facts(about: client)
    // A round ends with its client, so nothing may retain the client's facts.
    let act = { [weak self, weak client, weak facts] in
      if let facts, !facts.isGathered, let client {
        facts.isGathered = true
        self?.changed(client)
      }
      action()
      self?.searchSoon()
    }
    facts.wait(act, since: arrival) { round in
      checkSandbox(of: client, credentials, facts, round)
      guard kind(of: credentials.userID) == .other else { return }
      facts.policyWaiters.add(round)
      handle(.wanted, for: client)
      sessions.find(credentials.userID, for: round)
      agents.find(credentials.userID, for: client.name, round.expect())
      if follow(credentials.userID, from: users[credentials.userID] ?? User()) { changed(credentials.userID) }
    }
  }

  private func decision(
    for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String
  ) -> Decision {
    Decision(facts(about: client, as: desktopID), asking: level)
  }

  private func facts(about client: GatekeeperClient, as desktopID: String) -> Facts {
    guard let user = client.credentials?.userID, let known = registry[client] else { return Facts(.other) }
    var facts = Facts(kind(of: user))
    facts.confinement = known.confinement
    facts.placement = known.placement
    facts.rule = rules.rule(for: desktopID, user: user, through: ownUserID)
    guard facts.user == .other else { return facts }
    facts.reduced = known.policy.answer(to: .access)
    facts.precise = known.policy.answer(to: .accessPrecise)
    facts.withoutAgent = known.policy.answer(to: .accessWithoutAgent)
    let access = users[user]?.access ?? AccessDamper()
    // polkit may refuse because of the loss of a session that has not been reported yet.
    let isRefused = facts.precise == .no && facts.reduced == .no
    facts.session = (isRefused ? access.granted : access.told).session
    facts.agent = access.told.agents.level(without: client.name)
    return facts
  }

  private func kind(of user: UInt32) -> Facts.User { user == 0 ? .root : user == ownUserID ? .own : .other }

  private var now: MonotonicInstant { MainLoop.main.clock.monotonic() }

  private func facts(about client: GatekeeperClient) -> ClientFacts {
    if let facts = registry[client] { return facts }
    clients[client.name] = client
    return registry.open(for: client) { [weak self, name = client.name, user = client.credentials?.userID] in
      guard let self else { return }
      clients.removeValue(forKey: name)
      polkit.forget(name)
      sandboxes.forget(name)
      guard let user, !clients.values.contains(where: { $0.credentials?.userID == user }) else { return }
      users[user] = nil
      sessions.forget(user)
      agents.forget(user)
    }
  }
}

// MARK: - Dialogs
extension SystemGatekeeper {
  package func ask(
    _ client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt {
    let decision = decision(for: client, asking: level, as: desktopID)
    guard let action = decision.dialog else {
      handler(decision.authorization)
      return Prompt {}
    }
    return polkit.showDialog(action, about: client.name, of: account(of: client), program: program(of: client)) {
      [weak self, weak client] reply in
      guard let self, let client else { return }
      // Consent is remembered. A refusal applies only to this call.
      if reply.answer == .yes { handle(.consented(action, reply), for: client) }
      let authorization = access(for: client, asking: level, as: desktopID).authorization
      // Facts that are still missing must not hide the user's refusal.
      let isOpen = authorization.reason == .authorizationRequired || authorization.reason == .undecided
      let isRejected = reply.answer == .no && isOpen
      handler(isRejected ? .refused(.rejectedByAgent) : authorization)
    }
  }

  /// Returns the name of a client in dialogs: from /proc if readable, otherwise from systemd.
  private func program(of client: GatekeeperClient) -> String? {
    let name = client.credentials?.processID.flatMap { SandboxCheck.contents(ofFile: "/proc/\($0)/comm") }
    return name.flatMap(ProgramName.plain) ?? registry[client]?.program
  }
}

// MARK: - Gathering facts
extension SystemGatekeeper {
  private func checkSandbox(
    of client: GatekeeperClient, _ credentials: Credentials, _ facts: ClientFacts, _ round: AnswerGroup
  ) {
    facts.checkSandbox(round) {
      sandboxes.check(client.name, credentials, $0)
    } _: { [weak self, weak client] group in
      facts.program = group?.program
      if let group { facts.placement = group.belongsToSession ? .session : .outside }
      client?.unit = group?.unit
      guard let self, let client else { return }
      changed(client)
      guard facts.confinement == .unknown else { return }
      let pause = facts.sandboxPause
      facts.sandboxPause = min(pause * 2, Self.sandboxPauses.upperBound)
      facts.sandboxTimer = MainLoop.main.after(pause) { [weak self, weak client] in
        if let client, client.isWaiting { self?.prepare(client, since: MainLoop.main.clock.boottime()) {} }
      }
    }
  }

  private func handle(_ event: PolicyAnswers.Event, for client: GatekeeperClient) {
    guard let facts = registry[client], let user = client.credentials?.userID else { return }
    let account = account(of: client)
    let actions = facts.policy.handle(event, at: now)
    facts.timer = facts.policy.deadline.map { time in
      MainLoop.main.at(time) { [weak self, weak client] in
        guard let self, let client else { return }
        handle(.timer(isServed: client.isWaiting, isPolkitThere: polkit.isThere), for: client)
      }
    }
    for action in actions {
      switch action {
      case .ask(let action, let mayStart): polkit.ask(action, about: client.name, of: account, mayStartPolkit: mayStart)
      // If the session may also have changed, wait for logind, so that only the final outcome is reported.
      case .changed where sessions.isDoubtful(user):
        facts.isChangeUnreported = true
        postpone(client)
      case .changed: changed(client)
      case .ready: facts.policyWaiters.release()
      }
    }
  }
}

// MARK: - Changes
extension SystemGatekeeper {
  private func changed(_ client: GatekeeperClient) {
    guard let facts = registry[client] else { return }
    facts.isChangeUnreported = false
    guard facts.isGathered else { return }
    onChange?(client)
    searchSoon()
  }

  /// Notes a change that is reported later. If a review is due because of an earlier change, locations from before this
  /// one must not count as later than the change that granted access.
  private func postpone(_ client: GatekeeperClient) {
    if client.changedAt != nil { client.changedAt = MainLoop.main.clock.boottime() }
  }

  private func changed(_ user: UInt32, where isConcerned: (GatekeeperClient) -> Bool = { _ in true }) {
    for client in clients.values where client.credentials?.userID == user && isConcerned(client) { changed(client) }
  }

  /// Whether nothing may be delivered to a client yet. The last fact to be confirmed ends that.
  private func isHeld(_ client: GatekeeperClient) -> Bool { hold(on: client)?.isConfirmed == false }

  /// Damps a change of a user's session or agents. Returns whether it concerns the user's clients now.
  private func follow(_ user: UInt32, from known: User? = nil) -> Bool {
    guard var entry = known ?? users[user] else { return false }
    var access = UserAccess(session: sessions.state(of: user), agents: agents.levels(of: user))
    let agentMayStart = sessions.agentMayStart(of: user).flatMap { $0 > now ? $0 : nil }
    if agentMayStart != nil { access.agents.absenceIsUncertain() }
    let isChanged = entry.access.handle(access, at: now)
    entry.timer = [entry.access.deadline, agentMayStart].compactMap(\.self).min().map { time in
      MainLoop.main.at(time) { [weak self] in
        if self?.follow(user) == true { self?.changed(user) }
      }
    }
    users[user] = entry
    return isChanged
  }

  private func sessionChanged(_ user: UInt32, from before: Facts.Session?) {
    let isChanged = follow(user)
    let state = sessions.state(of: user)
    let hasChanged = before.map { $0 != state } ?? false
    for client in clients.values where client.credentials?.userID == user {
      // polkit's defaults depend on the session, so its earlier answers are now in doubt, also those from while logind
      // did not answer. A refusal that arrived while logind was being asked may be due to a session that was inactive only
      // for a moment.
      let isDoubted = hasChanged || hasLostAccessUnreported(client)
      if isDoubted {
        polkit.doubt(client.name)
        handle(.sessionChanged(isInactive: state == .inactive), for: client)
        doubt(client)
        postpone(client)
      }
      let isUnreported = isChanged || registry[client]?.isChangeUnreported == true
      if isDoubted, state == .active {
        // While polkit is asked, its answer leads to the report of what a user with an active session may do.
        if isUnreported, registry[client]?.policy.isDecidedSoon == false { changed(client) }
      } else if isUnreported || !isHeld(client) {
        changed(client)
      }
    }
  }

  /// Whether a client has lost its access while logind was being asked. Without anything that waits for the answer, the
  /// loss is reported as it is.
  private func hasLostAccessUnreported(_ client: GatekeeperClient) -> Bool {
    guard let facts = registry[client], facts.isChangeUnreported else { return false }
    return facts.policy.hasLostAccess && isServed(client)
  }

  private func isServed(_ user: UInt32) -> Bool {
    clients.values.contains { $0.credentials?.userID == user && isServed($0) }
  }

  private func isServed(_ client: GatekeeperClient) -> Bool {
    client.isWaiting || registry[client]?.isGathering == true
  }

  private func policyChanged() {
    sessions.doubtAll()
    for client in clients.values { doubt(client) }
  }

  /// Records that polkit's answers about a client may have changed.
  private func doubt(_ client: GatekeeperClient) {
    guard let user = client.credentials?.userID, kind(of: user) == .other else { return }
    handle(.doubted(isServed: isServed(client)), for: client)
  }

  /// A new agent need not announce itself, so search periodically while a client waits for one.
  private func searchSoon() {
    guard search == nil else { return }
    // One search serves all clients that change in the same turn of the loop.
    search = MainLoop.main.nextTurn { [weak self] in
      self?.search = nil
      self?.searchIfNeeded()
    }
  }

  private func searchIfNeeded() {
    guard !usersWithoutAgent.isEmpty else { return }
    search = MainLoop.main.after(AgentSearch.interval) { [weak self] in
      guard let self else { return }
      search = nil
      let accounts = Dictionary(grouping: usersWithoutAgent, by: accountOf)
      for user in accounts.values.flatMap({ $0.shuffled().prefix(Self.searchesPerAccount) }) {
        agents.find(user, again: true) {}
      }
      searchIfNeeded()
    }
  }

  private var usersWithoutAgent: Set<UInt32> {
    Set(
      clients.values.compactMap { client in
        guard client.isWaiting, let user = client.credentials?.userID, kind(of: user) == .other else { return nil }
        switch agents.levels(of: user).level(without: client.name) {
        case .none, .unknown: return user
        case .level: return nil
        }
      })
  }
}
