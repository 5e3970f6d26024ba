// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Decides which authorizations to report to a program, as a pure value. Nothing is reported when the service
/// restarts and decides as before.
nonisolated struct KeptAuthorization {
  /// How long after a restart `undecided` is not reported.
  static let settlingTime = Duration.seconds(10)

  var asked = AccuracyLevel.exact
  private var revealed: AccuracyLevel?
  private var told: Authorization?
  private var unsettled: (authorization: Authorization, until: MonotonicInstant)?
  private var isSettling = false

  /// When ``timer(at:)`` is due.
  var deadline: MonotonicInstant? { unsettled?.until }

  /// Reads the contract's words; returns nil for an unknown status.
  func read(_ status: String, _ reason: String) -> Authorization? {
    Authorization(status: status, reason: reason, revealed: revealed, asked: asked)
  }

  /// Notes that the service has exited, or cannot be reached. What it decided last no longer counts.
  mutating func interrupted() { (unsettled, isSettling) = (nil, true) }

  /// Returns the authorization to report after a decision of the service; nil if it is the same as before, or may
  /// still change.
  mutating func decided(_ new: Authorization, at now: MonotonicInstant) -> Authorization? {
    if new.reason == .undecided, let told, told.reason != .undecided, isSettling {
      unsettled = (new, now + Self.settlingTime)
      return nil
    }
    return tell(new)
  }

  /// Returns the authorization to report if the level of a location shows that the grant is coarser than known, or
  /// finer, because less was requested before.
  mutating func revealed(_ level: AccuracyLevel, isReduced: Bool) -> Authorization? {
    revealed = level
    guard let told, told.isAuthorized, isReduced ? told.level != level : told.level < level else { return nil }
    return tell(.authorized(told.status == .authorizedAlways ? .always : .whenInUse, level: level, asked: asked))
  }

  /// Returns the authorization to report with the service's own sentence; nil if the sentence is not new.
  mutating func explained(by message: String) -> Authorization? {
    guard let new = told?.explained(by: message), new != told else { return nil }
    told = new
    return new
  }

  /// Returns the authorization to report when the time to settle has passed.
  mutating func timer(at now: MonotonicInstant) -> Authorization? {
    guard let unsettled, unsettled.until <= now else { return nil }
    return tell(unsettled.authorization)
  }

  private mutating func tell(_ new: Authorization) -> Authorization? {
    (unsettled, isSettling) = (nil, false)
    // After a restart the service repeats its decision, without the sentence that was read before.
    if let told, told == new || told.explained(by: "") == new || told.includes(new) { return nil }
    told = new
    return new
  }
}

nonisolated extension Authorization {
  /// Whether `new` only says that a coarser level, which was requested since, is granted.
  fileprivate func includes(_ new: Authorization) -> Bool {
    (status, reason, new.reason) == (new.status, .none, .none) && isAuthorized && new.level < level
  }

  /// Whether the service may have a more specific sentence than the reason's own.
  var isWorthExplaining: Bool { reason != .none && reason != .undecided }
}
