// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// The true state of the world, whether or not it has reached the service yet.
final class Truth {
  nonisolated enum Session { case active, inactive, none }
  nonisolated enum Answer { case yes, no, challenge }

  static let access = "org.geopublicist.location1.access"
  static let accessPrecise = "org.geopublicist.location1.access-precise"
  static let accessWithoutAgent = "org.geopublicist.location1.access-without-agent"

  private unowned let world: World
  private var sessions: [UInt32: Session] = [:]
  private var policies: [UInt32: [String: Answer]] = [:]
  /// What polkit permitted each user before its last change. Within the tolerance, the service may still use it.
  private var former: [UInt32: (level: AccuracyLevel, until: Int64)] = [:]
  /// When something last changed, in microseconds of the monotonic clock.
  private(set) var changedAt: Int64 = 0

  /// When the session of each user began.
  private var begins: [UInt32: Int64] = [:]
  func begin(of user: UInt32) -> Int64 { begins[user] ?? 0 }
  func beginSession(of user: UInt32) { begins[user] = world.schedule.now }

  /// When the session of each user was last active.
  private var activeUntil: [UInt32: Int64] = [:]
  /// The users whose sessions are no longer active, of which the announcement was lost.
  private var unheard: Set<UInt32> = []
  /// When the session of each user was last not active.
  private var inactiveAt: [UInt32: Int64] = [:]

  /// How long the session of a user has been active, in microseconds.
  func activeTime(of user: UInt32) -> Int64 {
    session(of: user) == .active ? world.schedule.now - (inactiveAt[user] ?? 0) : 0
  }

  /// Whether a user has had no session since the clients last left.
  private(set) var hasSessionEnded = true

  /// Notes that all clients have left, so the service no longer knows earlier sessions.
  func forgetSessions() { hasSessionEnded = world.users.contains { session(of: $0) == .none } }

  /// Whether polkit does not confirm its answers, which therefore no longer count.
  var isPolkitSilent = false {
    didSet { if isPolkitSilent != oldValue { changed("polkit \(isPolkitSilent ? "is silent" : "answers again")") } }
  }

  init(_ world: World) { self.world = world }

  /// When polkit last forbade each user everything; the distant future while it does.
  private var forbiddenAt: [UInt32: Int64] = [:]

  /// Whether polkit may have told the service some time ago that its rules forbid a user everything.
  func mayBeForbidden(_ user: UInt32) -> Bool {
    world.polkit.denied[user] != nil || forbiddenAt[user].map { $0 > world.schedule.now - 60_000_000 } ?? false
  }

  func wasForbidden(_ user: UInt32) { forbiddenAt[user] = world.schedule.now }

  private func noteForbidden(_ user: UInt32) {
    let isForbidden = permitted(to: user) == .none
    if isForbidden || forbiddenAt[user] == .max { forbiddenAt[user] = isForbidden ? .max : world.schedule.now }
  }

  func session(of user: UInt32) -> Session { sessions[user] ?? .none }

  func policy(of user: UInt32, _ action: String) -> Answer {
    policies[user]?[action] ?? (action == Self.accessWithoutAgent ? .no : .yes)
  }

  /// Whether a client counts as sandboxed. Nothing needs to be known about root and the service's own user.
  private func isConfined(_ program: Program) -> Bool {
    program.isSandboxed || (program as? Client)?.hasSpecialRoot == true
      || program.isUnverifiable && (world.isSession || program.user != 0 && program.user != world.serviceUser)
  }

  /// - Parameter isLost: Whether the bus drops the announcement, so that the change counts when the service asks again.
  func set(_ session: Session, of user: UInt32, isLost: Bool = false) {
    guard sessions[user] != session else { return }
    if isLost { unheard.insert(user) } else { unheard.remove(user) }
    if self.session(of: user) == .none { begins[user] = world.schedule.now }
    if self.session(of: user) == .active {
      activeUntil[user] = world.schedule.now
    } else {
      inactiveAt[user] = world.schedule.now
    }
    sessions[user] = session
    if session == .none { hasSessionEnded = true }
    changed("the session of \(user) becomes \(session)")
  }

  /// Notes that logind has told the service that a user's session is not active.
  func toldSession(of user: UInt32) {
    guard unheard.remove(user) != nil else { return }
    activeUntil[user] = world.schedule.now
    changed("the service learns the session of \(user)")
  }

  /// Whether the service has not been told that a user's session is no longer active.
  func isUnheard(_ user: UInt32) -> Bool { unheard.contains(user) }

  func set(_ answer: Answer?, to action: String, of user: UInt32) {
    guard policies[user]?[action] != answer else { return }
    let now = world.schedule.now
    let before = former[user].flatMap { $0.until > now ? $0.level : nil } ?? .none
    former[user] = (max(before, permitted(to: user)), now + Entitlement.tolerance)
    policies[user, default: [:]][action] = answer
    if answer == .no { for program in world.programs where program.user == user { program.hasConsent = false } }
    noteForbidden(user)
    let name = action.split(separator: ".").last ?? ""
    changed("polkit's answer about \(name) of \(user) becomes \(answer.map { "\($0)" } ?? "the default")")
  }

  /// Whether the service can learn of changes now. Nobody tells it what was true while polkit or logind did not answer.
  private var isReachable: Bool {
    let isTold = world.isSession || isPolkitSilent || world.polkit.answersSoon && world.logind.answersSoon
    return isTold && world.sentSince == world.schedule.now
  }

  /// Notes that a user's session has not been active for some time, so that what the user agreed to no longer counts.
  func endConsents(of user: UInt32) {
    for program in world.programs where program.user == user { program.hasConsent = false }
    changed("the consents of \(user) end with the session")
  }

  /// Excuses losses of access of the last moment if the service may no longer learn of them in time.
  func lostTouch() {
    guard !isReachable else { return }
    let begin = world.schedule.now - Entitlement.tolerance
    for client in world.clients where client.entitlement.since > begin { client.entitlement.excuse() }
  }

  /// Records a change and its consequences for each program.
  func changed(_ story: String) {
    changedAt = world.schedule.now
    world.tell(story)
    for program in world.clients + world.libraries as [Program] {
      let former = former[program.user].flatMap { $0.until > changedAt ? $0.level : nil } ?? .none
      program.entitlement.update(
        level(of: program), formerly: level(of: program, formerly: former), at: changedAt,
        isServed: (program as? Client)?.isServed == true && isReachable)
      // The service may know a new answer of polkit or a new agent before the new level of an agent or the end of a
      // session.
      let reduced = (world.agents + world.seconds).filter { $0.user == program.user && $0.formerLevel > $0.assumed }
      let end = activeUntil[program.user].flatMap { $0 > changedAt - Entitlement.tolerance ? $0 : nil }
      if let time = (reduced.map(\.changedAt) + [end].compactMap(\.self)).min() {
        let level = level(of: program, formerly: former, isFormer: true, isActive: end != nil)
        program.entitlement.mayStillHave(level, since: time)
      }
    }
    world.checks.forgetTowns { [world] user in
      permitted(to: user) == .none
        || (world.agents + world.seconds).contains { $0.user == user && $0.isConnected && $0.level == .none }
    }
  }

  /// The least level of the agents that the service knows in the session deployment, where GeoClue itself decides.
  private var levelInSession: AccuracyLevel {
    world.agents.filter { $0.isConnected && $0.isKnown }.map(\.level).min() ?? .exact
  }

  /// A user's agents that GeoClue accepts.
  private func agents(of user: UInt32) -> [Agent] {
    guard world.acceptsAgents else { return [] }
    return (world.agents + world.seconds).filter { $0.user == user && $0.isConnected }
  }

  /// Whether an agent has rejected the service itself.
  private var isRejected: Bool { world.agents.contains { $0.isConnected && $0.isRejectionKnown } }

  /// The finest level at which a client may receive locations.
  ///
  /// - Parameters:
  ///   - former: What polkit permitted before.
  ///   - isFormer: Whether the service may not know yet that agents allow less than a moment before.
  ///   - isAlways: Whether it permitted access without an agent before.
  ///   - isActive: Whether the user's session was active before.
  func level(
    of client: Program, formerly former: AccuracyLevel = .none, isFormer: Bool = false, isAlways: Bool = false,
    isActive: Bool = false
  ) -> AccuracyLevel {
    guard client.isConnected, !isConfined(client) else { return .none }
    if world.isSession { return isRejected ? .none : levelInSession }
    if client.user == 0 || client.user == world.serviceUser { return .exact }
    if isPolkitSilent { return .none }
    if isAlways || policy(of: client.user, Self.accessWithoutAgent) == .yes { return .exact }
    guard isActive || session(of: client.user) == .active || isUnheard(client.user) else { return .none }
    let permitted = max(hasConsent(client) ? .exact : permitted(to: client.user), former)
    let agents = agents(of: client.user).filter { $0.isKnown && $0.unit == .described }
    if agents.contains(where: \.isSilent) { return .none }
    return agents.map { min(isFormer ? max($0.assumed, $0.formerLevel) : $0.assumed, permitted) }.min() ?? .none
  }

  /// Whether a client's user has agreed to precise access, which the rules still permit for that reason.
  private func hasConsent(_ client: Program) -> Bool {
    client.hasConsent && policy(of: client.user, Self.accessPrecise) != .no
  }

  private func permitted(to user: UInt32) -> AccuracyLevel {
    policy(of: user, Self.accessPrecise) == .yes ? .exact : policy(of: user, Self.access) == .yes ? .city : .none
  }

  /// The level of a client according to the answers that polkit and logind have just sent.
  func answeredLevel(of client: Program) -> AccuracyLevel {
    func isPermitted(_ action: String) -> Bool { world.polkit.isPermitted(action, to: client.name) }
    return level(
      of: client, formerly: isPermitted(Self.accessPrecise) ? .exact : isPermitted(Self.access) ? .city : .none,
      isAlways: isPermitted(Self.accessWithoutAgent), isActive: world.logind.saysActive(client.user))
  }

  /// Whether a user's programs may know only the country. An increase waits for up to 5 s, and for the next location.
  func mayKnowOnlyCountry(_ user: UInt32) -> Bool {
    // GeoClue may have answered a question of a client that was deleted meanwhile.
    let since = min(world.sentSince, world.geoclue.lastReadAt) - 10_000_000
    return (world.agents + world.seconds).contains {
      $0.user == user && ($0.level == .country || $0.onlyCountryUntil > since)
    }
  }

  /// Whether rules that do not depend on polkit forbid access.
  func isForbidden(to client: Program, isNamed: Bool) -> Bool {
    isConfined(client) || isNamed && world.disallowedSince != nil
  }

  private static let undecided = (status: "not-determined", reason: "undecided")

  /// Whether the reported status agrees with the true one. A silent connection that the service has not known as an agent
  /// may be reported as a missing agent.
  static func agrees(_ told: (status: String, reason: String), with expected: (status: String, reason: String)) -> Bool
  {
    told == expected || expected == undecided && told == ("not-determined", "no-agent")
  }

  /// The status and reason that must have been reported to a client after a quiet time.
  func authorization(
    of client: Program, asking level: AccuracyLevel, isNamed: Bool = false
  ) -> (status: String, reason: String) {
    if isForbidden(to: client, isNamed: isNamed) {
      return ("restricted", isConfined(client) ? "sandboxed" : "disallowed-by-configuration")
    }
    func authorized(_ status: String, _ granted: AccuracyLevel) -> (String, String) {
      (status, granted < level ? "reduced-accuracy" : "")
    }
    if world.isSession {
      let known = levelInSession
      if known == .none { return ("denied", "disabled-by-user") }
      return isRejected ? ("denied", "rejected-by-agent") : authorized("authorized-always", known)
    }
    if client.user == 0 || client.user == world.serviceUser { return authorized("authorized-always", .exact) }
    if policy(of: client.user, Self.accessWithoutAgent) == .yes {
      return isPolkitSilent ? Self.undecided : authorized("authorized-always", .exact)
    }
    guard session(of: client.user) == .active else { return ("denied", "session-inactive") }
    if isPolkitSilent { return Self.undecided }
    let (reduced, precise) = (policy(of: client.user, Self.access), policy(of: client.user, Self.accessPrecise))
    if precise == .no, reduced == .no { return ("restricted", "disallowed-by-policy") }
    let agents = agents(of: client.user)
    if agents.contains(where: \.isSilent) { return Self.undecided }
    guard let agent = agents.map(\.level).min() else { return ("not-determined", "no-agent") }
    if agent == .none { return ("denied", "disabled-by-user") }
    if precise == .yes || hasConsent(client) { return authorized("authorized-when-in-use", agent) }
    if reduced == .yes { return authorized("authorized-when-in-use", min(.city, agent)) }
    return ("not-determined", "authorization-required")
  }
}

/// The levels to which a client was entitled recently.
nonisolated struct Entitlement {
  /// How long a revocation may take to come into effect, in microseconds.
  static let tolerance: Int64 = 200_000

  private var history: [(time: Int64, level: AccuracyLevel, isServed: Bool)] = []
  /// Levels that followed from an answer of polkit that the service could still use for a moment.
  private var formers: [(time: Int64, level: AccuracyLevel)] = []
  /// When the client last lost access for longer than the tolerance while it was served. The service may miss shorter
  /// losses.
  private(set) var revokedAt: Int64?

  var level: AccuracyLevel { history.last?.level ?? .none }
  var since: Int64 { history.last?.time ?? .min / 2 }
  /// The last time without access, if it is over.
  var refusal: Range<Int64>? {
    guard let lost = history.lastIndex(where: { $0.level == .none }), lost + 1 < history.count else { return nil }
    return history[lost].time..<history[lost + 1].time
  }

  /// When the client's level became coarser, if it has access and that was the last change.
  var reducedAt: Int64? {
    guard let last = history.last, last.level != .none, let before = history.dropLast().last, before.level > last.level
    else { return nil }
    return last.time
  }

  /// - Parameter former: The level that follows from an answer of polkit that the service may still use for a moment.
  mutating func update(_ level: AccuracyLevel, formerly former: AccuracyLevel, at now: Int64, isServed: Bool) {
    defer { mayStillHave(former, since: now) }
    guard level != self.level else { return }
    settle(at: now)
    history.append((now, level, isServed))
    if history.count > 64 { history.removeFirst(32) }
  }

  /// Records a level that would follow from what changed at a time, which the service may not know yet.
  mutating func mayStillHave(_ former: AccuracyLevel, since time: Int64) {
    if former > level { formers = formers.suffix(31) + [(time, former)] }
  }

  /// Excuses a loss of access that the service may not have noticed, because the bus stalls or nobody answers.
  mutating func excuse() { if let last = history.indices.last { history[last].isServed = false } }

  private mutating func settle(at now: Int64) {
    guard let last = history.last, last.level == .none, last.isServed, now - last.time > Self.tolerance else { return }
    revokedAt = last.time
  }

  /// The finest level of the last 200 ms before a message was sent.
  mutating func finest(at now: Int64, since sent: Int64) -> AccuracyLevel {
    settle(at: now)
    let begin = sent - Self.tolerance
    var finest = formers.filter { $0.time >= begin }.map(\.level).max() ?? .none
    for (time, level, _) in history.reversed() {
      finest = max(finest, level)
      if time < begin { break }
    }
    return finest
  }
}
