// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import Glibc

/// Watches the GeoClue agents of this user. GeoClue's running clients stay bound to an agent that has exited and do not
/// notice when an agent allows less.
///
/// An agent owns no bus name, and only GeoClue and root may call it. But it broadcasts its changes, and the agent of a
/// client was on the bus when that client was created. Every connection of this user that was present then is therefore
/// treated as an agent when it leaves. The only cost is a new client.
final class AgentWatch {
  private let connection: Connection
  private let user = getuid()
  private let onChange: (AccuracyLevel?) -> Void
  private var matches: [SignalMatch] = []
  private var users: [BusName: UInt32] = [:]
  /// Actions for connections whose user is not known yet, to be run if it is this user.
  private var questions: [BusName: [() -> Void]] = [:]
  private var listing: PendingCall?
  /// The last announcements of this user's agents.
  private var levels: [BusName: AccuracyLevel] = [:]
  /// Announcements by senders whose user is not known yet.
  private var unconfirmed: [BusName: GeoClueAgent.Announcement] = [:]
  private var candidates: Set<BusName> = []
  /// The connections that were present when a client was created and whose user is not known yet.
  private var unidentified: Set<BusName> = []

  /// Calls `onChange` whenever a new client should be created, with the lowest level that an agent of this user has
  /// announced, or nil if none has.
  init(on connection: Connection, _ onChange: @escaping (AccuracyLevel?) -> Void) {
    self.connection = connection
    self.onChange = onChange
  }

  /// Starts watching, for good. Repeated calls have no effect.
  func follow() {
    if matches.isEmpty { matches = [followSignals(), followDepartures()] }
  }

  /// Records that a client was created. Its agent is on the bus at this moment.
  func clientWasMade() {
    guard !matches.isEmpty else { return }
    (candidates, unidentified) = ([], [])
    listing = askBus("ListNames", [], expecting: "as") { [weak self] result in
      self?.listing = nil
      if case .success(let values) = result { self?.consider(values.first?.array ?? []) }
    }
  }

  private func consider(_ values: [Value]) {
    let names = Set(values.compactMap { $0.string.flatMap(BusName.init(validating:)) }.filter(\.isUnique))
    users = users.filter { names.contains($0.key) }
    let isLevelGone = levels.keys.contains { !names.contains($0) }
    levels = levels.filter { names.contains($0.key) }
    // The connection to the bus was lost when an agent left.
    if isLevelGone { onChange(levels.values.min()) }
    for name in names where name != connection.uniqueName {
      if let owner = users[name] {
        if owner == user { candidates.insert(name) }
      } else {
        unidentified.insert(name)
        ask(whose: name) { [weak self] in self?.candidates.insert(name) }
      }
    }
  }

  private func followSignals() -> SignalMatch {
    let mayBeAgent: (BusName) -> Bool = { [weak self] sender in self?.mayBeAgent(sender) ?? false }
    return connection.onSignal(
      MatchRule(path: GeoClueNames.agentPath, interface: .properties, member: .propertiesChanged), from: mayBeAgent
    ) { [weak self] signal in
      if let announcement = GeoClueAgent.announcement(in: signal) { self?.heard(announcement, from: signal.sender) }
    }
  }

  /// Returns whether a sender is not known to belong to another user.
  private func mayBeAgent(_ sender: BusName) -> Bool {
    sender != connection.uniqueName && (users[sender] ?? user) == user
  }

  /// Handles an announcement. Any connection can send this signal, but only agents of this user count.
  private func heard(_ announcement: GeoClueAgent.Announcement, from sender: BusName) {
    guard let owner = users[sender] else {
      guard unconfirmed.updateValue(announcement, forKey: sender) == nil else { return }
      return ask(whose: sender) { [weak self] in
        if let self, let announcement = unconfirmed[sender] { note(announcement, from: sender) }
      }
    }
    if owner == user { note(announcement, from: sender) }
  }

  private func note(_ announcement: GeoClueAgent.Announcement, from sender: BusName) {
    switch announcement {
    case .level(let level): levels[sender] = level
    case .changed: levels[sender] = nil
    }
    onChange(levels.values.min())
  }

  private func followDepartures() -> SignalMatch {
    connection.onSignal(.nameVanished) { [weak self] signal in
      guard let name = signal.arguments.first?.string.flatMap(BusName.init(validating:)), name.isUnique else { return }
      self?.departed(name)
    }
  }

  private func departed(_ name: BusName) {
    questions[name] = nil
    let wasUnidentified = unidentified.remove(name) != nil
    let wasCandidate = candidates.remove(name) != nil
    let hadLevel = levels.removeValue(forKey: name) != nil
    users[name] = nil
    unconfirmed[name] = nil
    // A connection that leaves while the list is still being read may have been the agent.
    if wasCandidate || hadLevel || wasUnidentified || listing != nil { onChange(levels.values.min()) }
  }

  private func ask(whose name: BusName, _ isOurs: @escaping () -> Void) {
    questions[name, default: []].append(isOurs)
    guard questions[name]?.count == 1 else { return }
    askBus("GetConnectionUnixUser", [.string(name.rawValue)], expecting: "u") { [weak self] result in
      guard let self, let actions = questions.removeValue(forKey: name) else { return }
      defer {
        unconfirmed[name] = nil
        unidentified.remove(name)
      }
      guard case .success(let values) = result, let owner = values.first?.uint32 else { return }
      users[name] = owner
      if owner == user { for action in actions { action() } }
    }.keep()
  }

  private func askBus(
    _ member: MemberName, _ arguments: [Value], expecting signature: Signature,
    _ handler: @escaping (Result<[Value], CallFailure>) -> Void
  ) -> PendingCall {
    let message = Message(callingBus: member, arguments)
    return connection.call(message, timeout: .milliseconds(5_000), expecting: signature, handler)
  }
}
