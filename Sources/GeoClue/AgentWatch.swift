// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import Glibc

/// Follows what may be the GeoClue agent of our user, which GeoClue's running clients do not follow: they keep to an
/// agent that has died, and do not notice that one allows less.
///
/// An agent owns no name, and only GeoClue and root may ask it anything. But it tells everybody of its changes; and
/// the one that a client depends on was on the bus when the client was made. So every connection of our user that was
/// there at that moment counts as an agent when it leaves: a new client is cheap.
final class AgentWatch {
  private let connection: Connection
  private let user = getuid()
  private let onChange: (AccuracyLevel?) -> Void
  private var matches: [SignalMatch] = []
  private var users: [BusName: UInt32] = [:]
  /// Connections whose user the bus has not told yet, with what to do if it is ours.
  private var questions: [BusName: [() -> Void]] = [:]
  private var listing: PendingCall?
  /// What agents of our user said last.
  private var levels: [BusName: AccuracyLevel] = [:]
  /// What senders said whose user is still being asked for.
  private var unconfirmed: [BusName: AccuracyLevel] = [:]
  private var candidates: Set<BusName> = []

  /// `onChange` hears the lowest level that an agent of our user has told, nil if none has, whenever a client should
  /// be made anew.
  init(on connection: Connection, _ onChange: @escaping (AccuracyLevel?) -> Void) {
    self.connection = connection
    self.onChange = onChange
  }

  /// Begins to follow, or ends it and forgets everything; calling it twice is fine.
  func follow(_ wanted: Bool) {
    guard wanted != !matches.isEmpty else { return }
    (users, questions, listing, levels, unconfirmed, candidates) = ([:], [:], nil, [:], [:], [])
    matches = wanted ? [followSignals(), followDepartures()] : []
  }

  /// A client was made: from now on it depends on an agent that is on the bus at this moment.
  func clientWasMade() {
    guard !matches.isEmpty else { return }
    candidates = []
    listing = askBus("ListNames", [], expecting: "as") { [weak self] result in
      self?.listing = nil
      if case .success(let values) = result { self?.consider(values.first?.array ?? []) }
    }
  }

  private func consider(_ values: [Value]) {
    let names = Set(values.compactMap { $0.string.flatMap(BusName.init(validating:)) }.filter(\.isUnique))
    users = users.filter { names.contains($0.key) }
    for name in names where name != connection.uniqueName {
      if let owner = users[name] {
        if owner == user { candidates.insert(name) }
      } else {
        ask(whose: name) { [weak self] in self?.candidates.insert(name) }
      }
    }
  }

  private func followSignals() -> SignalMatch {
    let mayBeAgent: (BusName) -> Bool = { [weak self] sender in self?.mayBeAgent(sender) ?? false }
    return connection.onSignal(
      MatchRule(path: GeoClueNames.agentPath, interface: .properties, member: .propertiesChanged),
      from: mayBeAgent
    ) { [weak self] signal in
      guard let self,
        let level = GeoClueReply.changes(in: signal, of: GeoClueNames.agent)?["MaxAccuracyLevel"]?.uint32
      else { return }
      heard(AccuracyLevel(rounding: level), from: signal.sender)
    }
  }

  /// Whether a sender is not known to be another user's.
  private func mayBeAgent(_ sender: BusName) -> Bool {
    sender != connection.uniqueName && (users[sender] ?? user) == user
  }

  /// Anybody can say this; only an agent of our own user counts.
  private func heard(_ level: AccuracyLevel, from sender: BusName) {
    if let owner = users[sender] {
      guard owner == user else { return }
      levels[sender] = level
      onChange(levels.values.min())
    } else {
      unconfirmed[sender] = level
      ask(whose: sender) { [weak self] in
        guard let self, let level = unconfirmed[sender] else { return }
        levels[sender] = level
        onChange(levels.values.min())
      }
    }
  }

  private func followDepartures() -> SignalMatch {
    connection.onSignal(.nameVanished) { [weak self] signal in
      guard let name = signal.arguments.first?.string.flatMap(BusName.init(validating:)), name.isUnique else { return }
      self?.departed(name)
    }
  }

  private func departed(_ name: BusName) {
    let wasAsked = questions.removeValue(forKey: name) != nil
    let wasCandidate = candidates.remove(name) != nil
    let hadLevel = levels.removeValue(forKey: name) != nil
    users[name] = nil
    unconfirmed[name] = nil
    // Who leaves while we are still finding out who is there may have been the one.
    if wasCandidate || hadLevel || wasAsked || listing != nil { onChange(levels.values.min()) }
  }

  private func ask(whose name: BusName, _ isOurs: @escaping () -> Void) {
    questions[name, default: []].append(isOurs)
    guard questions[name]?.count == 1 else { return }
    askBus("GetConnectionUnixUser", [.string(name.rawValue)], expecting: "u") { [weak self] result in
      guard let self, let actions = questions.removeValue(forKey: name) else { return }
      guard case .success(let values) = result, let owner = values.first?.uint32 else { return }
      users[name] = owner
      if owner == user { for action in actions { action() } }
      unconfirmed[name] = nil
    }?.keep()
  }

  private func askBus(
    _ member: MemberName, _ arguments: [Value], expecting signature: Signature,
    _ handler: @escaping (Result<[Value], DBusError>) -> Void
  ) -> PendingCall? {
    let message = try? Message(callingBus: member, arguments)
    return message.flatMap { connection.call($0, expecting: signature, handler) }
  }
}
