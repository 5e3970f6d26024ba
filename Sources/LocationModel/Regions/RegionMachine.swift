// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Monitors one region: a pure state machine that turns locations into events.
///
/// The owner passes events in, performs the returned actions, sends ``Event/timer`` at the ``deadline`` and provides
/// what ``need`` asks for.
package struct RegionMachine: Sendable {
  package enum Event: Sendable {
    /// The client starts the region. Does nothing while it is started.
    case start
    case stop
    /// The finest level that may be revealed to the client from now on; nil while it is not authorized.
    case level(AccuracyLevel?)
    /// A location, reduced to that level.
    case location(Location)
    /// The machine has slept and may have moved.
    case slept
    /// The wall clock was set, so that times of measurements before and after cannot be compared.
    case clockSet
    /// The device may have moved, for instance because the network changed: a location is needed now.
    case check
    /// ``RegionMachine/deadline`` has passed. An early event does nothing.
    case timer
  }

  package enum Action: Equatable, Sendable {
    case emit(RegionEvent)
    /// End the region, which was for a single use.
    case complete
  }

  /// The need of the region for the source of locations.
  package enum Need: Equatable, Sendable {
    /// Nothing, although locations that arrive anyway are evaluated.
    case nothing
    case now
    /// A location, for which the source is tried from that time on.
    case check(at: BootInstant)
  }

  /// The settings. Below ``AccuracyLevel/exact``, the state is not lost while the level's next interval is awaited.
  package var configuration: RegionConfiguration {
    var configuration = settings
    if let level, level < .exact {
      configuration.unknownAfter = max(settings.unknownAfter, level.minimumInterval + SourceWait.updateLength)
    }
    return configuration
  }

  private let settings: RegionConfiguration
  private var level: AccuracyLevel?
  private var phase = Phase.stopped
  /// The newest known state, remembered while the state is unknown.
  private var remembered: RegionState
  /// Whether `dwelled` was reported for the present stay.
  private var hasDwelled = false
  private var sequence: UInt64 = 0
  private var sleep = SleepFilter()
  private var order = MeasurementOrder()

  private enum Phase: Sendable {
    case stopped
    case unauthorized
    /// The granted level is coarser than the region.
    case limited
    case watching(RegionWatch)
  }

  /// Creates a stopped region of a client that is not authorized yet.
  package init(_ configuration: RegionConfiguration) {
    settings = configuration
    remembered = configuration.assumed
  }

  package var state: RegionState {
    if case .watching(let watch) = phase { watch.state } else { .unknown }
  }

  /// The reason why ``state`` is unknown.
  package var reason: RegionReason {
    switch phase {
    case .stopped: .none
    case .unauthorized: .notAuthorized
    case .limited: .accuracyLimited
    case .watching(let watch): watch.reason
    }
  }

  /// When ``Event/timer`` is due; nil if there is no timer.
  package var deadline: BootInstant? {
    guard case .watching(let watch) = phase else { return nil }
    return watch.deadline(configuration, dwells: !hasDwelled)
  }

  package var need: Need {
    if case .watching(let watch) = phase { watch.need } else { .nothing }
  }

  /// Handles an event and returns the actions to perform, in order.
  package mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
    switch event {
    case .start:
      guard case .stopped = phase else { return [] }
      return resume(at: now)
    case .stop:
      phase = .stopped
      return []
    case .level(let level): return changeLevel(to: level, at: now)
    case .location(let location):
      guard sleep.passes(location, at: now) else { return [] }
      let isNew = order.isNew(location, at: now)
      guard case .watching(var watch) = phase else { return [] }
      if isNew {
        let age = now - location.receivedAt
        let isOfInterval = location.level < .exact && now < location.endOfInterval
        guard location.isStatic || isOfInterval || age <= RegionWatch.oldestEvidence else { return [] }
        watch.take(location, configuration, mayImprove: level == .exact, at: now)
      } else if let level, level < .exact {
        // The location of the interval is repeated, because there is no other before the next interval.
        watch.looked(location, configuration, at: now)
      }
      phase = .watching(watch)
      return proceed(at: now)
    case .slept:
      sleep.woke(at: now)
      order = MeasurementOrder()
      guard case .watching(let watch) = phase else { return [] }
      phase = .watching(RegionWatch(since: now, reason: .slept))
      return lost(from: watch, because: .slept, at: now)
    case .clockSet:
      order = MeasurementOrder()
      return []
    case .check:
      guard case .watching(var watch) = phase else { return [] }
      watch.checkNow(at: now)
      phase = .watching(watch)
      return []
    case .timer: return proceed(at: now)
    }
  }

  private mutating func changeLevel(to new: AccuracyLevel?, at now: BootInstant) -> [Action] {
    let old = level
    level = new
    switch phase {
    case .stopped: return []
    case .unauthorized, .limited: return new == old ? [] : resume(at: now)
    case .watching(var watch):
      guard let new, !isLimited(new) else { return resume(at: now) }
      // A candidate from finer locations must not show after the level has become coarser.
      if let old, new < old { watch.dropCandidate() }
      // Evidence of a coarser level may be older than that of the finer one may be.
      if let old, new > old { watch.levelRose(at: now) }
      phase = .watching(watch)
      return []
    }
  }

  /// Starts or continues the evaluation, as the level allows.
  private mutating func resume(at now: BootInstant) -> [Action] {
    let before = phase
    guard let level else {
      phase = .unauthorized
      guard case .watching(let watch) = before else { return [] }
      return lost(from: watch, because: .notAuthorized, at: now)
    }
    guard isLimited(level) else {
      phase = .watching(RegionWatch(since: now))
      // What the last run has seen is new to this one.
      order = MeasurementOrder()
      return []
    }
    phase = .limited
    switch before {
    case .limited: return []
    case .watching(let watch) where watch.state != .unknown:
      return lost(from: watch, because: .accuracyLimited, at: now)
    default: return [emit(.lost, .unknown, from: .unknown, because: .accuracyLimited, at: now, evidence: nil)]
    }
  }

  private func isLimited(_ level: AccuracyLevel) -> Bool {
    level.cellSize.map { $0 > configuration.region.radius } ?? false
  }

  /// Commits candidates, gives up states and reports stays that are due.
  private mutating func proceed(at now: BootInstant) -> [Action] {
    guard case .watching(var watch) = phase else { return [] }
    watch.stopWaiting(configuration, at: now)
    var actions: [Action] = []
    if let candidate = watch.commit(configuration, at: now) {
      let previous = watch.state
      watch.accept(candidate)
      actions += crossed(from: previous, candidate, at: now)
    } else if watch.isBlind(configuration, at: now) {
      watch.lose()
      actions.append(emit(.determined, .unknown, from: .unknown, because: watch.reason, at: now, evidence: nil))
    } else if watch.isLost(configuration, at: now) {
      let before = watch
      watch.lose()
      actions += lost(from: before, because: watch.reason, at: now)
    }
    if !hasDwelled, let stay = watch.dwelled(configuration, at: now) {
      hasDwelled = true
      actions.append(emit(.dwelled, .inside, from: .inside, because: .none, at: now, evidence: stay))
    }
    phase = actions.contains(.complete) ? .stopped : .watching(watch)
    return actions
  }

  private mutating func crossed(from previous: RegionState, _ candidate: RegionCandidate, at now: BootInstant)
    -> [Action]
  {
    let state = candidate.state
    let isCrossing = remembered != .unknown && remembered != state
    remembered = state
    if isCrossing || state == .outside { hasDwelled = false }
    let kind: RegionEvent.Kind = !isCrossing ? .determined : state == .inside ? .entered : .exited
    let event = emit(
      kind, state, from: previous, because: .none, at: now, evidence: candidate,
      hasGap: isCrossing && previous == .unknown)
    return isCrossing && configuration.isSingleUse ? [event, .complete] : [event]
  }

  private mutating func lost(from watch: RegionWatch, because reason: RegionReason, at now: BootInstant) -> [Action] {
    guard watch.state != .unknown else { return [] }
    return [emit(.lost, .unknown, from: watch.state, because: reason, at: now, evidence: watch.newestEvidence)]
  }

  private mutating func emit(
    _ kind: RegionEvent.Kind, _ state: RegionState, from previous: RegionState, because reason: RegionReason,
    at now: BootInstant, evidence: RegionCandidate?, hasGap: Bool = false
  ) -> Action {
    sequence &+= 1
    // The evidence may be from before the level became coarser.
    let location = evidence.flatMap { evidence in
      level.flatMap { evidence.newest.level <= $0 ? evidence.newest : nil }
    }
    return .emit(
      RegionEvent(
        kind: kind, state: state, previous: previous, reason: reason, sequence: sequence,
        timestamp: (kind == .lost ? location?.timestamp : nil) ?? evidence?.measured ?? Timestamp(), committedAt: now,
        hasGap: hasGap, isSimulated: evidence?.newest.isSimulated ?? false, location: kind == .lost ? nil : location))
  }
}
