// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// What is known of one user's GeoClue agents, and the search for them.
///
/// Agents own no name: any connection of the user may be one, and each is asked for its level. There is one search and one
/// deadline at a time; everybody who waits joins it and hears of its end, whatever the connections do. An agent whose level
/// may be another one holds deliveries until it has been asked again. All times are in microseconds.
nonisolated struct AgentSearch {
  /// How long a search lasts at most.
  static let searchTime: Int64 = 2_000_000
  /// How long a call waits for the search if an agent is known: it decides, and whoever opens connections that stay
  /// silent does not delay the user's other programs.
  static let pace: Int64 = 50_000
  /// How many connections of one user are asked at once.
  static let parallel = 16
  /// How long a connection that did not answer is left alone, the first time; then twice as long each time.
  static let silence: Int64 = 3_000_000

  enum Event: Hashable, Sendable {
    /// A call needs to know, or a client waits for an agent (`again`): then connections that were none are asked again.
    /// Without GeoClue, agents may change their levels and not say so: then known ones are asked, too.
    case wanted(again: Bool, isGeoClueThere: Bool = true)
    /// The user's connections that are on the bus, ours and the callers' own left out.
    case listed([BusName], isComplete: Bool)
    /// A connection has told its level as an agent, or that it is none.
    case answered(BusName, AccuracyLevel?)
    /// A connection has not answered in time.
    case silent(BusName)
    /// It is known whether a connection that has a level may be an agent at all.
    case verified(BusName, isAgent: Bool)
    /// A connection says what its level is now.
    case announced(BusName, AccuracyLevel)
    /// A connection says that its level is another one.
    case invalidated(BusName)
    case left(BusName)
    /// Agents may have changed their levels without a word.
    case doubted
    /// ``wakeUp`` has come.
    case timer
  }

  enum Action: Hashable, Sendable {
    /// List the user's connections.
    case list
    case probe(BusName)
    /// Find out whether a connection may be an agent.
    case verify(BusName)
    /// The level may be another one, or deliveries are held from now on, or not any more.
    case changed
    /// Calls that wait for the search go on.
    case ready
  }

  private enum Work: Hashable {
    case queued
    /// `isOutdated`: the answer may be from before a doubt.
    case probing(isOutdated: Bool)
    case verifying(AccuracyLevel, isOutdated: Bool)
  }

  private struct Agent {
    var level: AccuracyLevel
    var confirmation = Confirmation()
  }

  private struct Refusal {
    var silences = 0
    /// When it may be asked again.
    var end: Int64 = 0
  }

  private struct Search {
    let begin: Int64
    var isListed = false
  }

  private var agents: [BusName: Agent] = [:]
  private var refusals: [BusName: Refusal] = [:]
  private var work: [BusName: Work] = [:]
  private var queue: [BusName] = []
  private var search: Search?
  private var isSearched = false
  private var wasHeld = false

  /// Whether announcements of a connection count: it is an agent, or is being asked whether it is.
  func listens(to name: BusName) -> Bool { agents[name] != nil || work[name] != nil }

  /// The least that the agents allow, leaving out one connection: no client is its own agent.
  func level(without peer: BusName) -> Facts.AgentLevel {
    guard isSearched else { return .unknown }
    var least: AccuracyLevel?
    for (name, agent) in agents where name != peer {
      if agent.confirmation.isExpired { return .unknown }
      least = min(least ?? agent.level, agent.level)
    }
    return least.map { .level($0) } ?? .none
  }

  /// Whether deliveries wait for an agent.
  func isHeld(at now: Int64) -> Bool { agents.values.contains { $0.confirmation.isHeld(at: now) } }

  /// How many connections are being asked.
  var inFlight: Int { work.values.count { if case .probing = $0 { true } else { false } } }

  /// When ``Event/timer`` is due.
  var wakeUp: Int64? {
    let confirmations = agents.values.map(\.confirmation)
    let heldFrom = wasHeld ? [] : confirmations.map(\.heldFrom)
    return (confirmations.map(\.deadline) + heldFrom + [searchDeadline]).compactMap(\.self).min()
  }

  mutating func handle(_ event: Event, at now: Int64) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .wanted(let again, let isGeoClueThere):
      if !isGeoClueThere { for name in agents.keys where work[name] == nil { doubt(name, now) } }
      want(again, now)
      actions = [.list]
    case .listed(let names, let isComplete):
      for name in names where agents[name] == nil && refusals[name] == nil { enqueue(name) }
      if isComplete { search?.isListed = true }
    case .answered(let name, let level): actions = answered(name, level, now)
    case .silent(let name): actions = silent(name, now)
    case .verified(let name, let isAgent): actions = verified(name, isAgent, now)
    case .announced(let name, let level): actions = announced(name, level)
    case .invalidated(let name): if agents[name] != nil || work[name] != nil { doubt(name, now) }
    case .left(let name):
      (refusals[name], work[name]) = (nil, nil)
      queue.removeAll { $0 == name }
      if agents.removeValue(forKey: name) != nil { actions = [.changed] }
    case .doubted: for name in Set(agents.keys).union(work.keys) { doubt(name, now) }
    case .timer: actions = expire(now)
    }
    actions += probeNext(now) + finishIfDone(now)
    defer { wasHeld = isHeld(at: now) }
    return isHeld(at: now) && !wasHeld && !actions.contains(.changed) ? [.changed] + actions : actions
  }
}

/// Agents.
nonisolated extension AgentSearch {
  private mutating func answered(_ name: BusName, _ level: AccuracyLevel?, _ now: Int64) -> [Action] {
    guard case .probing(let isOutdated) = work[name] else { return [] }
    work[name] = nil
    guard let level else {
      refusals[name] = Refusal()
      return agents.removeValue(forKey: name) == nil ? [] : [.changed]
    }
    guard let agent = agents[name] else {
      work[name] = .verifying(level, isOutdated: isOutdated)
      return [.verify(name)]
    }
    agents[name]?.level = level
    agents[name]?.confirmation.answered(at: now)
    if isOutdated { enqueue(name, first: true) }
    return agent.level != level || (agent.confirmation.isDoubtful && !isOutdated) ? [.changed] : []
  }

  private mutating func silent(_ name: BusName, _ now: Int64) -> [Action] {
    guard case .probing = work[name] else { return [] }
    work[name] = nil
    guard agents[name] == nil else {
      agents[name]?.confirmation.lost()
      return []
    }
    let silences = min((refusals[name]?.silences ?? 0) + 1, 6)
    refusals[name] = Refusal(silences: silences, end: now + Self.silence << (silences - 1))
    return []
  }

  private mutating func verified(_ name: BusName, _ isAgent: Bool, _ now: Int64) -> [Action] {
    // A connection that has left meanwhile is neither.
    guard case .verifying(let level, let isOutdated) = work.removeValue(forKey: name) else { return [] }
    guard isAgent else {
      refusals[name] = Refusal()
      return []
    }
    refusals[name] = nil
    agents[name] = Agent(level: level)
    if isOutdated { doubt(name, now) }
    return [.changed]
  }

  private mutating func announced(_ name: BusName, _ level: AccuracyLevel) -> [Action] {
    if case .verifying(_, let isOutdated) = work[name] { work[name] = .verifying(level, isOutdated: isOutdated) }
    guard let agent = agents[name] else { return [] }
    agents[name]?.level = level
    // It is the agent's last word, unless it is being asked anyway.
    if work[name] == nil { agents[name]?.confirmation = Confirmation() }
    return agent.level != level || agent.confirmation.isDoubtful ? [.changed] : []
  }

  private mutating func doubt(_ name: BusName, _ now: Int64) {
    agents[name]?.confirmation.doubt(at: now)
    switch work[name] {
    case .probing: work[name] = .probing(isOutdated: true)
    case .verifying(let level, _): work[name] = .verifying(level, isOutdated: true)
    case .queued: break
    case nil: if agents[name] != nil { enqueue(name, first: true) }
    }
  }

  private mutating func expire(_ now: Int64) -> [Action] {
    let late = agents.filter { $0.value.confirmation.deadline.map { now >= $0 } ?? false }.keys
    for name in late { agents[name]?.confirmation.expire() }
    return late.isEmpty ? [] : [.changed]
  }
}

/// The search.
nonisolated extension AgentSearch {
  private mutating func want(_ again: Bool, _ now: Int64) {
    if again { refusals = refusals.filter { $0.value.silences > 0 } }
    for (name, refusal) in refusals where refusal.silences > 0 && now >= refusal.end { enqueue(name) }
    for (name, agent) in agents where agent.confirmation.isDoubtful { enqueue(name, first: true) }
    search = search ?? Search(begin: now)
    search?.isListed = false
  }

  private mutating func enqueue(_ name: BusName, first: Bool = false) {
    guard work[name] == nil else { return }
    work[name] = .queued
    queue.insert(name, at: first ? 0 : queue.count)
  }

  private mutating func probeNext(_ now: Int64) -> [Action] {
    var actions: [Action] = []
    var count = inFlight
    while count < Self.parallel, !queue.isEmpty {
      let name = queue.removeFirst()
      work[name] = .probing(isOutdated: false)
      agents[name]?.confirmation.ask(at: now)
      count += 1
      actions.append(.probe(name))
    }
    return actions
  }

  private var searchDeadline: Int64? {
    guard let search else { return nil }
    // Where an agent is known, nobody waits long for connections that may be others.
    let isKnown = agents.values.contains { !$0.confirmation.isDoubtful }
    return search.begin + (isKnown ? Self.pace : Self.searchTime)
  }

  private mutating func finishIfDone(_ now: Int64) -> [Action] {
    guard let search, let deadline = searchDeadline, search.isListed && work.isEmpty || now >= deadline else {
      return []
    }
    self.search = nil
    let isFirst = !isSearched
    isSearched = true
    return (isFirst ? [.changed] : []) + [.ready]
  }
}
