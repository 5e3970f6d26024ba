// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// Keeps one region at the service: a pure state machine that creates it again after a restart, with the last known
/// state.
nonisolated struct RegionKeeper: ServiceObjectMachine {
  typealias Update = ServiceRegionEvent

  private var object = KeptObject<Update>(starts: true)
  private var memory = RegionMemory()
  private var options = ClientOptions()
  /// When a region with a `duration` expires; used only after an interruption, when the service no longer counts.
  private var end: MonotonicInstant?
  private var wasInterrupted = false
  /// The level with which the region was created last.
  private var created: AccuracyLevel?
  /// When a known state is given up because no event has confirmed it since an interruption.
  private var lostAt: MonotonicInstant?
  private var state = RegionState.unknown
  /// Why the state is unknown.
  private var reason = RegionReason.none
  private var sequence: UInt64 = 0

  var deadline: MonotonicInstant? {
    let own = object.isKept ? [lostAt, wasInterrupted ? end : nil] : []
    return ([object.deadline] + own).compactMap { $0 }.min()
  }

  mutating func handle(_ event: ServiceObjectEvent, at now: MonotonicInstant, chance: Double) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .wanted(let options):
      if created == nil { memory.known = options.region.assumed }
      self.options = options
      object.ask(for: options.accuracy)
    case .started(object.attempt) where end == nil && options.duration > .zero:
      end = now + options.duration
    case .timer:
      actions = lose(now)
      if wasInterrupted, let end, end <= now { return actions + perform(object.complete("expired"), now) }
    case .signal(RegionInterface.stateChanged, let arguments): return changed(arguments, now)
    default: break
    }
    actions += perform(object.handle(event, at: now, chance: chance), now)
    guard object.path != nil, created != options.accuracy else { return actions }
    // The service cannot change the level of a region.
    interrupt(now)
    return actions + perform(object.handle(.replaced, at: now), now)
  }
}

nonisolated extension RegionKeeper {
  private mutating func perform(_ actions: [Action], _ now: MonotonicInstant) -> [Action] {
    actions.map { action in
      switch action {
      case .renew(let attempt):
        var options = options
        options.region.assumed = memory.known
        if wasInterrupted { options.duration = .zero }
        created = options.accuracy
        return .create(Location1Interface.createRegion, options.value(ClientOption.ofRegion), attempt: attempt)
      case .lost:
        interrupt(now)
        return action
      default: return action
      }
    }
  }

  /// Notes that the region of the service ends, and another one will begin.
  private mutating func interrupt(_ now: MonotonicInstant) {
    wasInterrupted = true
    memory.interrupted()
    if state != .unknown, lostAt == nil { lostAt = now + options.region.unknownAfter }
  }

  private mutating func changed(_ arguments: [Value], _ now: MonotonicInstant) -> [Action] {
    guard object.path != nil, let event = arguments.first.flatMap(ServiceRegionEvent.init) else { return [] }
    // The service does not know that an earlier one has reported the same loss.
    let isRepeated = (event.event.state, event.event.reason) == (.unknown, reason) && state == .unknown
    let isNew = memory.isNew(event.event, after: state) && !isRepeated
    if event.event.state != .unknown || isNew { lostAt = nil }
    return isNew ? tell(event) : []
  }

  /// Reports the loss of the state if the service has been away for too long.
  private mutating func lose(_ now: MonotonicInstant) -> [Action] {
    guard let time = lostAt, time <= now else { return [] }
    lostAt = nil
    memory.lost()
    return ServiceRegionEvent(lostFrom: state).map { tell($0) } ?? []
  }

  /// Reports an event with a sequence number that continues across restarts.
  private mutating func tell(_ event: ServiceRegionEvent) -> [Action] {
    let previous = state
    sequence &+= 1
    (state, reason) = (event.event.state, event.event.reason)
    return [.tell(.update(event.numbered(sequence, after: previous)))]
  }
}

/// Remembers across restarts of the service what was reported of a region, so that nothing is reported twice.
nonisolated struct RegionMemory {
  var known = RegionState.unknown
  /// Whether `dwelled` was reported for the present stay.
  private var hasDwelled = false
  /// Whether the service has restarted, so that its first event may be known already.
  private var isAfterRestart = false

  /// Notes that the service has exited.
  mutating func interrupted() { isAfterRestart = true }

  /// Notes that the state is no longer known.
  mutating func lost() { isAfterRestart = false }

  /// - Parameter told: The last state that was reported.
  mutating func isNew(_ event: RegionEvent, after told: RegionState) -> Bool {
    defer {
      if event.state != .unknown {
        isAfterRestart = false
        known = event.state
      }
    }
    switch event.kind {
    case .dwelled:
      defer { hasDwelled = true }
      return !hasDwelled
    // For what reason a state is unknown is compared elsewhere.
    case .determined: return !isAfterRestart || event.state != told || event.state == .unknown
    case .entered, .exited:
      hasDwelled = false
      return true
    case .lost: return true
    }
  }
}
