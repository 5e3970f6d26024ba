// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop

/// The known facts about one user's GeoClue agents, and the search for them.
///
/// Agents own no bus name: any connection of the user may be one, so each is asked for its level. At most one search
/// with one deadline runs at a time. Every waiting call joins it and is released when it ends, even if connections stay
/// silent. If an agent's level may have changed, deliveries are held until the agent has been asked again.
nonisolated struct AgentSearch: StateMachine {
  /// How long a call waits for the search if an agent is already known, from the first list of connections. That agent
  /// decides, so connections that never answer cannot delay the user's other programs.
  static let pace = Duration.milliseconds(50)
  /// The maximum number of a user's connections that are asked at the same time.
  static let parallel = 16
  /// The interval between searches while a client waits for an agent. Without an agent, a call asks the connections
  /// that were none again if that has not been done for so long: a program may export its agent after it was asked.
  static let interval = Duration.milliseconds(1_500)
  /// The same for a call while an agent is known. Another agent may be stricter, but usually announces that.
  static let slowInterval = Duration.seconds(30)
  /// How long a connection that did not answer is skipped after the first silence. Doubles with each further silence.
  static let silence = Duration.seconds(3)
  /// How often a connection must stay silent until it counts as no agent. Together, these questions take 30 s, longer
  /// than the 25 s for which an agent itself usually waits for an answer.
  static let patience = 4
  /// The pause between questions to an agent while doubts about its level keep arriving, so that an agent cannot make the
  /// service ask all the time.
  static let pause = Duration.milliseconds(100)
  /// How long a level counts before its agent is asked again while a client is served.
  static let freshness = PolicyAnswers.consentAge

  enum Event: MachineEvent, Hashable, Sendable {
    /// A call needs the level. With `again`, connections that were not agents before are asked again, because a client
    /// is waiting for an agent, or because that has not been done for a while. While GeoClue is not running, agents
    /// announce no new levels, so known agents are asked again, too.
    case wanted(again: Bool, isGeoClueThere: Bool = true)
    /// The user's connections on the bus, without the service's own and those of the waiting clients.
    case listed([BusName], isComplete: Bool)
    /// A connection has returned its level as an agent, or nil if it is not an agent.
    case answered(BusName, AccuracyLevel?)
    /// A connection did not answer in time.
    case silent(BusName)
    /// Whether a connection that returned a level may be an agent, or nil if that could not be found out.
    case verified(BusName, isAgent: Bool?)
    /// A connection has announced its level as an agent, perhaps before it was found.
    case announced(BusName, AccuracyLevel)
    /// A connection announced that its level changed, without the value.
    case invalidated(BusName)
    case left(BusName)
    /// Agents may have changed their levels without announcing it.
    case doubted
    /// A client of the user is being served. Agents whose levels have aged are asked again, because dbus-daemon drops
    /// announcements while too much waits for the service. That is not a doubt: nothing waits for the answers.
    case served
    /// The time in ``deadline`` has been reached.
    case timer
  }

  enum Action: Hashable, Sendable {
    case list
    case probe(BusName)
    /// Check whether a connection may be an agent.
    case verify(BusName)
    /// The level may have changed.
    case changed
    /// Deliveries are no longer held.
    case released
    /// Release the calls that wait for the search.
    case ready
  }

  private enum Work: Hashable {
    case queued
    /// `isOutdated`: the answer may predate a doubt, or the level that the connection has announced since.
    case probing(isOutdated: Bool, announced: AccuracyLevel? = nil)
    case verifying(AccuracyLevel, isOutdated: Bool)
  }

  private struct Agent {
    var level: AccuracyLevel
    var confirmation = Confirmation()
    /// Whether it has not answered its last question in time.
    var isSilent = false
    /// Whether its last answer was outdated when it arrived.
    var wasOutdated = false
    /// Whether it has announced a change, but not its new level.
    var hasChanged = false
    /// When a doubt may lead to the next question.
    var pauseEnd = MonotonicInstant.origin
    /// When the level has aged, or nil if that was noticed.
    var freshUntil: MonotonicInstant?
  }

  private struct Refusal {
    var silences = 0
    /// When the connection may be asked again.
    var end: MonotonicInstant
    /// Whether the connection has announced a level that it has not told since, so that it is asked again.
    var hasAnnounced = false
    /// Whether its last answer was outdated when it arrived.
    var wasOutdated = false
  }

  private struct Search {
    let begin: MonotonicInstant
    var listedAt: MonotonicInstant?
    var isListed = false
  }

  private var agents: [BusName: Agent] = [:]
  private var refusals: [BusName: Refusal] = [:]
  private var work: [BusName: Work] = [:]
  private var queue: [BusName] = []
  private var search: Search?
  private var isSearched = false
  /// Whether the user's connections have ever been listed.
  private var hasList = false
  /// Whether all of them have ever been listed. Until then, a missing agent is not certain.
  private var hasCompleteList = false
  /// Whether all connections of the user have answered or were silent too often. Later
  /// connections do not change that: until they answer as agents, there is no agent.
  private var isSettled = false
  /// The coarsest levels that the agents allow. If an agent does not confirm its level in time, its last one still
  /// applies as long as another agent confirms its own, unless it has announced a change. Otherwise the levels are
  /// unknown.
  private(set) var levels = AgentLevels()

  /// Whether there are connections that were not agents when they were asked.
  var hasRefusals: Bool { refusals.values.contains { $0.silences == 0 } }

  /// Whether an agent is known, also one that does not count because it is the caller's own.
  var hasAgent: Bool { agents.values.contains { !$0.confirmation.isExpired } }

  /// Returns whether a connection is an agent, or is being checked.
  func knows(_ name: BusName) -> Bool { agents[name] != nil || work[name] != nil }

  /// Returns whether deliveries are held until an agent confirms its level.
  func isHeld(at now: MonotonicInstant) -> Bool {
    agents.values.contains { !$0.confirmation.isExpired && $0.confirmation.isHeld(at: now) }
  }

  var inFlight: Int { work.values.count { if case .probing = $0 { true } else { false } } }

  /// When ``Event/timer`` is due, or nil if it is not needed.
  var deadline: MonotonicInstant? {
    let times = agents.map { name, agent in
      [
        agent.confirmation.deadline, isPaused(name, agent) ? agent.pauseEnd : nil,
        work[name] == nil ? agent.freshUntil : nil,
      ].compactMap(\.self).min()
    }
    let announced = refusals.compactMap { name, refusal in
      refusal.hasAnnounced && work[name] == nil ? refusal.end : nil
    }
    return (times + announced + [searchDeadline]).compactMap(\.self).min()
  }

  mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    let wasHeld = isHeld(at: now)
    switch event {
    case .wanted(let again, let isGeoClueThere):
      if !isGeoClueThere { for name in agents.keys where work[name] == nil { doubt(name, now) } }
      want(again, now)
      actions = [.list]
    case .listed(let names, let isComplete):
      for name in names where agents[name] == nil && refusals[name] == nil { enqueue(name) }
      hasList = true
      if search?.listedAt == nil { search?.listedAt = now }
      if isComplete {
        hasCompleteList = true
        search?.isListed = true
      }
    case .answered(let name, let level): actions = answered(name, level, now)
    case .silent(let name): actions = silent(name, now)
    case .verified(let name, let isAgent): verified(name, isAgent, now)
    case .announced(let name, let level): announced(name, level, now)
    case .invalidated(let name):
      agents[name]?.hasChanged = true
      knows(name) ? doubt(name, now) : askSoon(name, now)
    case .left(let name):
      (refusals[name], work[name]) = (nil, nil)
      queue.removeAll { $0 == name }
      agents[name] = nil
    case .doubted: for name in Set(agents.keys).union(work.keys) { doubt(name, now) }
    case .served: confirmAged(now)
    case .timer: expire(now)
    }
    actions += probeNext(now) + finishIfDone(now)
    settle()
    let before = levels
    levels = currentLevels
    return (levels == before ? [] : [.changed]) + (wasHeld && !isHeld(at: now) ? [.released] : []) + actions
  }
}

// MARK: - Agents
nonisolated extension AgentSearch {
  private mutating func answered(_ name: BusName, _ level: AccuracyLevel?, _ now: MonotonicInstant) -> [Action] {
    guard case .probing(let isOutdated, let announced) = work[name] else { return [] }
    work[name] = nil
    guard let answer = level else {
      refused(name, isOutdated: isOutdated, now)
      return []
    }
    // What it announced meanwhile may be newer than its answer.
    let level = announced ?? answer
    guard var agent = agents[name] else {
      work[name] = .verifying(level, isOutdated: isOutdated)
      return [.verify(name)]
    }
    if agent.confirmation.isDoubtful { agent.pauseEnd = now + Self.pause }
    agent.confirmation.answered(at: now)
    // The first question that a doubt overtakes is repeated immediately.
    if isOutdated, !agent.wasOutdated { enqueue(name, first: true) }
    (agent.level, agent.isSilent, agent.wasOutdated) = (level, false, isOutdated)
    agent.hasChanged = agent.hasChanged && isOutdated
    agent.freshUntil = now + Self.freshness
    agents[name] = agent
    return []
  }

  /// A connection has answered that it has no level. If it announced one meanwhile, that may be newer, so it is asked
  /// again, immediately the first time. The announcement alone makes no agent: any program can send one.
  private mutating func refused(_ name: BusName, isOutdated: Bool, _ now: MonotonicInstant) {
    let isFirst = isOutdated && !(agents[name]?.wasOutdated ?? refusals[name]?.wasOutdated ?? false)
    if isFirst, agents[name] != nil {
      agents[name]?.confirmation.lost()
      agents[name]?.wasOutdated = true
    } else {
      let end = isFirst ? now : now + Self.interval
      (refusals[name], agents[name]) = (Refusal(end: end, hasAnnounced: isOutdated, wasOutdated: isOutdated), nil)
    }
    if isFirst { enqueue(name, first: true) }
  }

  private mutating func silent(_ name: BusName, _ now: MonotonicInstant) -> [Action] {
    guard case .probing = work[name] else { return [] }
    work[name] = nil
    if let agent = agents[name] {
      agents[name]?.confirmation.lost()
      if agent.confirmation.isInBackground {
        agents[name]?.freshUntil = now + Self.freshness
        if agent.confirmation.isDoubtful { enqueue(name, first: true) }
        return []
      }
      agents[name]?.isSilent = true
      // The service may act on a finer level of another agent meanwhile.
      agents[name]?.pauseEnd = now + Self.silence
      return []
    }
    wasSilent(name, now)
    return []
  }

  private mutating func wasSilent(_ name: BusName, _ now: MonotonicInstant) {
    let before = refusals[name]
    let silences = min((before?.silences ?? 0) + 1, 6)
    refusals[name] = Refusal(
      silences: silences, end: now + Self.silence * (1 << (silences - 1)),
      hasAnnounced: before?.hasAnnounced == true && silences < Self.patience)
  }

  private mutating func verified(_ name: BusName, _ isAgent: Bool?, _ now: MonotonicInstant) {
    // The connection may have left, or be asked again by a later search.
    guard case .verifying(let level, let isOutdated) = work[name] else { return }
    work[name] = nil
    guard let isAgent else { return wasSilent(name, now) }
    guard isAgent else {
      refusals[name] = Refusal(end: now + Self.interval)
      return
    }
    refusals[name] = nil
    agents[name] = Agent(level: level, freshUntil: now + Self.freshness)
    if isOutdated { doubt(name, now) }
  }

  private mutating func announced(_ name: BusName, _ level: AccuracyLevel, _ now: MonotonicInstant) {
    agents[name]?.level = level
    agents[name]?.hasChanged = false
    switch work[name] {
    case .verifying(_, let isOutdated): work[name] = .verifying(level, isOutdated: isOutdated)
    case .probing:
      // The answer arrives on another connection, so the announcement may overtake it.
      doubt(name, now)
      work[name] = .probing(isOutdated: true, announced: level)
    case .queued: break
    case nil where agents[name] == nil: askSoon(name, now)
    case nil:
      agents[name]?.confirmation = Confirmation()
      agents[name]?.isSilent = false
      agents[name]?.freshUntil = now + Self.freshness
    }
  }

  /// Asks a connection that has announced a level although it is not known as an agent. GeoClue obeys the agent that
  /// came last, so a new one may be stricter than those that are known.
  private mutating func askSoon(_ name: BusName, _ now: MonotonicInstant) {
    var refusal = refusals[name] ?? Refusal(end: now)
    refusal.hasAnnounced = true
    refusals[name] = refusal
    if now >= refusal.end { enqueue(name) }
  }

  private mutating func doubt(_ name: BusName, _ now: MonotonicInstant) {
    agents[name]?.confirmation.doubt(at: now)
    switch work[name] {
    case .probing(_, let announced): work[name] = .probing(isOutdated: true, announced: announced)
    case .verifying(let level, _): work[name] = .verifying(level, isOutdated: true)
    case .queued: break
    case nil:
      if let agent = agents[name], now >= agent.pauseEnd || agent.isSilent { enqueue(name, first: true) }
    }
  }

  /// Whether an agent is to be asked when its pause ends.
  private func isPaused(_ name: BusName, _ agent: Agent) -> Bool {
    work[name] == nil && agent.confirmation.isDoubtful
  }

  private var currentLevels: AgentLevels {
    guard isSearched else { return AgentLevels() }
    guard !agents.values.contains(where: { $0.confirmation.isExpired && ($0.hasChanged || !$0.isSilent) }) else {
      return AgentLevels()
    }
    let answering = agents.filter { !$0.value.confirmation.isExpired }
    let absent: Facts.AgentLevel = isSettled && agents.count == answering.count ? .none : .unknown
    func coarsest(except source: BusName?) -> (name: BusName, agent: Agent)? {
      guard answering.keys.contains(where: { $0 != source }) else { return nil }
      return agents.filter { $0.key != source }.min {
        ($0.value.level, $0.key.rawValue) < ($1.value.level, $1.key.rawValue)
      }
      .map { ($0.key, $0.value) }
    }
    let source = coarsest(except: nil)
    let other = source.flatMap { coarsest(except: $0.name) }
    return AgentLevels(
      least: source.map { .level($0.agent.level) } ?? absent, from: source?.name,
      others: other.map { .level($0.agent.level) } ?? absent)
  }

  private mutating func confirmAged(_ now: MonotonicInstant) {
    for (name, agent) in agents where !agent.confirmation.isDoubtful && agent.freshUntil.map({ now >= $0 }) ?? true {
      enqueue(name, first: true)
    }
  }

  private mutating func expire(_ now: MonotonicInstant) {
    for (name, agent) in agents where agent.confirmation.deadline.map({ now >= $0 }) ?? false {
      if agent.confirmation.isUnanswered(at: now) { agents[name]?.isSilent = true }
      agents[name]?.confirmation.expire()
    }
    for (name, agent) in agents where agent.freshUntil.map({ now >= $0 }) ?? false { agents[name]?.freshUntil = nil }
    for (name, agent) in agents where isPaused(name, agent) && now >= agent.pauseEnd { enqueue(name, first: true) }
    for (name, refusal) in refusals where refusal.hasAnnounced && now >= refusal.end { enqueue(name) }
  }
}

// MARK: - Search
nonisolated extension AgentSearch {
  private mutating func want(_ again: Bool, _ now: MonotonicInstant) {
    if again { refusals = refusals.filter { $0.value.silences > 0 || $0.value.hasAnnounced } }
    for (name, refusal) in refusals where refusal.silences > 0 && now >= refusal.end { enqueue(name) }
    for (name, agent) in agents where agent.confirmation.isDoubtful { enqueue(name, first: true) }
    confirmAged(now)
    search = search ?? Search(begin: now)
    search?.isListed = false
  }

  private mutating func enqueue(_ name: BusName, first: Bool = false) {
    guard work[name] == nil else { return }
    work[name] = .queued
    queue.insert(name, at: first ? 0 : queue.count)
  }

  private mutating func probeNext(_ now: MonotonicInstant) -> [Action] {
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

  private var searchDeadline: MonotonicInstant? {
    guard let search else { return nil }
    // With a confirmed agent, do not wait long for connections that might be agents, too. One that has answered with a
    // coarser level is waited for.
    let isKnown = agents.values.contains { !$0.confirmation.isDoubtful }
    let end = search.begin + AnswerDeadlines.agentSearch
    return isKnown && !isStricterOpen ? min((search.listedAt ?? search.begin) + Self.pace, end) : end
  }

  /// Whether a connection that is being verified allows less than the known agents.
  private var isStricterOpen: Bool {
    guard let least = agents.values.map(\.level).min() else { return false }
    return work.values.contains { if case .verifying(let level, _) = $0 { level < least } else { false } }
  }

  private mutating func settle() {
    let isOpen = !work.isEmpty || refusals.values.contains { (1..<Self.patience).contains($0.silences) }
    if isSearched, hasCompleteList, search == nil, !isOpen { isSettled = true }
  }

  private mutating func finishIfDone(_ now: MonotonicInstant) -> [Action] {
    guard let search, let deadline = searchDeadline, search.isListed && work.isEmpty || now >= deadline else {
      return []
    }
    self.search = nil
    isSearched = hasList
    return [.ready]
  }
}
