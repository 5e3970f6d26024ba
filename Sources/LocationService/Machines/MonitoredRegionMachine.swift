// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// A region as its owner has it, as a pure state machine: a ``RegionMachine`` that is fed only with what the owner may
/// know, and only while the owner can be told what follows.
nonisolated struct MonitoredRegionMachine: ObjectMachine {
  let options: ClientOptions
  private(set) var region: RegionMachine
  /// The last event; nil before the first one and from the moment access is lost.
  private(set) var last: RegionReport?
  /// Since when the state has been what it is: when that was measured.
  private(set) var since = Timestamp()
  /// How many events have been sent.
  private(set) var delivered: UInt64 = 0
  var object: ObjectState
  private var lifetime: UpdateBudget
  /// Deliveries are held, so nothing is evaluated: what is found out could not be told.
  private var isHeld = false
  private var newest: Location?
  private var armedFor: UInt64?
  private var need = RegionMachine.Need.nothing

  /// Changes of the next check that are smaller are not worth scheduling again, microseconds.
  private static let needTolerance: UInt64 = 1_000_000

  init(
    _ options: ClientOptions, _ configuration: RegionConfiguration, _ authorization: Authorization, sourceDecides: Bool
  ) {
    self.options = options
    region = RegionMachine(configuration)
    object = ObjectState(options.accuracy, authorization, sourceDecides: sourceDecides)
    lifetime = UpdateBudget(duration: options.duration)
  }

  mutating func handle(_ event: ClientEvent, at now: UInt64) -> [ClientAction] {
    guard !object.isOver else { return [] }
    let (state, reason) = (region.state, region.reason)
    var actions = react(to: event, at: now)
    guard !object.isOver else { return actions }
    actions += object.settle()
    if region.state != state { actions.append(.changed("State")) }
    if region.reason != reason { actions.append(.changed("StateReason")) }
    return actions + review()
  }
}

nonisolated extension MonitoredRegionMachine {
  private mutating func react(to event: ClientEvent, at now: UInt64) -> [ClientAction] {
    switch event {
    case .start(let wish):
      let (actions, begins) = object.start(wish)
      guard begins else { return actions }
      lifetime.started(at: now)
      return actions + run(.level(grantedLevel), at: now) + run(.start, at: now)
    case .stop:
      // The evaluation ends first: it decides what is needed.
      return run(.stop, at: now) + object.stop()
    case .standing(let standing): return standingChanged(standing, at: now)
    case .evidence(let location, let level, let age): return take(location, level, age, at: now)
    case .slept:
      newest = nil
      armedFor = nil
      return run(.slept, at: now)
    case .check: return run(.check, at: now)
    case .timer:
      armedFor = nil
      if lifetime.isComplete(at: now) { return object.end(.expired) }
      return isHeld ? [] : run(.timer, at: now)
    case .clockChanged:
      armedFor = nil
      return []
    case .close(let reason): return object.end(reason)
    case .ownerLeft: return object.end(nil)
    case .prepared, .source, .options, .location, .failure, .dialogEnded, .dialogUnavailable: return []
    }
  }

  /// The level at which the owner's locations are evaluated; nil while there is no access.
  private var grantedLevel: AccuracyLevel? { authorization.isAuthorized ? level : nil }

  private mutating func standingChanged(_ standing: Standing, at now: UInt64) -> [ClientAction] {
    isHeld = standing.isHeld
    guard standing.authorization != authorization else { return [] }
    let actions = object.change(to: standing.authorization)
    // What was told before may be finer than what is allowed now.
    if let last, !authorization.isAuthorized || last.level > level { self.last = nil }
    if !authorization.isAuthorized { newest = nil }
    return actions + run(.level(grantedLevel), at: now)
  }

  private mutating func take(
    _ location: Location, _ level: AccuracyLevel, _ age: UInt64, at now: UInt64
  ) -> [ClientAction] {
    guard isActive, !isHeld, level <= self.level else { return [] }
    // A reduced location comes again with each finer one; when those arrive is not for this owner.
    if level < .exact, let newest, location.isSameMeasurement(as: newest) { return [] }
    newest = location
    return run(.location(location, age: age), at: now)
  }

  private mutating func run(_ event: RegionMachine.Event, at now: UInt64) -> [ClientAction] {
    var actions: [ClientAction] = []
    for action in region.handle(event, at: now) {
      switch action {
      case .emit(let event):
        if event.state != event.previous { since = event.timestamp }
        let report = RegionReport(
          event: event, level: level, isReduced: object.isReduced, includesLocation: options.region.includesLocation)
        last = report
        delivered &+= 1
        actions.append(.tell(report))
      case .complete: actions += object.end(.used)
      }
    }
    object.usesLocations = region.need != .nothing
    return actions
  }

  /// Arms the timer if it would come too late, and asks for the source at another time.
  private mutating func review() -> [ClientAction] {
    var actions: [ClientAction] = []
    let deadline = [isHeld ? nil : region.deadline, lifetime.deadline].compactMap { $0 }.min()
    // A timer that comes too early arms itself again, which costs less than a new one with each location.
    if let deadline, armedFor.map({ deadline < $0 }) ?? true {
      armedFor = deadline
      actions.append(.armTimer(deadline))
    }
    if isOther(region.need) {
      need = region.need
      actions.append(.reviewNeed)
    }
    return actions
  }

  private func isOther(_ new: RegionMachine.Need) -> Bool {
    guard case .check(let old) = need, case .check(let time) = new else { return need != new }
    return max(old, time) - min(old, time) >= Self.needTolerance
  }
}

/// An event of a region as its owner gets it.
nonisolated struct RegionReport: Equatable, Sendable {
  var event: RegionEvent
  /// The finest level that the event may reveal.
  var level: AccuracyLevel
  /// Less was granted than asked.
  var isReduced: Bool
  /// Whether the owner wants the location, too.
  var includesLocation: Bool
}
