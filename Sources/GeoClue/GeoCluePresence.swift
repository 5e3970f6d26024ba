// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What is known about the GeoClue that owns the name, independently of the state of the connection.
nonisolated struct GeoCluePresence: Sendable {
  /// What a reply of GeoClue means for a `CreateClient` that is still pending.
  enum SignOfLife {
    /// GeoClue was unresponsive until now, so the no-agent deadline starts here.
    case first
    /// The call may still be answered in time.
    case early
    /// There is no agent: a live one registers within milliseconds.
    case noAgent(isAnswer: Bool)
  }

  private(set) var isThere = false
  /// `AvailableAccuracyLevel`, as it was reported last.
  private(set) var available: AccuracyLevel?
  /// `CreateClient` is pending; GeoClue answers it eventually, even if the client is no longer wanted.
  private(set) var isCreationPending = false
  private var isActivationPending = false
  /// When GeoClue first answered something after `CreateClient`, and so must have received it.
  private var creationHeardAt: Int64?
  /// When GeoClue was last asked for a sign of life; nil once it has given one.
  private var probedAt: Int64?

  mutating func appeared() { (isThere, isActivationPending) = (true, false) }

  mutating func vanished() { self = GeoCluePresence(isActivationPending: isActivationPending) }

  /// Returns whether an activation must be requested; one at a time is enough.
  mutating func beginActivation() -> Bool {
    defer { isActivationPending = true }
    return !isActivationPending
  }

  mutating func activationEnded() { isActivationPending = false }

  /// Returns whether `CreateClient` must be called; one pending call is enough.
  mutating func beginCreation() -> Bool {
    guard !isCreationPending else { return false }
    (isCreationPending, creationHeardAt) = (true, nil)
    return true
  }

  mutating func creationEnded() { (isCreationPending, creationHeardAt) = (false, nil) }

  mutating func probed(at now: Int64) { probedAt = now }

  /// Whether GeoClue has left a question unanswered for so long that it hangs.
  func hangs(at now: Int64) -> Bool { probedAt.map { now - $0 >= ConnectionMachine.agentDeadline } ?? false }

  /// Notes a reply or signal of GeoClue, with the available accuracy if it had one.
  mutating func heard(_ level: AccuracyLevel?) {
    probedAt = nil
    if isThere, let level { available = level }
  }

  /// As ``heard(_:)``, while `CreateClient` is pending; returns what that means for the call.
  mutating func heardWhileCreating(_ level: AccuracyLevel?, at now: Int64) -> SignOfLife {
    let wasAsked = probedAt != nil
    heard(level)
    guard let creationHeardAt else {
      creationHeardAt = now
      return .first
    }
    return now - creationHeardAt >= ConnectionMachine.agentDeadline ? .noAgent(isAnswer: wasAsked) : .early
  }
}

nonisolated extension GeoCluePresence {
  private init(isActivationPending: Bool) { self.isActivationPending = isActivationPending }
}
