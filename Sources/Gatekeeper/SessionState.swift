// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// The session state of one user according to logind, and whether it is still reliable.
///
/// Every announcement by logind is a doubt: deliveries are held until logind has been asked again. If logind does not
/// answer in time, the state becomes unknown.
nonisolated struct SessionState: StateMachine {
  /// How long to wait for logind to return before it is called, since a call might start it.
  static let restartTime = Duration.milliseconds(300)
  /// The pause before a further question while doubts keep arriving, so that logind is not asked about each of them.
  static let pause = Duration.milliseconds(100)

  /// How long the state counts before logind is asked again while a client is served.
  static let freshness = PolicyAnswers.consentAge

  enum Event: MachineEvent, Hashable, Sendable {
    case wanted
    /// logind announced a change, or polkit did, because it also watches logind.
    case doubted
    /// A client of the user is being served. A state that has aged is confirmed, because dbus-daemon drops
    /// announcements while too much waits for the service. That is not a doubt: calls wait only briefly, and deliveries
    /// do not.
    case served
    case left
    case came
    case answered(Facts.Session)
    /// logind left the bus before answering.
    case lost
    /// The time in ``deadline`` has been reached.
    case timer
  }

  enum Action: Hashable, Sendable {
    case ask
    /// The state has changed, or deliveries are no longer held. The state before is nil if this is the first one and
    /// nothing had been in doubt.
    case changed(from: Facts.Session?)
    /// Release the calls that wait for the state.
    case ready
  }

  private(set) var state = Facts.Session.unknown
  /// Whether a question is in flight. The bus counts the question until logind answers.
  private(set) var isAsking = false
  private var confirmation = Confirmation()
  /// The earliest time of the next question.
  private var notBefore: MonotonicInstant?
  /// When the state has aged, or nil if that was noticed.
  private var freshUntil: MonotonicInstant?
  /// Until when calls wait for the confirmation of a state that has aged.
  private var waitEnd: MonotonicInstant?
  /// The number of consecutive answers during which a doubt arose.
  private var doubtfulAnswers = 0

  /// Returns whether deliveries are held until logind confirms the state.
  func isHeld(at now: MonotonicInstant) -> Bool { state != .unknown && confirmation.isHeld(at: now) }

  func hold(at now: MonotonicInstant) -> Hold<MonotonicClock>? { state == .unknown ? nil : confirmation.hold(at: now) }

  var isDoubtful: Bool { state != .unknown && confirmation.isDoubtful }

  /// When ``Event/timer`` is due, or nil if it is not needed.
  var deadline: MonotonicInstant? {
    [confirmation.deadline, isWanted ? notBefore : nil, isAsking ? nil : freshUntil, waitEnd].compactMap(\.self).min()
  }

  /// Whether logind is to be asked.
  private var isWanted: Bool { state == .unknown || confirmation.isDoubtful }

  mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Action] {
    switch event {
    case .wanted: return isWanted ? ask(now) : waitEnd == nil ? [.ready] : []
    case .doubted:
      confirmation.doubt(at: now)
      return ask(now)
    case .served:
      guard !isWanted, freshUntil.map({ now >= $0 }) ?? true else { return [] }
      let actions = ask(now)
      if !actions.isEmpty { waitEnd = now + AgentSearch.pace }
      return actions
    case .left:
      confirmation.doubt(at: now)
      if !isAsking { notBefore = now + Self.restartTime }
      return []
    case .came:
      confirmation.doubt(at: now)
      notBefore = nil
      return ask(now)
    case .answered(let new): return isAsking ? answered(new, now) : []
    case .lost:
      guard isAsking else { return [] }
      (isAsking, freshUntil) = (false, now + Self.freshness)
      confirmation.lost()
      notBefore = now + Self.restartTime
      return []
    case .timer: return timer(now)
    }
  }

  private mutating func ask(_ now: MonotonicInstant) -> [Action] {
    guard !isAsking, notBefore.map({ $0 <= now }) ?? true else { return [] }
    (isAsking, notBefore) = (true, nil)
    confirmation.ask(at: now)
    return [.ask]
  }

  private mutating func answered(_ new: Facts.Session, _ now: MonotonicInstant) -> [Action] {
    (isAsking, waitEnd, freshUntil) = (false, nil, now + Self.freshness)
    let (old, wasDoubtful) = (state, confirmation.isDoubtful)
    doubtfulAnswers = confirmation.isOvertaken ? doubtfulAnswers + 1 : 0
    // The first answer that predates a doubt is ignored. The second one, and later ones, are better than none.
    let isUsed = doubtfulAnswers != 1
    confirmation.answered(at: now, isUsed: isUsed)
    guard isUsed else { return ask(now) }
    if wasDoubtful || confirmation.isDoubtful { notBefore = now + Self.pause }
    state = new
    let wasKnown = wasDoubtful || old != .unknown
    return (new != old || wasDoubtful ? [.changed(from: wasKnown ? old : nil)] : []) + [.ready]
  }

  private mutating func timer(_ now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    if let deadline = confirmation.deadline, now >= deadline {
      // A late answer still counts.
      let old = state
      state = .unknown
      confirmation.expire()
      actions = [.changed(from: old), .ready]
    }
    if let due = notBefore, now >= due {
      notBefore = nil
      if isWanted { actions += ask(now) }
    }
    if let time = freshUntil, now >= time { freshUntil = nil }
    if let end = waitEnd, now >= end {
      waitEnd = nil
      if !isWanted { actions.append(.ready) }
    }
    return actions
  }
}
