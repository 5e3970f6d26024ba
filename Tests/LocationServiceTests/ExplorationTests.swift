// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistService

/// Every order of events up to a depth. The checks must hold in each reachable state.
@Suite struct ExplorationTests {
  @Test func `every order of events keeps a subscription within its access`() {
    var options = ClientOptions()
    (options.maximumUpdates, options.duration) = (3, .seconds(60))
    let machine = SubscriptionMachine(options, .undecided, sourceDecides: false)
    explore(Watched(machine), depth: 3, [.options(.exact), .options(.city)])
  }

  @Test func `every order of events keeps a region within its access and its numbers without gaps`() throws {
    var options = ClientOptions()
    (options.region.latitude, options.region.longitude, options.region.radius) = (52, 13, 1_000)
    (options.region.dwell, options.region.includesLocation) = (.seconds(60), true)
    var watched = Watched(
      MonitoredRegionMachine(options, try options.region.configuration(), .undecided, sourceDecides: false))
    explore(watched, depth: 3, [.check, .room])
    let begin = Exploration<Watched<MonitoredRegionMachine>, Step, BootClock>.begin
    for step in [.access(.allowed), .start, .location(52, .exact)] as [Step] {
      watched.handle(step, at: begin - .seconds(60))
    }
    watched.handle(.timer, at: begin)
    #expect(watched.machine.region.state == .inside)
    explore(watched, depth: 2, [.check, .room])
  }

  private func explore<Machine>(_ watched: Watched<Machine>, depth: Int, _ further: [Step]) {
    let steps: [Step] = [
      .start, .oldStart, .stop, .access(.allowed), .access(.city), .access(.off), .access(.forbidden), .hold,
      .location(53, .exact), .location(52, .city), .oldLocation, .slept, .clockChanged, .timer, .close,
    ]
    let found = Exploration(
      watched, depth: depth, step: .milliseconds(1), steps + further, state: \.name, deadline: \.machine.deadline,
      { $0.handle($1, at: $2) })
    #expect(found.differences(from: ["idle", "over", "running", "without access"]) == [])
    for node in found.nodes {
      var (watched, now) = (node.machine, node.now)
      #expect(watched.violation == nil, "after \(node.path)")
      // From now on there is access, room, and a move to another place and back.
      for step in [.room, .access(.allowed), .room, .start] as [Step] { watched.handle(step, at: now) }
      let before = watched.sent
      for move in 0..<8 where watched.sent == before {
        now = now + .seconds(20)
        watched.handle(.location(move < 4 ? 53 : 52, watched.level), at: now)
        watched.handle(.timer, at: now)
      }
      let isAlive = watched.sent > before || watched.isOver
      #expect(isAlive, "nothing is sent after \(node.path)")
      #expect(watched.violation == nil, "later, after \(node.path)")
    }
  }
}

private enum Step {
  case start
  /// A `Start` call from before any `Stop` call.
  case oldStart
  case stop, hold, slept, clockChanged, timer, close, check
  case options(AccuracyLevel)
  case access(Authorization)
  case location(_ latitude: Double, AccuracyLevel)
  case oldLocation
  /// The loss that waits is sent.
  case room

  var isStart: Bool {
    switch self {
    case .start, .oldStart: true
    default: false
    }
  }
}

/// A machine with what its owner may have and has, as its events and actions determine.
private struct Watched<Machine: ObjectMachine> {
  var machine: Machine
  private(set) var violation: String?
  private(set) var sent: UInt64 = 0
  private(set) var isOver = false
  private var (isStarted, isHeld, isLossWaiting) = (false, false, false)
  private var stops: UInt64 = 0
  private var (granted, asked) = (Authorization.undecided, AccuracyLevel.exact)
  /// The state that the owner has received since its last start.
  private var told: RegionState?
  private var (need, follows) = (AccuracyLevel?.none, AccuracyLevel?.none)
  private var isReceiving = false

  init(_ machine: Machine) { self.machine = machine }

  var level: AccuracyLevel { min(granted.level, asked) }
  private var isActive: Bool { isStarted && granted.isAuthorized }
  var name: String { isOver ? "over" : !isStarted ? "idle" : isActive ? "running" : "without access" }

  mutating func handle(_ step: Step, at now: BootInstant) {
    let (wasOver, event) = (isOver, event(step, at: now))
    var answers = 0
    for action in event.map({ machine.handle($0, at: now) }) ?? [] {
      switch action {
      case .need(let level): need = level
      case .follow(let level): follows = level
      case .receiving(let receives): isReceiving = receives
      case .audit: break
      case .end: (isOver, isStarted) = (true, false)
      case .own(.started), .own(.refuse): answers += 1
      case .own(.announce), .own(.changed): break
      case .own(.own(let action)): handle(action)
      }
    }
    check(answers == (step.isStart && !wasOver ? 1 : 0), "answers \(answers) times")
    let isLimited = machine is MonitoredRegionMachine && level < .exact
    let use = isActive && !isLimited ? level : nil
    check(need == use && follows == use && isReceiving == (use != nil), "uses the source at another level")
    check(machine.delivered == sent && (sent <= 3 || machine is MonitoredRegionMachine), "counts wrong")
    check(!isOver || machine.deadline == nil, "has a deadline although it is over")
    if let last = (machine as? SubscriptionMachine)?.last {
      check(isActive && last.location.level <= level, "keeps a location")
    }
    if let last = (machine as? MonitoredRegionMachine)?.last, !isOver {
      check((last.delivery?.location.level ?? .none) <= level, "keeps a location")
    }
  }

  private mutating func handle(_ action: Machine.Kind) {
    if case .deliver(let delivery) = action as? SubscriptionMachine.Kind {
      sent += 1
      check(isActive && delivery.location.level <= level, "delivers without access")
      check(delivery.isReduced == (granted.level < asked), "calls an exact location reduced")
    }
    guard case .tell(let report) = action as? MonitoredRegionMachine.Kind else { return }
    isLossWaiting = isLossWaiting || report.event.kind == .lost
    guard report.event.kind != .lost else { return }
    check(isActive && !isHeld && !isLossWaiting, "tells without access")
    count(report)
  }

  private mutating func event(_ step: Step, at now: BootInstant) -> Machine.Event? {
    switch step {
    case .start, .oldStart:
      var number = stops
      if case .oldStart = step { number = 0 }
      if number == stops, granted.status != .restricted, !isStarted, !isOver { (isStarted, told) = (true, nil) }
      return .start(after: number)
    case .stop:
      (stops, isStarted) = (stops + 1, false)
      return .stop
    case .access(let authorization):
      (granted, isHeld) = (authorization, false)
      return access(granted)
    case .hold:
      isHeld = true
      return access(granted, isHeld: true)
    case .options(let level):
      asked = level
      var options = machine.options
      options.accuracy = level
      return SubscriptionMachine.Event.options(options) as? Machine.Event
    // While a loss waits, everything else does, too.
    case .location(let latitude, let level): return isLossWaiting ? nil : location(latitude, level, now, now)
    case .oldLocation: return isLossWaiting ? nil : location(52, .exact, .init(microseconds: 1_000_000), now)
    case .timer: return isLossWaiting ? nil : .timer
    case .slept: return .slept
    case .clockChanged: return .clockChanged
    case .check: return MonitoredRegionMachine.Event.check as? Machine.Event
    case .close: return .close(.shutdown)
    case .room:
      guard var region = machine as? MonitoredRegionMachine, isLossWaiting else { return nil }
      isLossWaiting = false
      if let loss = region.takeLoss() { count(loss) }
      if let region = region as? Machine { machine = region }
      return nil
    }
  }

  private func location(
    _ latitude: Double, _ level: AccuracyLevel, _ measured: BootInstant, _ now: BootInstant
  ) -> Machine.Event {
    var location = Location(
      latitude: latitude, longitude: 13, accuracy: 10,
      timestamp: Timestamp(microsecondsSinceEpoch: measured.microseconds), receivedAt: now)
    location.level = level
    return .location(location)
  }

  private mutating func count(_ report: RegionReport) {
    sent += 1
    check(report.event.sequence == sent, "leaves a gap in the numbers")
    check(told.map { $0 == report.event.previous } ?? true, "reports another state than before")
    check([report.event.location, report.delivery?.location].allSatisfy { ($0?.level ?? .none) <= level }, "too fine")
    told = report.event.state
  }

  private mutating func check(_ holds: Bool, _ rule: String) { violation = violation ?? (holds ? nil : rule) }
}
