// SPDX-License-Identifier: Apache-2.0
import GeopublicistContract
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// The state machine of a client's region. Feeds its ``RegionMachine`` only with locations that the owner may receive,
/// and only while the result can be sent to the owner.
nonisolated struct MonitoredRegionMachine: ObjectMachine {
  let options: ClientOptions
  private(set) var region: RegionMachine
  /// The last event sent to the owner. Nil before the first one and as soon as access is lost.
  private(set) var last: RegionReport?
  /// The loss of the state, if it has not been sent to the owner yet. Until it is sent, everything else waits.
  private var loss: RegionReport?
  /// When the first evidence for the current state was measured.
  private(set) var since = Timestamp()
  /// The number of events sent to the owner.
  private(set) var delivered: UInt64 = 0
  var object: ObjectState<Kind>
  private var lifetime: UpdateBudget<BootClock>
  /// Deliveries are held, so nothing is evaluated: the result could not be sent.
  private var isHeld = false
  private var need = RegionMachine.Need.nothing

  enum Event: ObjectEvent {
    case start(after: UInt64)
    case stop
    case access(ClientAccess)
    case location(Location)
    case slept
    case clockChanged
    /// The device may have moved.
    case check
    case timer
    case close(ClosedReason?)
  }

  enum Kind: Equatable, Sendable {
    case tell(RegionReport)
    /// Ask when the object next needs the source.
    case reviewNeed
  }

  /// A smaller change of the next check does not require rescheduling.
  private static let needTolerance = Duration.seconds(1)

  init(
    _ options: ClientOptions, _ configuration: RegionConfiguration, _ authorization: Authorization, sourceDecides: Bool
  ) {
    self.options = options
    region = RegionMachine(configuration)
    object = ObjectState(options.accuracy, authorization, sourceDecides: sourceDecides)
    lifetime = UpdateBudget(duration: options.duration)
  }

  var deadline: BootInstant? {
    object.isOver ? nil : [isHeld ? nil : region.deadline, lifetime.deadline].compactMap { $0 }.min()
  }

  mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
    guard !object.isOver else { return [] }
    let (state, reason) = (region.state, region.reason)
    var actions = react(to: event, at: now)
    guard !object.isOver else { return actions }
    actions += object.settle()
    if region.state != state { actions.append(.own(.changed(RegionInterface.state))) }
    if region.reason != reason { actions.append(.own(.changed(RegionInterface.stateReason))) }
    return actions + review()
  }
}

nonisolated extension MonitoredRegionMachine {
  private mutating func react(to event: Event, at now: BootInstant) -> [Action] {
    switch event {
    case .start(let stops):
      let (actions, begins) = object.start(after: stops)
      guard begins else { return actions }
      lifetime.started(at: now)
      return actions + run(.level(grantedLevel), at: now) + run(.start, at: now)
    case .stop:
      // End the evaluation first, because it determines what is needed.
      let actions = run(.stop, at: now)
      // A stopped region sends nothing, not even a loss that waits for its turn.
      loss = nil
      return actions + object.stop()
    case .access(let access): return accessChanged(access, at: now)
    case .location(let location): return take(location, at: now)
    case .slept: return run(.slept, at: now)
    case .check: return run(.check, at: now)
    case .timer:
      if lifetime.isComplete(at: now) { return object.end(.expired) }
      return isHeld ? [] : run(.timer, at: now)
    case .clockChanged: return run(.clockSet, at: now)
    case .close(let reason): return object.end(reason)
    }
  }

  /// The level at which the region is evaluated, or nil without access.
  private var grantedLevel: AccuracyLevel? { authorization.isAuthorized ? level : nil }

  private mutating func accessChanged(_ access: ClientAccess, at now: BootInstant) -> [Action] {
    isHeld = access.isHeld
    guard access.authorization != authorization else { return [] }
    let actions = object.change(to: access.authorization)
    // The last event may reveal more than is allowed now.
    if let last, !authorization.isAuthorized || last.level > level { self.last = nil }
    return actions + run(.level(grantedLevel), at: now)
  }

  /// Takes a location that may be sent now, although others are held.
  private mutating func take(_ location: Location, at now: BootInstant) -> [Action] {
    guard isActive, location.level <= level else { return [] }
    return run(.location(location), at: now)
  }

  private mutating func run(_ event: RegionMachine.Event, at now: BootInstant) -> [Action] {
    var actions: [Action] = []
    for action in region.handle(event, at: now) {
      switch action {
      case .emit(let event):
        if event.state != event.previous { since = event.timestamp }
        var report = RegionReport(event: event, level: level)
        if options.region.includesLocation, let location = event.location {
          // The location may be from before access was granted again or extended to finer locations.
          report.delivery = Delivery(location: location, isReduced: location.level < options.accuracy)
        }
        if event.kind == .lost {
          // If the state was lost several times in a row, the owner has received only the state before the first loss.
          if let first = loss?.event {
            report.event.previous = first.previous
            // Without a state, nothing has supported it since.
            if event.previous == .unknown {
              (report.event.timestamp, report.event.isSimulated) = (first.timestamp, first.isSimulated)
            }
          }
          loss = report
        } else {
          report = numbered(report)
        }
        actions.append(.own(.own(.tell(report))))
      case .complete: actions += object.end(.used)
      }
    }
    object.usesLocations = region.need != .nothing
    return actions
  }

  /// Returns the loss that must be sent now, if any.
  mutating func takeLoss() -> RegionReport? {
    defer {
      loss = nil
      // It says where the device was.
      if !authorization.isAuthorized { last = nil }
    }
    return loss.map { numbered($0) }
  }

  /// Numbers an event that is sent now. An event that was replaced before it was sent leaves no gap.
  private mutating func numbered(_ report: RegionReport) -> RegionReport {
    var report = report
    delivered &+= 1
    report.event.sequence = delivered
    last = report
    return report
  }

  /// Requests a review if the source is needed at a different time.
  private mutating func review() -> [Action] {
    guard isOther(region.need) else { return [] }
    need = region.need
    return [.own(.own(.reviewNeed))]
  }

  private func isOther(_ new: RegionMachine.Need) -> Bool {
    guard case .check(let old) = need, case .check(let time) = new else { return need != new }
    return max(old, time) - min(old, time) >= Self.needTolerance
  }
}

/// An event of a region as its owner receives it.
nonisolated struct RegionReport: Equatable, Sendable {
  var event: RegionEvent
  /// The finest level that the event may reveal.
  var level: AccuracyLevel
  /// The location of the event, if the owner requested it.
  var delivery: Delivery?
}
