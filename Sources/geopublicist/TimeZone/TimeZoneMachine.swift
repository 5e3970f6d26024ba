// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Decides when the clock's time zone is set: when the computed zone has been the same for a while, unless another one
/// has been set since it was computed. A pure state machine; times are those of the monotonic clock, so that
/// the wait does not end while the machine sleeps.
nonisolated struct TimeZoneMachine: StateMachine {
  enum Event: MachineEvent, Equatable {
    /// The computed zone; nil while it is not certain.
    case computed(String?)
    /// The clock's zone, or nil if it could not be read: the answer to ``Action/readClock``.
    case clock(String?)
    case timer
    /// The answer to ``Action/check``: the clock's zone, and whether it may be set.
    case checked(String?, mayBeSet: Bool)
    /// The answer to ``Action/set(_:)``.
    case wasSet(Bool)
  }

  enum Action: Equatable {
    case readClock
    /// Find out the clock's zone, and whether every user allows setting it.
    case check
    case set(String)
    /// Record that nothing needs to be done until a different zone is computed.
    case settle(String)
  }

  private struct Candidate: Equatable {
    let zone: String
    let since: MonotonicInstant
    /// The clock's zone when this one was computed; nil while unknown.
    var clock: String?
  }

  private enum Step: Equatable {
    case waiting
    case checking(Candidate)
    case setting(Candidate)
  }

  private let patience: Duration
  /// The last zone that needs nothing more, because the clock has shown it or another one was set by hand.
  private(set) var settled: String?
  private var candidate: Candidate?
  private var step = Step.waiting
  private var retryAt = MonotonicInstant.origin

  /// - Parameters:
  ///   - patience: How long a zone must stay the same, and the pause after a failure.
  ///   - settled: The zone that an earlier run has recorded.
  init(patience: Duration, settled: String?) {
    self.patience = patience
    self.settled = settled
  }

  /// When ``Event/timer`` is due.
  var deadline: MonotonicInstant? {
    guard step == .waiting, let candidate, candidate.zone != settled else { return nil }
    return max(candidate.since + patience, retryAt)
  }

  mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Action] {
    switch event {
    case .computed(let zone):
      guard zone != candidate?.zone else { return [] }
      candidate = zone.map { Candidate(zone: $0, since: now) }
      return zone == nil || zone == settled ? [] : [.readClock]
    case .clock(let zone):
      if candidate?.clock == nil { candidate?.clock = zone }
      return []
    case .timer:
      guard let candidate, let deadline, deadline <= now else { return [] }
      step = .checking(candidate)
      return [.check]
    case .checked(let clock, let mayBeSet):
      guard case .checking(let checked) = step else { return [] }
      step = .waiting
      // Another zone has been computed meanwhile, and is handled next.
      guard let candidate, candidate.zone == checked.zone, candidate.since == checked.since else { return [] }
      guard mayBeSet, let clock else { return retry(at: now) }
      // The zone has been set by hand since, which takes precedence.
      guard clock != candidate.zone, clock == candidate.clock ?? clock else { return settle(candidate.zone) }
      step = .setting(candidate)
      return [.set(candidate.zone)]
    case .wasSet(let isDone):
      guard case .setting(let set) = step else { return [] }
      step = .waiting
      guard isDone else { return retry(at: now) }
      if candidate != set { candidate?.clock = set.zone }
      return settle(set.zone)
    }
  }

  private mutating func retry(at now: MonotonicInstant) -> [Action] {
    retryAt = now + patience
    return []
  }

  private mutating func settle(_ zone: String) -> [Action] {
    settled = zone
    return [.settle(zone)]
  }
}
