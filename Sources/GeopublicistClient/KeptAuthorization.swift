// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What a program was told about its authorization, as a pure value. A restart of the service that changes nothing is not
/// told, and neither is the moment in which the service decides again what it had decided before.
nonisolated struct KeptAuthorization {
  /// Microseconds after a restart for which `undecided` is not told.
  static let settlingTime: UInt64 = 10_000_000

  /// The level that the program asks for.
  var asked = AccuracyLevel.exact
  /// The level of the newest location.
  private var revealed: AccuracyLevel?
  /// What was told last.
  private var told: Authorization?
  private var unsettled: (authorization: Authorization, until: UInt64)?
  private var isSettling = false

  /// When ``timer(at:)`` is due.
  var deadline: UInt64? { unsettled?.until }

  /// Reads the contract's words; nil for a status that is not known here.
  func read(_ status: String, _ reason: String) -> Authorization? {
    Authorization(status: status, reason: reason, revealed: revealed, asked: asked)
  }

  /// The service was lost.
  mutating func interrupted() { isSettling = true }

  /// Returns what to tell now that the service has said this; nil if nothing has changed or it may still change.
  mutating func decided(_ new: Authorization, at now: UInt64) -> Authorization? {
    if new.reason == .undecided, let told, told.reason != .undecided, isSettling {
      unsettled = (new, now.saturatingAdd(Self.settlingTime))
      return nil
    }
    return tell(new)
  }

  /// Returns what to tell now that a location has shown how coarse the grant is.
  mutating func revealed(_ level: AccuracyLevel, isReduced: Bool) -> Authorization? {
    revealed = level
    guard let told, told.isAuthorized, isReduced, told.level != level else { return nil }
    return tell(.authorized(told.status == .authorizedAlways ? .always : .whenInUse, level: level, asked: asked))
  }

  /// Returns what to tell now that the service has explained itself.
  mutating func explained(by message: String) -> Authorization? {
    guard let new = told?.explained(by: message), new != told else { return nil }
    told = new
    return new
  }

  /// Returns what to tell when the time to settle is over.
  mutating func timer(at now: UInt64) -> Authorization? {
    guard let unsettled, unsettled.until <= now else { return nil }
    return tell(unsettled.authorization)
  }

  private mutating func tell(_ new: Authorization) -> Authorization? {
    (unsettled, isSettling) = (nil, false)
    // After a restart the service repeats what it said before, without the sentence that was read then.
    if let told, told == new || told.explained(by: "") == new { return nil }
    told = new
    return new
  }
}

nonisolated extension Authorization {
  /// Whether the service's own sentence may say more than the reason's.
  var isWorthExplaining: Bool { reason != .none && reason != .undecided }
}
