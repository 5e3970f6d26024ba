// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel
import MainLoop

/// Finds users' GeoClue agents and tracks the levels that they allow. Carries out the actions of each user's
/// ``AgentSearch``.
final class AgentFinder {
  /// Called with a user whose agents may now allow a different level, or whose deliveries they no longer hold.
  var onChange: ((UInt32, _ isReleased: Bool) -> Void)?
  /// Returns whether a user has clients that are being served.
  var isServed: (UInt32) -> Bool = { _ in false }

  private final class Entry: MachineShell {
    let user: UInt32
    var host = MachineHost(AgentSearch())
    /// The questions whose answers count.
    var questions: [BusName: PendingCall] = [:]
    var waiting: [() -> Void] = []
    /// When all connections were first asked, or a call last had them asked again.
    var askedAt = AgentSearch.now
    private weak var finder: AgentFinder?

    init(_ user: UInt32, of finder: AgentFinder) { (self.user, self.finder) = (user, finder) }

    var search: AgentSearch { host.machine }

    func perform(_ action: AgentSearch.Action) { finder?.perform(action, for: self) }

    func timeHasCome() {
      if finder?.isServed(user) == true { handle(.served) }
      sendTimer()
      finder?.probeNext()
    }
  }

  private let connection: Connection
  private let lookup: CredentialsLookup
  private let probes: ProbePool
  private let peers: PeerWatch
  private let sandboxes: SandboxCheck
  private let accountOf: (UInt32) -> Account
  /// The connections that wait until their account has fewer unanswered questions than one search may ask, or until the
  /// bus admits a connection on which to ask. A user's account changes when logind answers.
  private var waiting: [(name: BusName, user: UInt32)] = []
  /// The connections whose last question was lost with the connection on which it was asked. An answer may be too long
  /// for that, so each of them is asked again on a connection of its own.
  private var lost: Set<BusName> = []
  private let mayBeAgent: (ControlGroup?) -> Bool
  private var users: [UInt32: Entry] = [:]
  /// The user behind each connection. The bus never reuses a unique name, so entries stay valid until the connection
  /// leaves.
  private var owners: [BusName: Credentials] = [:]
  /// Connections whose credentials the bus has not returned yet.
  private var unidentified: Set<BusName> = []
  /// Those that have announced a level of an agent.
  private var announcers: Set<BusName> = []
  private var match: SignalMatch?
  private var geoclue: NameWatch?
  private var listing: PendingCall?
  /// When a call of each account last had connections asked again.
  private var refreshes: [Account: MonotonicInstant] = [:]
  /// The users whose connections are to be listed, each with the clients that asked. A client is never its own agent.
  private var wanted: [UInt32: Set<BusName>] = [:]

  /// - Parameter mayBeAgent: Returns whether GeoClue would accept a program in this control group as an agent.
  init(
    on connection: Connection, _ lookup: CredentialsLookup, _ probes: ProbePool, _ sandboxes: SandboxCheck,
    accountOf: @escaping (UInt32) -> Account, mayBeAgent: @escaping (ControlGroup?) -> Bool = { _ in true }
  ) {
    self.connection = connection
    self.lookup = lookup
    self.probes = probes
    self.sandboxes = sandboxes
    (self.accountOf, self.mayBeAgent) = (accountOf, mayBeAgent)
    peers = PeerWatch(on: connection)
    probes.onReady = { [weak self] in self?.probeNext() }
    let isExpected: (BusName) -> Bool = { [weak self] sender in self?.mayBeOfUser(sender) ?? false }
    match = connection.onSignal(
      MatchRule(path: GeoClueNames.agentPath, interface: .properties, member: .propertiesChanged), from: isExpected
    ) { [weak self] signal in self?.changed(signal) }
    // GNOME Shell announces a new level only while GeoClue runs, so a level may have changed unannounced.
    geoclue = NameWatch("org.freedesktop.GeoClue2", on: connection) { [weak self] _ in self?.doubtAll() }
  }

  /// Returns the coarsest levels that the user's agents allow.
  func levels(of user: UInt32) -> AgentLevels { users[user]?.search.levels ?? AgentLevels() }

  /// Returns whether deliveries to a user are held until an agent confirms its level.
  func isHeld(_ user: UInt32) -> Bool { users[user]?.search.isHeld(at: AgentSearch.now) ?? false }

  /// Searches a user's connections for agents and calls `done` when the search ends, with or without a result.
  /// Connections that have already answered are asked only if `again` is true, or if that has not been done for a while.
  func find(_ user: UInt32, for peer: BusName? = nil, again: Bool = false, _ done: @escaping () -> Void) {
    let entry = users[user] ?? Entry(user, of: self)
    users[user] = entry
    peers.reconcileWithBus()
    entry.waiting.append(done)
    wanted[user, default: []].formUnion(peer.map { [$0] } ?? [])
    let again = again || mayAskAgain(entry)
    handle(.wanted(again: again, isGeoClueThere: geoclue?.owner != nil), user)
  }

  private func mayAskAgain(_ entry: Entry) -> Bool {
    let now = AgentSearch.now
    guard entry.search.hasRefusals,
      !entry.search.hasAgent || now - entry.askedAt >= AgentSearch.slowInterval
    else { return false }
    let account = accountOf(entry.user)
    refreshes = refreshes.filter { now - $0.value < AgentSearch.interval }
    guard refreshes[account] == nil else { return false }
    (refreshes[account], entry.askedAt) = (now, now)
    return true
  }

  /// Discards everything known about a user who has no clients left.
  func forget(_ user: UInt32) {
    wanted[user] = nil
    guard let entry = users.removeValue(forKey: user) else { return }
    finish(entry)
    probeNext()
  }

  /// Discards all results and searches again, because the rules for agents have changed.
  func startOver() {
    waiting = []
    for (user, entry) in users {
      (entry.host, entry.questions) = (MachineHost(AgentSearch()), [:])
      wanted[user, default: []].formUnion([])
      handle(.wanted(again: true), user)
      onChange?(user, true)
    }
  }

  private func doubtAll() {
    for user in users.keys { handle(.doubted, user) }
  }

  private func handle(_ event: AgentSearch.Event, _ user: UInt32) {
    users[user]?.handle(event)
    probeNext()
  }

  private func perform(_ action: AgentSearch.Action, for entry: Entry) {
    switch action {
    case .list: list()
    case .probe(let name): waiting.append((name, entry.user))
    case .verify(let name): verify(name, entry.user)
    case .changed: onChange?(entry.user, false)
    case .released: onChange?(entry.user, true)
    case .ready: finish(entry)
    }
  }

  private func finish(_ entry: Entry) {
    let waiting = entry.waiting
    entry.waiting = []
    for done in waiting { done() }
  }
}

// MARK: - Connections
extension AgentFinder {
  /// Lists the connections, unless those of the last list are still being identified: a search that did not wait for
  /// them would end without some of the user's connections.
  private func list() {
    guard listing == nil, unidentified.isEmpty else { return }
    let callers = wanted
    wanted = [:]
    let message = Message(callingBus: "ListNames")
    listing = connection.call(message, timeout: .milliseconds(5_000), expecting: "as") { [weak self] result in
      guard let self else { return }
      listing = nil
      guard case .success(let values) = result else {
        // The users whose connections could not be listed are part of the next list.
        return wanted.merge(callers) { $0.union($1) }
      }
      let names = values.first?.array?.compactMap { $0.string.flatMap(BusName.init(validating:)) } ?? []
      identify(
        names.filter {
          $0.isUnique && $0 != self.connection.uniqueName && !self.probes.isOurs($0) && !self.sandboxes.isOurs($0)
        }, for: callers)
    }
  }

  /// Asks the bus for the users behind the connections, then reports each user's own connections to that user's search.
  private func identify(_ names: [BusName], for callers: [UInt32: Set<BusName>]) {
    let round = AnswerGroup { [weak self] in
      guard let self else { return }
      let owned = Dictionary(grouping: names) { self.owners[$0]?.userID }
      for (user, callers) in callers {
        let own = (owned[user] ?? []).filter { !callers.contains($0) }
        // A caller may be the agent of another one.
        handle(.listed(own, isComplete: wanted[user] == nil && callers.count < 2), user)
      }
      if !wanted.isEmpty { list() }
    }
    for name in names where owners[name] == nil {
      unidentified.insert(name)
      let done = round.expect()
      learnOwner(of: name) { [weak self] in
        self?.unidentified.remove(name)
        done()
      }
    }
    round.allExpected()
  }

  private func learnOwner(of name: BusName, _ done: @escaping () -> Void) {
    // Watch before asking: the connection may leave before the bus answers.
    peers.whenGone(name) { [weak self] in self?.left(name) }
    lookup.ask(about: name, isUrgent: false) { [weak self] credentials in
      guard let self else { return }
      if unidentified.contains(name) || announcers.contains(name) { owners[name] = credentials }
      done()
    }
  }

  private func left(_ name: BusName) {
    unidentified.remove(name)
    announcers.remove(name)
    lost.remove(name)
    lookup.forget(name)
    probes.left(name)
    sandboxes.forget(name)
    guard let user = owners.removeValue(forKey: name)?.userID else { return }
    users[user]?.questions[name] = nil
    handle(.left(name), user)
  }

  /// Asks the next connections. Together, an account's users may have only as many open questions as one search.
  private func probeNext() {
    guard !waiting.isEmpty else { return }
    let next = waiting
    waiting = []
    var open: [Account: Int] = [:]
    for (user, entry) in users { open[accountOf(user), default: 0] += entry.questions.count }
    for (name, user) in next {
      guard let entry = users[user], entry.search.knows(name) else { continue }
      let account = accountOf(user)
      guard open[account, default: 0] < AgentSearch.parallel else {
        waiting.append((name, user))
        continue
      }
      open[account, default: 0] += 1
      probe(name, entry)
    }
  }

  /// Asks one connection whether it is an agent and which level it allows.
  private func probe(_ name: BusName, _ entry: Entry) {
    let user = entry.user
    let isAlone = lost.contains(name)
    guard let probe = isAlone ? probes.takeAlone() : probes.take(for: name, of: accountOf(user)) else {
      return waiting.append((name, user))
    }
    let message = GeoClueAgent.levelQuestion(to: name)
    entry.questions[name] = probe.connection.call(
      message, timeout: .after(AnswerDeadlines.agentSearch), expecting: .variant, within: .smallAnswer
    ) { [weak self, weak entry] result in
      if case .failure(.notSent) = result { probe.answered(name) }
      guard let self, let entry, users[user] === entry else { return }
      entry.questions[name] = nil
      lost.remove(name)
      switch result {
      case .success(let values):
        handle(.answered(name, values.first?.unwrapped.uint32.map(AccuracyLevel.init(rounding:))), user)
      case .failure(.refused): handle(.answered(name, nil), user)
      case .failure(.lost) where !isAlone && !probe.connection.isConnected:
        // Any of the peers that were asked may have caused it.
        lost.insert(name)
        waiting.append((name, user))
      case .failure(.lost), .failure(.notSent): handle(.silent(name), user)
      }
    }
  }

  /// GeoClue rejects agents in sandboxes and agents that its configuration does not list.
  private func verify(_ name: BusName, _ user: UInt32) {
    guard let credentials = owners[name] else { return handle(.verified(name, isAgent: false), user) }
    sandboxes.check(name, credentials) { [weak self] confinement, group in
      guard let self else { return }
      let isUnknown = confinement == .unknown || confinement == .unverifiable
      handle(.verified(name, isAgent: isUnknown ? nil : confinement == .host && mayBeAgent(group)), user)
    }
  }

  /// Whether a connection may be one of a user whose agents matter.
  private func mayBeOfUser(_ name: BusName) -> Bool {
    owners[name].map { users[$0.userID] != nil } ?? !users.isEmpty
  }

  private func changed(_ signal: Signal) {
    let name = signal.sender
    guard let user = owners[name]?.userID else { return learnAnnouncer(name) }
    switch GeoClueAgent.announcement(in: signal) {
    case .level(let level): handle(.announced(name, level), user)
    case .changed: handle(.invalidated(name), user)
    case nil: break
    }
  }

  /// Handles signals of a connection whose user is not known yet. They need not be read: the connection is asked.
  private func learnAnnouncer(_ name: BusName) {
    guard announcers.insert(name).inserted else { return }
    learnOwner(of: name) { [weak self] in
      guard let self, announcers.remove(name) != nil, let user = owners[name]?.userID else { return }
      handle(.invalidated(name), user)
    }
  }
}
