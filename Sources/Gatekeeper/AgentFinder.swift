import DBus
import GeopublicistLocationModel
import MainLoop

/// Finds the GeoClue agents of users and follows what they allow.
///
/// Agents own no name: any connection of the user may be one, and each is asked whether it is. What is found is
/// remembered until that connection leaves the bus.
final class AgentFinder {
  /// Called with a user whose agents have come, gone, or allow something else now.
  var onChange: ((UInt32) -> Void)?

  /// How long those who have not answered keep others waiting at least.
  private static let pace: Int64 = 250_000

  private let connection: Connection
  private let probes: ProbePool
  private let peers: PeerWatch
  private let sandboxes: SandboxCheck
  private var users: [UInt32: UserAgents] = [:]
  /// Whose connections they are; a unique name is never given to another one.
  private var owners: [BusName: Credentials] = [:]
  private var match: SignalMatch?
  private var listing: PendingCall?
  private var credentialCalls: [BusName: PendingCall] = [:]
  /// The users whose agents are to be looked for, with those who ask.
  private var wanted: [UInt32: Set<BusName>] = [:]

  init(on connection: Connection, _ probes: ProbePool, _ sandboxes: SandboxCheck) {
    self.connection = connection
    self.probes = probes
    peers = PeerWatch(on: connection)
    self.sandboxes = sandboxes
    match = connection.onSignal(
      MatchRule(path: AgentQuestion.path, interface: AgentQuestion.properties, member: "PropertiesChanged")
    ) { [weak self] signal in self?.changed(signal) }
  }

  /// The least that the agents of a user allow, leaving out one connection: nobody is its own agent.
  func level(for user: UInt32, without peer: BusName) -> Facts.AgentLevel {
    users[user]?.level(without: peer) ?? .unknown
  }

  /// Looks for agents of a user among the connections that have not been asked yet, or among all (`again`), and calls
  /// `done` when each has answered or has been silent for too long; for those that are slow nobody waits where an agent is
  /// known. Who asks, `peer`, is not asked itself.
  func find(_ user: UInt32, for peer: BusName? = nil, again: Bool = false, _ done: @escaping () -> Void) {
    let agents = users[user] ?? UserAgents()
    users[user] = agents
    if again { agents.forgetRefusals() }
    peers.reconcileWithBus()
    agents.waiting.append(done)
    wanted[user, default: []].formUnion(peer.map { [$0] } ?? [])
    list()
  }

  /// A user is of no interest any more.
  func forget(_ user: UInt32) {
    users[user] = nil
    wanted[user] = nil
  }

  private func list() {
    guard listing == nil else { return }
    guard let message = try? Message(callingBus: "ListNames") else { return }
    let users = wanted
    wanted = [:]
    listing = connection.call(message, expecting: "as") { [weak self] result in
      guard let self else { return }
      listing = nil
      let names = (try? result.get())?.first?.array?.compactMap { $0.string.flatMap(BusName.init(validating:)) } ?? []
      identify(names.filter { $0.isUnique && $0 != self.connection.uniqueName && !self.probes.isOurs($0) }, for: users)
      if !wanted.isEmpty { list() }
    }
  }

  /// Learns whose the connections are, then asks those of the users.
  private func identify(_ names: [BusName], for users: [UInt32: Set<BusName>]) {
    let round = Gathering { [weak self] in
      guard let self else { return }
      for (user, callers) in users { ask(names.filter { !callers.contains($0) }, of: user) }
    }
    for name in names where owners[name] == nil {
      let done = round.expect()
      credentialCalls[name] = Credentials.ask(for: name, on: connection) { [weak self] credentials in
        self?.credentialCalls.removeValue(forKey: name)
        if let self, let credentials {
          owners[name] = credentials
          peers.whenGone(name) { [weak self] in self?.gone(name) }
        }
        done()
      }
    }
    round.allExpected()
  }

  private func ask(_ names: [BusName], of user: UInt32) {
    guard let agents = users[user] else { return }
    agents.rounds += 1
    let round = Gathering { [weak self, weak agents] in
      guard let agents else { return }
      agents.rounds -= 1
      // One that has nobody left to ask ends at once; whom it would have asked has not answered another one yet.
      guard agents.rounds == 0 else { return }
      let before = agents.isSearched
      agents.isSearched = true
      if !before { self?.onChange?(user) }
      agents.finish()
    }
    for name in names where owners[name]?.userID == user && agents.isNew(name) {
      let done = round.expect()
      agents.ask(name, through: probes) { [weak self, weak agents] level in
        guard let self, let agents, let level, let credentials = owners[name] else { return done() }
        // A sandboxed program may say that it is an agent; GeoClue would not take it for one.
        sandboxes.check(name, credentials) { [weak self] confinement, _ in
          if confinement == .host, agents.set(level, of: name) { self?.onChange?(user) }
          done()
        }
      }
    }
    round.timer = MainLoop.main.every(microseconds: Self.pace) { [weak round, weak agents] in
      if agents?.hasAgent != false { round?.giveUp() }
    }
    round.allExpected()
  }

  private func gone(_ name: BusName) {
    guard let user = owners.removeValue(forKey: name)?.userID, let agents = users[user] else { return }
    if agents.remove(name) { onChange?(user) }
  }

  private func changed(_ signal: Signal) {
    guard signal.arguments.count == 3, signal.arguments[0].string == AgentQuestion.interface.rawValue,
      let user = owners[signal.sender]?.userID, let agents = users[user], agents.isAgent(signal.sender)
    else { return }
    if let number = signal.arguments[1].properties?["MaxAccuracyLevel"]?.uint32 {
      if agents.set(AccuracyLevel(rounding: number), of: signal.sender) { onChange?(user) }
    } else if signal.arguments[2].array?.contains(.string("MaxAccuracyLevel")) == true {
      agents.askAgain(signal.sender, through: probes) { [weak self, weak agents] level in
        guard let agents else { return }
        let hasChanged = level.map { agents.set($0, of: signal.sender) } ?? agents.remove(signal.sender)
        if hasChanged { self?.onChange?(user) }
      }
    }
  }
}
