// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistClient

/// The state machine that keeps a region across restarts of the service.
@Suite struct RegionKeeperTests {
  private struct Driver {
    var machine = RegionKeeper()
    var now = MonotonicInstant.origin
    var created: [(assumed: String, duration: UInt32)] = []
    var told: [String] = []
    var events: [RegionEvent] = []
    private var attempt: UInt64 = 0
    private var options = ClientOptions()

    init(_ change: (inout ClientOptions) -> Void = { _ in }) {
      (options.region.latitude, options.region.longitude, options.region.radius) = (52, 13, 200)
      change(&options)
      send(.wanted(options))
      send(.ownerChanged(":1.1"))
      create()
    }

    mutating func create() {
      attempt += 1
      send(.created(attempt == 1 ? "/r/1" : "/r/2", attempt: attempt))
      send(.started(attempt: attempt))
    }

    mutating func want(_ level: AccuracyLevel) {
      options.accuracy = level
      send(.wanted(options))
      create()
    }

    mutating func restart() {
      send(.ownerChanged(attempt == 1 ? ":1.11" : ":1.12"))
      create()
    }

    mutating func change(
      _ kind: RegionEvent.Kind, _ state: RegionState, gap: Bool = false, reason: RegionReason = .none
    ) {
      let value = Value.options([
        ("Event", .string(kind.rawValue)), ("State", .string(state.rawValue)), ("Previous", .string("unknown")),
        ("Sequence", .uint64(1)), ("Gap", .boolean(gap)), ("Reason", .string(reason.rawValue)),
      ])
      send(.signal("StateChanged", [value]))
    }

    mutating func send(_ event: ServiceObjectEvent) { perform(machine.handle(event, at: now, chance: 0)) }

    private mutating func perform(_ actions: [RegionKeeper.Action]) {
      for action in actions {
        switch action {
        case .create(_, let options, _):
          let properties = options.properties ?? [:]
          created.append((properties["assumed"]?.string ?? "unknown", properties["duration"]?.uint32 ?? 0))
        case .tell(.update(let change)):
          told.append(change.event.kind.rawValue)
          events.append(change.event)
        case .tell(.interrupted): told.append("interrupted")
        case .tell(.resumed): told.append("resumed")
        case .tell(.closed(let reason)): told.append(reason)
        case .tell(.authorization(let new)): told.append(new.status.rawValue)
        default: break
        }
      }
    }
  }

  /// Regression: the region began anew, so that an exit was reported as a first state, and a stay twice.
  @Test func `a changed level repeats nothing and hides no crossing`() {
    var driver = Driver()
    driver.change(.determined, .inside)
    driver.change(.dwelled, .inside)
    driver.want(.street)
    driver.change(.determined, .inside)
    driver.change(.dwelled, .inside)
    driver.change(.exited, .outside)
    #expect(driver.created.map(\.assumed) == ["unknown", "inside"])
    #expect(driver.events.map(\.kind) == [.determined, .dwelled, .exited])
    #expect(driver.events.map(\.sequence) == [1, 2, 3])
  }

  @Test func `a restart of the service repeats no region event`() {
    var driver = Driver()
    driver.change(.determined, .inside)
    driver.restart()
    driver.change(.determined, .inside)
    driver.change(.exited, .outside)
    #expect(driver.told == ["determined", "interrupted", "resumed", "exited"])
    #expect(driver.created.map(\.assumed) == ["unknown", "inside"])
    #expect(driver.events.map(\.sequence) == [1, 2] && driver.events.last?.previous == .inside)
  }

  @Test func `a restart of the service repeats no loss`() {
    var driver = Driver()
    driver.change(.lost, .unknown, reason: .notAuthorized)
    driver.restart()
    driver.change(.lost, .unknown, reason: .notAuthorized)
    driver.change(.lost, .unknown, reason: .accuracyLimited)
    #expect(driver.told == ["lost", "interrupted", "resumed", "lost"])
    #expect(driver.events.map(\.reason) == [.notAuthorized, .accuracyLimited])
  }

  /// Regression: the only event of a region whose source reports no accuracy was dropped.
  @Test func `after a restart, a state that is unknown for a new reason is reported once`() {
    var driver = Driver()
    driver.restart()
    for _ in 1...2 { driver.change(.determined, .unknown, reason: .accuracyInsufficient) }
    #expect(driver.events.map(\.reason) == [.accuracyInsufficient])
  }

  @Test func `another connection to the bus repeats no region event`() {
    var driver = Driver { $0.region.assumed = .outside }
    driver.change(.entered, .inside, gap: true)
    driver.send(.disconnected)
    driver.send(.connected)
    driver.send(.created("/r/2", attempt: 3))
    driver.send(.started(attempt: 3))
    driver.change(.determined, .inside)
    driver.change(.exited, .outside)
    #expect(driver.told == ["entered", "interrupted", "resumed", "exited"])
    #expect(driver.created.map(\.assumed) == ["outside", "inside"])
    #expect(driver.events.map(\.sequence) == [1, 2] && driver.events.last?.previous == .inside)
  }

  @Test func `an answer of a lost connection to the bus does not count`() {
    var driver = Driver()
    driver.send(.disconnected)
    driver.send(.connected)
    driver.send(.disconnected)
    driver.send(.created("/r/2", attempt: 3))
    driver.send(.connected)
    #expect(driver.created.count == 3)
    driver.send(.started(attempt: 3))
    #expect(driver.told == ["interrupted"])
  }

  @Test func `a region that has ended is not created on another connection`() {
    var driver = Driver()
    driver.send(.signal("Closed", [.string("used")]))
    driver.send(.disconnected)
    driver.send(.connected)
    #expect(driver.created.count == 1)
  }

  @Test func `a border crossing during a restart of the service is marked with a gap`() {
    var driver = Driver()
    driver.change(.determined, .inside)
    driver.restart()
    driver.change(.exited, .outside, gap: true)
    #expect(driver.told.last == "exited" && driver.events.last?.hasGap == true)
  }

  @Test func `if the service does not return, the region's state is lost`() throws {
    var driver = Driver { $0.region.unknownAfter = .milliseconds(60_000) }
    driver.change(.entered, .inside)
    driver.send(.ownerChanged(nil))
    driver.now = 60_000_000
    driver.send(.timer)
    #expect(driver.told == ["entered", "interrupted", "lost"])
    #expect(driver.events.last?.reason == .noFix && driver.events.last?.previous == .inside)
    driver.send(.ownerChanged(":1.9"))
    driver.send(.created("/r/9", attempt: 2))
    driver.change(.determined, .inside)
    #expect(driver.told.last == "determined")
  }

  @Test func `a restart of the service does not repeat the event dwelled`() {
    var driver = Driver()
    driver.change(.determined, .inside)
    driver.change(.dwelled, .inside)
    driver.restart()
    driver.change(.determined, .inside)
    driver.change(.dwelled, .inside)
    #expect(driver.told.count { $0 == "dwelled" } == 1)
  }

  @Test func `a region's duration includes a restart of the service`() throws {
    var driver = Driver { $0.duration = .milliseconds(5_000) }
    driver.restart()
    #expect(driver.created.map(\.duration) == [5_000, 0])
    driver.now = try #require(driver.machine.deadline)
    driver.send(.timer)
    #expect(driver.now == 5_000_000 && driver.told.last == "expired" && driver.machine.deadline == nil)
  }

  /// Regression: the last state that was told remained unknown.
  @Test func `after a restart, a state is reported if the last one that was told is another`() {
    var driver = Driver()
    driver.change(.determined, .inside)
    driver.change(.lost, .unknown, reason: .slept)
    driver.restart()
    driver.change(.determined, .inside)
    #expect(driver.events.map(\.kind) == [.determined, .lost, .determined])
    driver.restart()
    driver.change(.determined, .unknown, reason: .accuracyInsufficient)
    driver.change(.determined, .inside)
    #expect(driver.events.map(\.state) == [.inside, .unknown, .inside, .unknown, .inside])
    var other = Driver { $0.region.assumed = .inside }
    other.restart()
    other.change(.determined, .inside)
    #expect(other.events.map(\.state) == [.inside])
  }

  @Test func `a single-use region is not created again after its event`() {
    var driver = Driver { $0.region.isSingleUse = true }
    driver.send(.signal("Closed", [.string("used")]))
    driver.send(.ownerChanged(":1.2"))
    #expect(driver.told == ["used"] && driver.created.count == 1)
  }

  @Test func `after a restart, only events that change the known state are reported`() throws {
    var memory = RegionMemory()
    var last = RegionState.unknown
    func isNew(_ event: String, _ state: String) throws -> Bool {
      let event = try #require(ServiceRegionEvent(.options([("Event", .string(event)), ("State", .string(state))])))
        .event
      let isNew = memory.isNew(event, after: last)
      if isNew { last = event.state }
      return isNew
    }
    var told = [try isNew("determined", "inside"), try isNew("dwelled", "inside")]
    memory.interrupted()
    #expect(memory.known == .inside)
    for event in ["determined", "dwelled"] { told.append(try isNew(event, "inside")) }
    told += [try isNew("lost", "unknown"), try isNew("determined", "inside")]
    memory.interrupted()
    told.append(try isNew("exited", "outside"))
    #expect(told == [true, true, false, false, true, true, true])
  }
}
