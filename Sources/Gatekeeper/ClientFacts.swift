import DBus
import MainLoop

/// What has been found out about one client.
final class ClientFacts {
  var confinement = Facts.Confinement.unknown
  /// Runs while answers of polkit's that may have become others stand until it has confirmed them.
  var grace: LoopSource?

  private struct Answer {
    let answer: Facts.Answer
    /// Microseconds of the monotonic clock.
    let time: Int64
    /// It may have become another.
    var isStale = false
  }

  private var answers: [PolkitAction: Answer] = [:]
  private var rounds: [ObjectIdentifier: (round: Gathering, timer: LoopSource)] = [:]

  /// How long a refusal of polkit's counts for calls that follow, in microseconds. polkit's rules may depend on what
  /// nothing signals, such as the time of day.
  static let refusalAge: Int64 = 1_000_000

  func answer(to action: PolkitAction) -> Facts.Answer { answers[action]?.answer ?? .unknown }

  /// Notes an answer; returns whether it is another one than before.
  func note(_ answer: Facts.Answer, to action: PolkitAction) -> Bool {
    let before = self.answer(to: action)
    answers[action] = Answer(answer: answer, time: MainLoop.main.clock.monotonic())
    return before != answer
  }

  /// Whether polkit should be asked before a call is answered.
  func isOld(_ action: PolkitAction) -> Bool {
    guard let answer = answers[action], !answer.isStale else { return true }
    return answer.answer != .yes && MainLoop.main.clock.monotonic() - answer.time >= Self.refusalAge
  }

  /// Every answer may have become another.
  func doubtAnswers() {
    for action in answers.keys { answers[action]?.isStale = true }
  }

  /// Drops the answers that have not been confirmed. That somebody is not named by a rule stays: it does not change
  /// with sessions, and could only give more.
  func dropDoubtfulAnswers() {
    grace = nil
    answers = answers.filter { action, answer in
      !answer.isStale || (action == .accessWithoutAgent && answer.answer != .yes)
    }
  }

  /// Whether something is being found out.
  var isGathering: Bool { !rounds.isEmpty }

  /// Calls `action` when all that `gather` expects has come, or after ``gatheringTime``.
  func wait(_ action: @escaping () -> Void, _ gather: (Gathering) -> Void) {
    var identifier: ObjectIdentifier?
    var isDone = false
    let round = Gathering { [weak self] in
      isDone = true
      if let identifier { self?.rounds[identifier] = nil }
      action()
    }
    gather(round)
    round.allExpected()
    guard !isDone else { return }
    identifier = ObjectIdentifier(round)
    rounds[ObjectIdentifier(round)] = (
      round, MainLoop.main.after(milliseconds: gatheringTime) { [weak round] in round?.giveUp() }
    )
  }
}
