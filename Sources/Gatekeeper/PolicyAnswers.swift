// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// polkit's answers about one client, and whether they are still reliable.
///
/// Answers are gathered in rounds. Decisions use the last complete round, never part of a new one. After a doubt, that
/// round still determines the status, but deliveries are held (``isHeld(at:)``) until a round that began after the
/// doubt is complete. Answers that are not confirmed in time are dropped.
nonisolated struct PolicyAnswers {
  /// How long a refusal is reused for later calls. Short, because polkit rules may depend on conditions that polkit
  /// does not announce.
  static let refusalAge = Duration.seconds(1)
  /// How long a permission counts before it is confirmed in the background, while the client is served.
  static let consentAge = Duration.seconds(30)
  /// The pause between rounds while doubts keep arriving, so that a user cannot make the service flood polkit.
  static let pause = Duration.milliseconds(100)
  /// The pauses before polkit is started again for a client that is being served. polkit is activated by the bus, and
  /// nothing else starts it again after it has ended. The last pause repeats.
  static let restartPauses = [Duration.seconds(5), .seconds(30), .seconds(300)]

  enum Event: Hashable, Sendable {
    case wanted
    /// Every answer may have changed. If the client is not being served, answers are dropped instead of confirmed.
    case doubted(isServed: Bool)
    /// The user's session has changed. polkit may have refused only because of the one before.
    case sessionChanged(isInactive: Bool)
    /// polkit has answered.
    case answered(PolkitAction, PolkitReply)
    /// The user agreed in a dialog, and polkit's rules accept that.
    case consented(PolkitAction, PolkitReply)
    /// The time in ``deadline`` has been reached.
    case timer(isServed: Bool, isPolkitThere: Bool)
  }

  enum Action: Hashable, Sendable {
    /// Ask polkit. Only a call may start polkit, a confirmation never does.
    case ask(PolkitAction, mayStartPolkit: Bool)
    /// The decision may have changed, or deliveries are no longer held.
    case changed
    /// Release the calls that wait for the answers.
    case ready
  }

  private struct Known {
    let reply: PolkitReply
    let time: MonotonicInstant
    /// Whether the next round must confirm the reply.
    var isOld = false
  }

  private struct Round {
    var replaced: Set<PolkitAction>
    var asked: Set<PolkitAction> = []
    var fresh: [PolkitAction: Known] = [:]
    var mayStartPolkit: Bool
    /// When answers that have merely aged are dropped.
    var deadline: MonotonicInstant?
    /// Whether calls need not wait for the round: the client is already granted access, and the answer can only grant
    /// more.
    var isInBackground = false
  }

  private var known: [PolkitAction: Known] = [:]
  private var confirmation = Confirmation()
  private var round: Round?
  /// When the next round begins, after a doubt arose during the previous one or soon after it.
  private var nextRound: MonotonicInstant?
  /// When a doubt may begin the next round.
  private var pauseEnd = MonotonicInstant.origin
  /// The number of consecutive rounds during which a doubt arose.
  private var doubtfulRounds = 0
  /// Whether the last complete round ended the access that the answers before it gave.
  private(set) var hasLostAccess = false
  /// The actions to which the user has agreed. Each counts while polkit's rules require no more than that agreement.
  private var consents: Set<PolkitAction> = []
  /// The number of attempts to start polkit since it became unavailable, and the time of the next one.
  private var restart: (attempts: Int, time: MonotonicInstant)?

  /// Returns whether deliveries are held until polkit confirms its answers.
  func isHeld(at now: MonotonicInstant) -> Bool { confirmation.isHeld(at: now) }

  func hold(at now: MonotonicInstant) -> Hold<MonotonicClock>? { confirmation.hold(at: now) }

  /// Whether a doubt is open whose outcome is reported soon: the answers are confirmed, or dropped at the deadline.
  var isDecidedSoon: Bool { confirmation.deadline != nil }

  func answer(to action: PolkitAction) -> Facts.Answer { known[action].map { effective($0, action) } ?? .unknown }

  /// When ``Event/timer(isServed:isPolkitThere:)`` is due, or nil if it is not needed.
  var deadline: MonotonicInstant? {
    let deadlines = [confirmation.deadline, nextRound, round?.deadline].compactMap(\.self)
    let started = [restart?.time].compactMap(\.self)
    // A round does not extend the trust in an answer that the round does not replace.
    let aged = relevant.compactMap { action in
      known[action].flatMap { effective($0, action) == .yes && !$0.isOld ? $0.time + Self.consentAge : nil }
    }
    return (deadlines + started + aged).min()
  }

  mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Action] {
    let actions = perform(event, now)
    planRestart(now)
    return actions
  }
}

nonisolated extension PolicyAnswers {
  private mutating func perform(_ event: Event, _ now: MonotonicInstant) -> [Action] {
    switch event {
    case .wanted: return wanted(now)
    case .doubted(let isServed): return doubted(isServed, now)
    case .sessionChanged(let isInactive):
      // polkit's answers may not show that the session was inactive, because it is not asked about an idle client.
      if isInactive { consents = [] }
      for action in [PolkitAction.access, .accessPrecise] where known[action]?.reply.answer == .no {
        known[action] = nil
      }
      return []
    case .answered(let action, let reply):
      guard round?.asked.remove(action) != nil else { return [] }
      round?.fresh[action] = Known(reply: reply, time: now)
      return advance(now)
    case .consented(let action, let reply):
      if !reply.isTemporary { consents.insert(action) }
      known[action] = Known(reply: reply, time: now)
      return [.changed]
    case .timer(let isServed, let isPolkitThere): return timer(isServed, isPolkitThere, now)
    }
  }

  private mutating func wanted(_ now: MonotonicInstant) -> [Action] {
    if round != nil {
      // A check that was waiting for polkit to return may start it now.
      round?.mayStartPolkit = true
      markOld(now, refusals: false)
      _ = extendRound(now)
      let questions = (round?.asked ?? []).sorted { $0.rawValue < $1.rawValue }
      return (mayProceed ? [.ready] : []) + questions.map { .ask($0, mayStartPolkit: true) }
    }
    if confirmation.isDoubtful { return begin(mayStartPolkit: true, now) }
    markOld(now, refusals: true)
    return confirmOldAnswers(mayStartPolkit: true, now)
  }

  private mutating func doubted(_ isServed: Bool, _ now: MonotonicInstant) -> [Action] {
    guard round != nil || isServed else {
      let before = snapshot
      drop(Set(PolkitAction.allCases), isPolkitThere: true)
      // polkit may have returned. While a client is served, such answers cause the attempts to start it.
      known = known.filter { $0.value.reply.answer != .unavailable }
      (confirmation, nextRound, doubtfulRounds) = (Confirmation(), nil, 0)
      return before == snapshot ? [] : [.changed]
    }
    confirmation.doubt(at: now)
    guard round == nil, nextRound == nil else { return [] }
    guard now < pauseEnd else { return begin(mayStartPolkit: false, now) }
    nextRound = pauseEnd
    return []
  }

  private mutating func timer(_ isServed: Bool, _ isPolkitThere: Bool, _ now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    if let deadline = confirmation.deadline, now >= deadline {
      drop(Set(PolkitAction.allCases), isPolkitThere: isPolkitThere)
      confirmation.expire()
      actions = [.changed, .ready]
    }
    if let round, let deadline = round.deadline, now >= deadline {
      // The round continues, because a late answer still counts.
      drop(round.replaced, isPolkitThere: isPolkitThere)
      self.round?.deadline = nil
      actions = [.changed, .ready]
    }
    if let restart, now >= restart.time {
      let pauses = Self.restartPauses
      self.restart = (restart.attempts + 1, now + pauses[min(restart.attempts + 1, pauses.count - 1)])
      if isServed { return actions + wanted(now) }
    }
    markOld(now, refusals: false)
    if let time = nextRound {
      return now >= time ? actions + begin(mayStartPolkit: false, now) : actions
    }
    guard isServed, !oldPermissions.isEmpty else { return actions }
    return actions + (round == nil ? confirmOldAnswers(mayStartPolkit: false, now) : extendRound(now))
  }

  private var oldPermissions: Set<PolkitAction> {
    Set(known.filter { $0.value.isOld && effective($0.value, $0.key) == .yes }.keys)
  }

  /// Lets the round also replace the permissions that have aged since the round began, because polkit may never answer
  /// the questions of the round.
  private mutating func extendRound(_ now: MonotonicInstant) -> [Action] {
    let old = oldPermissions
    guard var round, !old.isEmpty, round.deadline == nil || !old.isSubset(of: round.replaced) else { return [] }
    round.replaced.formUnion(old)
    round.deadline = round.deadline ?? now + AnswerDeadlines.confirmation
    round.isInBackground = false
    self.round = round
    return advance(now)
  }

  private mutating func planRestart(_ now: MonotonicInstant) {
    guard known.values.contains(where: { $0.reply.answer == .unavailable }) else {
      restart = nil
      return
    }
    restart = restart ?? (0, now + Self.restartPauses[0])
  }

  private mutating func markOld(_ now: MonotonicInstant, refusals: Bool) {
    for (action, answer) in known {
      let isYes = effective(answer, action) == .yes
      if now - answer.time >= (isYes ? Self.consentAge : Self.refusalAge), isYes || refusals {
        known[action]?.isOld = true
      }
    }
  }

  private mutating func confirmOldAnswers(mayStartPolkit: Bool, _ now: MonotonicInstant) -> [Action] {
    guard relevant.contains(where: { known[$0]?.isOld ?? true }) else { return [.ready] }
    let replaced = Set(PolkitAction.allCases.filter { known[$0]?.isOld ?? true })
    let hasYes = replaced.contains { answer(to: $0) == .yes }
    let isInBackground =
      !replaced.contains(.accessPrecise) && answer(to: .accessPrecise) == .yes
      && known[.accessWithoutAgent] != nil && !hasYes
    let actions = begin(
      replaced, mayStartPolkit: mayStartPolkit, deadline: hasYes ? now + AnswerDeadlines.confirmation : nil, now)
    round?.isInBackground = isInBackground
    return (mayProceed ? [.ready] : []) + actions
  }

  private var mayProceed: Bool { round?.isInBackground == true && !confirmation.isDoubtful }
}

// MARK: - Rounds
nonisolated extension PolicyAnswers {
  private mutating func begin(
    _ replaced: Set<PolkitAction> = Set(PolkitAction.allCases), mayStartPolkit: Bool, deadline: MonotonicInstant? = nil,
    _ now: MonotonicInstant
  ) -> [Action] {
    round = Round(replaced: replaced, mayStartPolkit: mayStartPolkit, deadline: deadline)
    nextRound = nil
    confirmation.ask(at: now)
    return advance(now)
  }

  /// Asks the next questions of the round, or completes it if no question is left.
  private mutating func advance(_ now: MonotonicInstant) -> [Action] {
    guard var round else { return [] }
    var needed: [PolkitAction] = [.accessWithoutAgent, .accessPrecise].filter(round.replaced.contains)
    let precise = round.replaced.contains(.accessPrecise) ? round.fresh[.accessPrecise] : known[.accessPrecise]
    // Precise access implies reduced access, so the latter is checked only without the former.
    if let precise, effective(precise, .accessPrecise) != .yes, round.replaced.contains(.access) {
      needed.append(.access)
    }
    needed.removeAll { round.fresh[$0] != nil || round.asked.contains($0) }
    round.asked.formUnion(needed)
    self.round = round
    guard round.asked.isEmpty else { return needed.map { .ask($0, mayStartPolkit: round.mayStartPolkit) } }
    return complete(round, now)
  }

  private mutating func complete(_ round: Round, _ now: MonotonicInstant) -> [Action] {
    self.round = nil
    let wasDoubtful = confirmation.isDoubtful
    doubtfulRounds = confirmation.isOvertaken ? doubtfulRounds + 1 : 0
    // The first round in which a doubt arose is repeated. The answers of later rounds with a doubt are used, because
    // they are better than none.
    let isUsed = doubtfulRounds != 1
    confirmation.answered(at: now, isUsed: isUsed)
    guard isUsed else { return begin(mayStartPolkit: round.mayStartPolkit, now) }
    if wasDoubtful { pauseEnd = now + Self.pause }
    if confirmation.isDoubtful { nextRound = pauseEnd }
    let before = snapshot
    known = known.filter { !round.replaced.contains($0.key) }.merging(round.fresh) { $1 }
    hasLostAccess = Self.grants(before) && !Self.grants(snapshot)
    consents = consents.filter { known[$0]?.reply.answer != .no }
    return (wasDoubtful || before != snapshot ? [.changed] : []) + [.ready]
  }

  /// Drops unconfirmed answers. The answer that no rule names the client stays until it is replaced: it does not depend
  /// on sessions, and a new answer could only grant more.
  private mutating func drop(_ actions: Set<PolkitAction>, isPolkitThere: Bool) {
    for action in actions {
      guard let answer = known[action] else { continue }
      if !isPolkitThere {
        known[action] = Known(reply: .unavailable, time: answer.time, isOld: true)
      } else if action != .accessWithoutAgent || answer.reply.answer == .yes {
        known[action] = nil
      } else {
        known[action]?.isOld = true
      }
    }
  }

  private var relevant: [PolkitAction] {
    guard let precise = known[.accessPrecise], effective(precise, .accessPrecise) != .yes else {
      return [.accessWithoutAgent, .accessPrecise]
    }
    return [.accessWithoutAgent, .accessPrecise, .access]
  }

  private func effective(_ known: Known, _ action: PolkitAction) -> Facts.Answer {
    known.reply.answer == .challenge && consents.contains(action) ? .yes : known.reply.answer
  }

  private static func grants(_ answers: [PolkitAction: Facts.Answer]) -> Bool {
    answers[.access] == .yes || answers[.accessPrecise] == .yes
  }

  private var snapshot: [PolkitAction: Facts.Answer] {
    Dictionary(uniqueKeysWithValues: PolkitAction.allCases.map { ($0, answer(to: $0)) })
  }
}
