// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The known facts about the running GeoClue, regardless of the state of the connection.
nonisolated struct GeoCluePresence: Sendable {
  /// The meaning of a reply from GeoClue for a pending `CreateClient`.
  enum Liveness {
    /// GeoClue was unresponsive until now, so the no-agent deadline starts here.
    case first
    /// The call may still be answered in time.
    case early
    /// There is no agent: a live one registers within milliseconds.
    case noAgent(isAnswer: Bool)
  }

  private(set) var isThere = false
  /// The last reported `AvailableAccuracyLevel`.
  private(set) var available: AccuracyLevel?
  /// Whether `CreateClient` is pending. GeoClue answers it eventually, even if the client is no longer wanted.
  private(set) var isCreationPending = false
  /// Whether the agent may have changed since then. GeoClue may have bound the client to the one that has left.
  private(set) var isPendingClientOutdated = false
  /// Whether the last client was not used for that reason. The next one is, so that programs that come and leave again and
  /// again do not prevent every client.
  private var hasDiscarded = false
  private var isActivationPending = false
  /// When GeoClue first answered another call after `CreateClient`, which it must therefore have received.
  private var creationHeardAt: MonotonicInstant?
  /// When GeoClue was last asked for a sign of life, or nil after it has given one.
  private var probedAt: MonotonicInstant?

  mutating func appeared() { (isThere, isActivationPending) = (true, false) }

  mutating func vanished() { self = GeoCluePresence(isActivationPending: isActivationPending) }

  /// Returns whether to request an activation. Only one may be pending.
  mutating func beginActivation() -> Bool {
    defer { isActivationPending = true }
    return !isActivationPending
  }

  mutating func activationEnded() { isActivationPending = false }

  /// Returns whether to call `CreateClient`. Only one call may be pending.
  mutating func beginCreation() -> Bool {
    guard !isCreationPending else { return false }
    (isCreationPending, isPendingClientOutdated, creationHeardAt) = (true, false, nil)
    return true
  }

  mutating func agentChanged() { isPendingClientOutdated = isCreationPending && !hasDiscarded }

  /// Notes whether a client that was created is not used.
  mutating func discarded(_ isDiscarded: Bool) { hasDiscarded = isDiscarded }

  mutating func creationEnded() { (isCreationPending, creationHeardAt) = (false, nil) }

  mutating func probed(at now: MonotonicInstant) { probedAt = now }

  /// Returns whether GeoClue has left a call unanswered for so long that it counts as hanging.
  func hangs(at now: MonotonicInstant) -> Bool { probedAt.map { now - $0 >= ConnectionMachine.agentDeadline } ?? false }

  /// Records a reply or signal from GeoClue, with the available accuracy if it contained one.
  mutating func heard(_ level: AccuracyLevel?) {
    probedAt = nil
    if isThere, let level { available = level }
  }

  /// Like ``heard(_:)``, while `CreateClient` is pending. Returns what the reply means for that call.
  mutating func heardWhileCreating(_ level: AccuracyLevel?, at now: MonotonicInstant) -> Liveness {
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
