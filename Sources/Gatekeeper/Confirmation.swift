// SPDX-License-Identifier: Apache-2.0
/// How certain an answer is that may have changed since it was given.
///
/// A doubt is anything that may have changed the answer. Only an answer to a question that was asked after a doubt ends
/// it. While there is a doubt, deliveries are held, unless the last confirmation is so young that they would be allowed
/// for that long after a revocation anyway: without this, one user who causes doubts without end could take the location
/// away from everybody. All times are in microseconds.
nonisolated struct Confirmation: Hashable, Sendable {
  /// How long a doubt may last before the answer is dropped.
  static let holdTime: Int64 = 1_000_000
  /// How long after it was asked for an answer allows deliveries despite a doubt: less than the 200 ms within which
  /// a revocation takes effect.
  static let validity: Int64 = 150_000

  private var confirmed: Int64?
  private var asked: Int64?
  /// The oldest doubt that the question under way will end, if there is one.
  private var oldest: Int64?
  /// The oldest doubt since that question was asked.
  private var later: Int64?
  /// Whether the answer has been dropped, because nothing confirmed it in time.
  private(set) var isExpired = false

  /// Whether there is a doubt that no answer has ended.
  var isDoubtful: Bool { oldest != nil || later != nil }

  /// When the answer is to be dropped.
  var deadline: Int64? { isExpired ? nil : (oldest ?? later).map { $0 + Self.holdTime } }

  /// Whether deliveries have to wait.
  func isHeld(at now: Int64) -> Bool {
    isDoubtful && confirmed.map { now - $0 > Self.validity } ?? true
  }

  /// When deliveries have to wait if the doubt lasts until then; nil if there is none.
  var heldFrom: Int64? { isDoubtful ? (confirmed ?? 0) + Self.validity + 1 : nil }

  mutating func doubt(at now: Int64) {
    if asked != nil { later = later ?? now } else { oldest = oldest ?? now }
  }

  mutating func ask(at now: Int64) { asked = now }

  /// Whether an answer that comes now is from before a doubt.
  var isOvertaken: Bool { later != nil }

  /// The question has been answered; a later doubt remains. An answer that is not used confirms nothing.
  mutating func answered(at now: Int64, isUsed: Bool = true) {
    if isUsed { confirmed = asked }
    oldest = later.map { isExpired ? now : $0 }
    (asked, later, isExpired) = (nil, nil, false)
  }

  /// The question will not be answered.
  mutating func lost() { (asked, oldest, later) = (nil, oldest ?? later, nil) }

  /// The answer is dropped; the doubts about it remain until a question is answered that was asked after them.
  mutating func expire() { (confirmed, isExpired) = (nil, true) }
}
