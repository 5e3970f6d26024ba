// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistService

@Suite struct MonitoredRegionMachineTests {
  private func machine(
    radius: Double = 1_000, _ authorization: Authorization = .allowed, sourceDecides: Bool = false,
    _ change: (inout ClientOptions) -> Void = { _ in }
  ) throws -> MonitoredRegionMachine {
    var options = ClientOptions()
    (options.region.latitude, options.region.longitude, options.region.radius) = (52, 13, radius)
    change(&options)
    return MonitoredRegionMachine(
      options, try options.region.configuration(), authorization, sourceDecides: sourceDecides)
  }

  private func started(
    radius: Double = 1_000, _ authorization: Authorization = .allowed,
    _ change: (inout ClientOptions) -> Void = { _ in }
  ) throws -> MonitoredRegionMachine {
    var machine = try machine(radius: radius, authorization, change)
    _ = machine.handle(.start(after: machine.stops), at: 0)
    return machine
  }

  private func evidence(_ latitude: Double, _ second: UInt64, _ level: AccuracyLevel = .exact)
    -> MonitoredRegionMachine.Event
  {
    var location = Location(latitude: latitude, longitude: 13, accuracy: 10, timestamp: Timestamp(seconds: second))
    location.level = level
    return .location(location)
  }

  private func happenings(_ actions: [MonitoredRegionMachine.Action]) -> [RegionEvent.Kind] {
    actions.compactMap { if case .own(.own(.tell(let report))) = $0 { report.event.kind } else { nil } }
  }

  private let second = Duration.seconds(1)

  /// Sends the same place for a while, as a source does, and returns the reports.
  private func stay(
    _ machine: inout MonitoredRegionMachine, at latitude: Double, from: UInt64, to: UInt64,
    _ level: AccuracyLevel = .exact
  ) -> [RegionEvent.Kind] {
    var told: [RegionEvent.Kind] = []
    for time in stride(from: from, through: to, by: 5) {
      told += happenings(machine.handle(evidence(latitude, time, level), at: time * second))
      told += happenings(machine.handle(.timer, at: time * second))
    }
    return told
  }

  @Test func `Start is answered, then the authorization is announced, then the source is needed`() throws {
    var machine = try machine()
    let actions = machine.handle(.start(after: machine.stops), at: 5)
    #expect(actions.contains(inOrder: .own(.started), .own(.announce), .need(.exact)))
    #expect(machine.deadline == 900 * second + 5)
  }

  @Test func `crossings are reported and shown in the properties`() throws {
    var machine = try started()
    #expect(stay(&machine, at: 53, from: 1, to: 31) == [.determined])
    #expect(stay(&machine, at: 52, from: 35, to: 65) == [.entered])
    #expect(machine.region.state == .inside)
    #expect(machine.since.seconds == 36 - 1)
    #expect(machine.last?.event.kind == .entered)
    #expect(machine.delivered == 2)
  }

  @Test func `the source is not needed between two checks`() throws {
    var machine = try started()
    _ = stay(&machine, at: 53, from: 1, to: 31)
    guard case .check = machine.region.need else {
      Issue.record("no check is due")
      return
    }
    _ = machine.handle(evidence(53, 32), at: 32 * second)
    #expect(machine.handle(.check, at: 40 * second).contains(.own(.own(.reviewNeed))))
    #expect(machine.region.need == .check(at: 40 * second))
  }

  @Test func `when access is lost, the region reports this, clears its properties and ignores later fixes`() throws {
    var machine = try started { $0.region.includesLocation = true }
    _ = stay(&machine, at: 52, from: 1, to: 31)
    #expect(machine.last?.delivery != nil)
    _ = machine.handle(evidence(53, 40), at: 40 * second)
    let actions = machine.handle(access(.off), at: 41 * second)
    #expect(happenings(actions) == [.lost])
    #expect(actions.contains(.follow(nil)) && actions.contains(.own(.announce)))
    #expect(machine.last?.event.location == nil && machine.last?.delivery == nil)
    #expect(stay(&machine, at: 53, from: 45, to: 200) == [])
    #expect(happenings(machine.handle(access(.allowed), at: 201 * second)) == [])
    #expect(stay(&machine, at: 53, from: 205, to: 235) == [.exited])
  }

  /// Regression: a location that may be sent was dropped, too. Endless doubts then kept every event from its owner.
  @Test func `while deliveries are held, no timer fires, and a location that may be sent counts`() throws {
    var machine = try started()
    _ = machine.handle(evidence(52, 1), at: 1 * second)
    _ = machine.handle(access(.allowed, isHeld: true), at: 2 * second)
    #expect(machine.deadline == nil && machine.handle(.timer, at: 100 * second) == [])
    _ = machine.handle(access(.allowed), at: 101 * second)
    #expect(machine.deadline != nil)
    _ = machine.handle(access(.allowed, isHeld: true), at: 102 * second)
    #expect(stay(&machine, at: 52, from: 103, to: 130) == [.determined])
  }

  @Test func `at a reduced level only reduced locations count, and each of them counts once`() throws {
    var machine = try started(radius: 20_000, .city)
    #expect(machine.level == .city)
    #expect(machine.handle(evidence(52, 1), at: 1 * second) == [], "a finer one")
    _ = machine.handle(evidence(52, 1, .city), at: 2 * second)
    #expect(machine.handle(evidence(52, 1, .city), at: 40 * second) == [], "the same one again")
    #expect(happenings(machine.handle(.timer, at: 61 * second)) == [])
    #expect(happenings(machine.handle(.timer, at: 62 * second)) == [.determined], "after three times the confirmation")
  }

  @Test func `a region too small for the granted level is reported as lost until a finer level is granted`() throws {
    var machine = try machine(.city)
    let actions = machine.handle(.start(after: machine.stops), at: 0)
    #expect(happenings(actions) == [.lost])
    #expect(actions.contains(.own(.changed("StateReason"))))
    #expect(!actions.contains { if case .need = $0 { true } else { false } })
    #expect(machine.isActive)
    let finer = machine.handle(access(.allowed), at: 1 * second)
    #expect(finer.contains(.need(.exact)) && finer.contains(.follow(.exact)))
    let coarser = machine.handle(access(.city), at: 2 * second)
    #expect(coarser.contains(.need(nil)) && happenings(coarser) == [.lost])
  }

  @Test func `two losses that are reported together use up one sequence number`() throws {
    var machine = try started()
    _ = stay(&machine, at: 52, from: 1, to: 31)
    #expect(machine.last?.event.sequence == 1 && machine.takeLoss() == nil)
    _ = machine.handle(access(.off), at: 32 * second)
    _ = machine.handle(access(.city), at: 33 * second)
    #expect(machine.last == nil, "it has not been reported yet")
    let told = machine.takeLoss()?.event
    #expect(told?.sequence == 2 && told?.previous == .inside && told?.reason == .accuracyLimited)
    #expect(told?.timestamp == Timestamp(seconds: 1), "that of the first loss")
    #expect(machine.takeLoss() == nil && machine.last?.event == told && machine.delivered == 2)
    _ = machine.handle(access(.allowed), at: 34 * second)
    #expect(stay(&machine, at: 52, from: 35, to: 65) == [.determined])
    #expect(machine.last?.event.sequence == 3)
  }

  @Test func `without access there is no last event, not even that of the loss`() throws {
    var machine = try started()
    _ = stay(&machine, at: 52, from: 1, to: 31)
    _ = machine.handle(access(.off), at: 32 * second)
    #expect(machine.takeLoss()?.event.previous == .inside && machine.last == nil)
  }

  @Test func `a loss that has not been reported yet is dropped by Stop`() throws {
    var machine = try started()
    _ = stay(&machine, at: 52, from: 1, to: 31)
    _ = machine.handle(.slept, at: 32 * second)
    _ = machine.handle(.stop, at: 33 * second)
    #expect(machine.takeLoss() == nil)
    _ = machine.handle(.start(after: machine.stops), at: 34 * second)
    #expect(stay(&machine, at: 52, from: 35, to: 65) == [.determined])
    #expect(machine.last?.event.sequence == 2, "no number is left out")
  }

  @Test func `after access is reduced, earlier events cannot be read`() throws {
    var machine = try started(radius: 20_000) { $0.region.includesLocation = true }
    _ = stay(&machine, at: 52, from: 1, to: 31)
    #expect(machine.last != nil)
    _ = machine.handle(access(.city), at: 32 * second)
    #expect(machine.last == nil)
  }

  @Test func `the end of a region is reported with its reason`() throws {
    var single = try started { $0.region.isSingleUse = true }
    _ = stay(&single, at: 52, from: 1, to: 31)
    _ = single.handle(evidence(53, 40), at: 40 * second)
    _ = single.handle(evidence(53, 50), at: 50 * second)
    let used = single.handle(evidence(53, 60), at: 60 * second)
    #expect(happenings(used) == [.exited] && used.last == .end(.used))
    #expect(single.handle(.stop, at: 61 * second) == [])

    var brief = try started { $0.duration = .milliseconds(10_000) }
    #expect(brief.handle(.timer, at: 10 * second).last == .end(.expired))
    var closed = try started()
    #expect(closed.handle(.close(.byClient), at: 1 * second).last == .end(.byClient))
    var left = try started()
    #expect(left.handle(.close(nil), at: 1 * second).last == .end(nil))
  }

  @Test func `after a suspend, the region's state is lost and the source is needed`() throws {
    var machine = try started()
    _ = stay(&machine, at: 52, from: 1, to: 31)
    let actions = machine.handle(.slept, at: 100 * second)
    #expect(happenings(actions) == [.lost])
    #expect(machine.region.need == .check(at: 100 * second))
  }
}
