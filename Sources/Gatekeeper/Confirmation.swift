// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Tracks whether an answer is still reliable.
///
/// A doubt is any event that may have changed the answer. Only the answer to a question asked after the doubt resolves
/// it. Deliveries are held while a doubt is open, unless the last confirmation is so recent that a revocation would not
/// have taken effect yet either. Without that exception, one user who keeps causing doubts could stop deliveries to all
/// users.
nonisolated struct Confirmation: Hashable, Sendable {
  /// How long a doubt may stay open before the answer is dropped.
  static let holdTime = Duration.seconds(1)
  /// How long an answer allows deliveries despite a doubt, counted from its question; and how long it allows locations
  /// from before its question, counted from the doubt, or from the answer if the doubt arose during its question. Must
  /// be less than the 200 ms within which a revocation takes effect, and more than the pauses between questions.
  static let validity = Duration.milliseconds(150)

  private var confirmed: MonotonicInstant?
  private var asked: MonotonicInstant?
  /// The first doubt since deliveries were last allowed, if the question in flight will resolve it.
  private var oldest: MonotonicInstant?
  /// The oldest doubt since the question in flight was asked.
  private var later: MonotonicInstant?
  /// Whether the answer has been dropped because it was not confirmed in time.
  private(set) var isExpired = false

  var isDoubtful: Bool { oldest != nil || later != nil }

  /// When the answer must be dropped, or nil.
  var deadline: MonotonicInstant? { isExpired ? nil : (oldest ?? later).map { $0 + Self.holdTime } }

  func isHeld(at now: MonotonicInstant) -> Bool {
    isDoubtful && confirmed.map { now - $0 > Self.validity } ?? true
  }

  /// The hold on deliveries, if there is one. Between an answer and the next question, locations that arrived before
  /// the answered question may be sent: they were permitted then. Endless doubts would otherwise stop deliveries. If the
  /// next question is not asked soon, because logind has left the bus, they are held as well.
  func hold(at now: MonotonicInstant) -> Hold<MonotonicClock>? {
    guard isHeld(at: now) else { return nil }
    if let asked { return Hold(question: asked) }
    let isRecent = oldest.map { now - $0 <= Self.validity } ?? false
    return Hold(question: confirmed ?? .origin, isConfirmed: confirmed != nil && isRecent)
  }

  mutating func doubt(at now: MonotonicInstant) {
    if asked != nil { later = later ?? now } else { oldest = oldest ?? now }
  }

  mutating func ask(at now: MonotonicInstant) { asked = now }

  /// Whether the question in flight has been asked for as long as a doubt may stay open, except for a pause before it.
  func isUnanswered(at now: MonotonicInstant) -> Bool {
    asked.map { now - $0 >= Self.holdTime - AgentSearch.pause } ?? false
  }

  /// Whether the question in flight was not caused by a doubt.
  var isInBackground: Bool { asked != nil && oldest == nil }

  /// Whether an answer that arrives now would predate a doubt.
  var isOvertaken: Bool { later != nil }

  /// Records the answer. A doubt that arose after the question stays open. An unused answer confirms nothing.
  mutating func answered(at now: MonotonicInstant, isUsed: Bool = true) {
    if isUsed { confirmed = asked }
    oldest = later.map { isUsed || isExpired ? now : oldest ?? $0 }
    (asked, later, isExpired) = (nil, nil, false)
  }

  /// Records that the question will not be answered, or that its answer is not used. Its doubts stay open.
  mutating func lost() { (asked, oldest, later) = (nil, oldest ?? later, nil) }

  /// Drops the answer. Its doubts stay open until a later question is answered.
  mutating func expire() { (confirmed, isExpired) = (nil, true) }
}
