// SPDX-License-Identifier: Apache-2.0
/// What logind says of one user, and how certain that still is.
///
/// Anything that logind announces is a doubt: deliveries are held until it has been asked again. The session of a user
/// about whom logind does not answer in time counts as unknown. All times are in microseconds.
nonisolated struct SessionState {
  /// How long a logind that has left the bus is waited for before it is called, which might start it.
  static let restartTime: Int64 = 300_000
  /// The pause between questions while doubts keep coming.
  static let pause: Int64 = 100_000

  enum Event: Hashable, Sendable {
    /// A call needs to know.
    case wanted
    /// logind has announced something, or polkit has, which follows logind too.
    case doubted
    case left
    case came
    case answered(Facts.Session)
    /// logind left the bus before it answered.
    case lost
    /// ``wakeUp`` has come.
    case timer
  }

  enum Action: Hashable, Sendable {
    case ask
    /// Deliveries are held from now on.
    case held
    /// The state is another one, or deliveries are not held any more.
    case changed(from: Facts.Session)
    /// Calls that wait for the state go on.
    case ready
  }

  private(set) var state = Facts.Session.unknown
  /// Whether an answer is still to come; the bus counts the question until then.
  private(set) var isAsking = false
  private var confirmation = Confirmation()
  private var wasHeld = false
  /// When logind may be asked next.
  private var notBefore: Int64?
  /// How many answers in a row were doubtful when they came.
  private var doubtfulAnswers = 0

  /// Whether deliveries wait for logind.
  func isHeld(at now: Int64) -> Bool { state != .unknown && confirmation.isHeld(at: now) }

  /// Whether the state may be another one already.
  var isDoubtful: Bool { state != .unknown && confirmation.isDoubtful }

  /// When ``Event/timer`` is due.
  var wakeUp: Int64? {
    let heldFrom = wasHeld || state == .unknown ? nil : confirmation.heldFrom
    return [confirmation.deadline, heldFrom, notBefore].compactMap(\.self).min()
  }

  mutating func handle(_ event: Event, at now: Int64) -> [Action] {
    let actions = perform(event, now)
    defer { wasHeld = isHeld(at: now) }
    return isHeld(at: now) && !wasHeld ? [.held] + actions : actions
  }

  private mutating func perform(_ event: Event, _ now: Int64) -> [Action] {
    switch event {
    case .wanted: return state == .unknown || confirmation.isDoubtful ? ask(now) : [.ready]
    case .doubted:
      confirmation.doubt(at: now)
      return ask(now)
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
      isAsking = false
      confirmation.lost()
      notBefore = now + Self.restartTime
      return []
    case .timer: return timer(now)
    }
  }

  private mutating func ask(_ now: Int64) -> [Action] {
    guard !isAsking, notBefore == nil else { return [] }
    isAsking = true
    confirmation.ask(at: now)
    return [.ask]
  }

  private mutating func answered(_ new: Facts.Session, _ now: Int64) -> [Action] {
    isAsking = false
    let (old, wasDoubtful) = (state, confirmation.isDoubtful)
    doubtfulAnswers = confirmation.isOvertaken ? doubtfulAnswers + 1 : 0
    // An answer that was overtaken by a doubt is not used; only if that happens again, it is better than nothing.
    let isUsed = doubtfulAnswers != 1
    confirmation.answered(at: now, isUsed: isUsed)
    guard isUsed else { return ask(now) }
    if confirmation.isDoubtful { notBefore = now + Self.pause }
    state = new
    return (new != old || wasDoubtful ? [.changed(from: old)] : []) + [.ready]
  }

  private mutating func timer(_ now: Int64) -> [Action] {
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
      if state == .unknown || confirmation.isDoubtful { actions += ask(now) }
    }
    return actions
  }
}
