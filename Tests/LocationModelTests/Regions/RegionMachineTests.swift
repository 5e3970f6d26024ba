// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

@Suite struct RegionMachineTests {
  typealias Change = RegionSimulation.Change

  private func simulation(
    radius: Double = 200, level: AccuracyLevel? = .exact, _ change: (inout RegionConfiguration) -> Void = { _ in }
  ) -> RegionSimulation {
    var configuration = RegionSimulation.configuration(radius: radius)
    change(&configuration)
    return RegionSimulation(configuration, level: level)
  }

  @Test func `after the first state, each crossing is reported as entered or exited`() {
    var region = simulation()
    region.stay(1_000, during: 0...30)
    region.stay(0, during: 31...60)
    region.stay(1_000, during: 61...90)
    #expect(region.changes == [Change(.determined, at: 20), Change(.entered, at: 51), Change(.exited, at: 81)])
    #expect(region.events.map(\.sequence) == [1, 2, 3])
    #expect(region.events.map(\.previous) == [.unknown, .outside, .inside])
    #expect(region.events[1].timestamp.seconds == 1_000_031)
  }

  @Test func `a single location decides after three times the confirmation time`() {
    var region = simulation()
    region.locate(0, at: 5)
    region.advance(to: 64)
    #expect(region.changes.isEmpty)
    #expect(region.machine.need == .now)
    region.advance(to: 65)
    #expect(region.changes == [Change(.determined, at: 65)])
  }

  @Test func `a location that is sent twice counts once`() {
    var region = simulation()
    region.locate(0, at: 5)
    region.locate(0, at: 15, age: 10)
    region.advance(to: 30)
    #expect(region.changes.isEmpty)
  }

  @Test func `single wrong locations that claim a high accuracy cause no event`() {
    var region = simulation(radius: 100)
    for second in 0..<3_600 as Range<UInt64> { region.locate(second % 50 == 49 ? 300 : 0, accuracy: 1.7, at: second) }
    #expect(region.changes == [Change(.determined, at: 20)])
  }

  @Test func `a location that is coarser than the region causes no event`() {
    var region = simulation(radius: 100)
    region.stay(0, during: 0..<60)
    region.stay(0, accuracy: 25_000, during: 60..<300)
    #expect(region.changes == [Change(.determined, at: 20)])
  }

  @Test func `noise at the border causes at most two events for each real crossing`() {
    var random = SeededGenerator(seed: 7)
    var region = simulation()
    var second: UInt64 = 0
    for crossing in 0..<1_000 {
      // Noise of twice the reported accuracy, around places 60 m on either side of the border.
      let place = crossing.isMultiple(of: 2) ? 140.0 : 260
      for _ in 0..<60 {
        region.locate(place + .random(in: -40...40, using: &random), accuracy: 20, at: second)
        second += 1
      }
    }
    let crossings = region.changes.filter { $0.kind != .determined }
    #expect(crossings.count <= 1_000)
    #expect(zip(crossings, crossings.dropFirst()).allSatisfy { $0.kind != $1.kind })
  }

  @Test func `a device that is suspended in one region and resumes in another causes one exit and one entry`() {
    let far = 50_000.0
    var home = simulation()
    var work = RegionSimulation(
      RegionConfiguration(CircularRegion(latitude: 48 + far / (6_371_008.8 * .pi / 180), longitude: 11, radius: 200)!))
    func move(_ region: inout RegionSimulation) {
      region.stay(0, during: 0..<60)
      region.advance(to: 4_000)
      region.send(.slept)
      region.stay(far, during: 4_001..<4_060)
    }
    move(&home)
    move(&work)
    #expect(home.changes.filter { $0.kind == .exited } == [Change(.exited, at: 4_021, hasGap: true)])
    #expect(work.changes.filter { $0.kind == .entered } == [Change(.entered, at: 4_021, hasGap: true)])
    #expect(home.changes.count { $0.kind == .entered } == 0)
    #expect(work.changes.count { $0.kind == .exited } == 0)
  }

  @Test func `a location from before a suspend does not decide the state after it`() {
    var region = simulation()
    region.stay(0, during: 0..<60)
    region.send(.slept)
    #expect(region.changes.last == Change(.lost, at: 59, reason: .slept))
    region.locate(0, at: 63, age: 12)
    region.locate(0, at: 75, age: 16)
    region.advance(to: 200)
    #expect(region.changes.last?.kind == .lost)
    region.locate(0, at: 201)
    region.locate(0, at: 222)
    #expect(region.changes.last == Change(.determined, at: 222))
  }

  @Test func `after a suspend, a source with a slow clock is accepted again within seconds`() {
    var region = simulation()
    region.stay(0, during: 100..<160)
    region.send(.slept)
    region.stay(0, during: 175..<202, age: 120)
    #expect(region.changes.last?.kind == .determined)
  }

  @Test func `the state is lost after 15 minutes without a location, and finding it again is not a crossing`() {
    var region = simulation()
    region.stay(0, during: 0..<30)
    region.advance(to: 1_000)
    #expect(region.changes.last == Change(.lost, at: 929, reason: .noFix))
    region.locate(0, at: 1_001)
    region.locate(0, at: 1_030)
    #expect(region.changes.last == Change(.determined, at: 1_030))
  }

  @Test(arguments: [60, 900, 1_700] as [UInt32])
  func `far from the border, the state is lost only after a check without a location`(unknownAfter: UInt32) {
    for place in [200_200.0, 0] {
      var region = simulation(radius: place == 0 ? 200_000 : 200) { $0.unknownAfter = .seconds(unknownAfter) }
      region.stay(place, during: 0..<30)
      region.advance(to: 1_800)
      #expect(region.changes == [Change(.determined, at: 20)])
      region.advance(to: 4_000)
      #expect(region.changes.last == Change(.lost, at: 29 + 1_785 + 60, reason: .noFix))
    }
  }

  @Test func `locations without an accuracy decide nothing, and this is reported once`() {
    var region = simulation()
    region.stay(0, accuracy: nil, during: 5..<3_600)
    let blind = Change(.determined, at: 65, reason: .accuracyInsufficient)
    #expect(region.changes == [blind])
    #expect(region.events[0].state == .unknown)
    #expect(region.machine.reason == .accuracyInsufficient)
    region.stay(0, during: 3_600..<3_630)
    #expect(region.changes == [blind, Change(.determined, at: 3_620)])
  }

  @Test(arguments: [-7_200, -3_600, -600, 30, 3_600])
  func `a constant difference between the source's clock and the system's clock has no effect`(_ difference: Int) {
    var region = simulation()
    for second in 0..<120 as Range<UInt64> {
      region.locate(second < 60 ? 0 : 900, at: second, difference: difference)
    }
    #expect(region.changes == [Change(.determined, at: 20), Change(.exited, at: 80)])
  }

  @Test func `a location that was measured before the previous one of its source is ignored`() {
    var region = simulation()
    region.stay(0, during: 0..<60)
    region.locate(900, at: 61, age: 30)
    region.locate(900, at: 62, age: 30)
    region.advance(to: 300)
    #expect(region.changes.count == 1)
  }

  @Test func `two places within the same second are two measurements`() {
    var region = simulation()
    region.locate(900, at: 5)
    region.locate(0, at: 5)
    region.advance(to: 100)
    #expect(region.events.map(\.state) == [.inside])
  }

  @Test(arguments: [true, false])
  func `locations of a source whose clock was set back are accepted again`(_ isWallClock: Bool) {
    var region = simulation()
    region.stay(0, during: 0..<60)
    if isWallClock { region.send(.clockSet) }
    for second in 60..<200 as Range<UInt64> { region.locate(900, at: second, difference: -3_600) }
    // If the wall clock was not set, an earlier time counts only after half a minute without a later one.
    #expect(region.changes.last == Change(.exited, at: isWallClock ? 80 : 109))
  }

  @Test func `a location that is minutes old when it arrives is ignored`() {
    var region = simulation()
    region.advance(to: 400)
    for second in 400..<500 as Range<UInt64> { region.locate(0, at: second, age: 301) }
    #expect(region.changes.isEmpty)
  }

  /// Regression: GeoClue announces the location of the network address to each new client with its old time, so that the
  /// region was lost after 15 minutes and after each sleep.
  @Test func `the same location of the network address is evidence each time that it is announced`() {
    var region = simulation(radius: 3_000)
    for second in [1, 22, 43, 400, 1_200] {
      region.locate(0, accuracy: 100, at: UInt64(second), difference: 1 - second, source: .ip)
    }
    #expect(region.changes == [Change(.determined, at: 61)])
    region.send(.slept)
    for second in [1_300, 1_321] {
      region.locate(0, accuracy: 100, at: UInt64(second), difference: 1 - second, source: .ip)
    }
    region.advance(to: 1_400)
    #expect(region.changes.last?.kind == .determined && region.changes.count == 3)
  }

  /// Regression: it was that of the first evidence.
  @Test func `a loss has the time of the last evidence`() {
    var region = simulation()
    region.stay(0, during: 0..<500)
    region.advance(to: 2_000)
    #expect(region.changes.last?.kind == .lost)
    #expect(region.events.last?.timestamp == Timestamp(seconds: 1_000_499))
  }

  @Test func `a static location is evidence whenever it arrives, and never expires`() {
    var region = simulation()
    region.stay(0, during: [1, 22], source: .static)
    region.advance(to: 10_000)
    #expect(region.changes == [Change(.determined, at: 22)])
    region.send(.slept)
    region.locate(0, at: 10_010, age: 9_988, source: .static)
    region.advance(to: 10_100)
    #expect(region.changes.last?.kind == .determined)
    #expect(region.changes.count == 3)
  }

  @Test(
    arguments: [
      (1_000, 100_000, nil, 1_000), (1_000, 100_000, 60, 1_000), (1_000, 100_000, 250, 266.7),
      (1_000, 1_000_000, nil, 1_800), (5_000, 1_000, nil, 120), (5_000, 1_000, 90, 55.6), (1_000, 100, 90, 20),
      (1_000, 100, 1.4, 120), (1_000, 100, 0, 120),
    ] as [(Double, Double, Double?, Double)])
  func `the next check is due before a fast device could have crossed the region`(
    radius: Double, toBorder: Double, speed: Double?, seconds: Double
  ) {
    var region = simulation(radius: radius) { $0.unknownAfter = .milliseconds(7_200_000) }
    for second in 0..<30 as Range<UInt64> {
      region.locate(radius + toBorder, accuracy: 0, at: second, speed: speed)
    }
    guard case .check(let time) = region.machine.need else {
      Issue.record("no check is due")
      return
    }
    // The circle lies on an ellipsoid, the track on a sphere.
    let check = (time + SourceSchedule.warmUp).sinceOrigin.seconds
    #expect(abs(check - 29 - seconds) <= 0.005 * seconds)
  }

  @Test func `if all locations are too inaccurate, the state is lost with that reason`() {
    var region = simulation()
    region.stay(0, during: 0..<30)
    region.stay(0, accuracy: 5_000, during: stride(from: 60, to: 1_200, by: 60))
    #expect(region.changes.last == Change(.lost, at: 929, reason: .accuracyInsufficient))
  }

  @Test func `a remembered state causes at most one event, which is marked with a gap`() {
    for assumed in RegionState.allCases {
      var region = simulation { $0.assumed = assumed }
      region.stay(0, during: 0..<60)
      let expected = Change(assumed == .outside ? .entered : .determined, at: 20, hasGap: assumed == .outside)
      #expect(region.changes == [expected])
    }
  }

  @Test func `a stay is reported once, even if the state is lost in between`() {
    var region = simulation { $0.dwell = .milliseconds(60_000) }
    region.stay(0, during: 0..<50)
    #expect(region.changes == [Change(.determined, at: 20)])
    region.stay(0, during: 50..<100)
    #expect(region.changes.last == Change(.dwelled, at: 60))
    region.send(.slept)
    region.stay(0, during: 100..<300)
    #expect(region.changes.count { $0.kind == .dwelled } == 1)
  }

  @Test func `an event after a reduction of access does not contain the earlier, finer location`() {
    for level in [AccuracyLevel.exact, .street] {
      var region = RegionSimulation(
        {
          var configuration = RegionSimulation.configuration(radius: 5_000)
          configuration.dwell = .milliseconds(60_000)
          return configuration
        }())
      region.stay(0, during: 0..<50)
      region.send(.level(level))
      region.advance(to: 100)
      #expect(region.events.map(\.kind) == [.determined, .dwelled])
      #expect((region.events.last?.location != nil) == (level == .exact))
    }
  }

  @Test func `a suspend restarts the dwell time`() {
    var region = simulation { $0.dwell = .milliseconds(60_000) }
    region.stay(0, during: 0..<50)
    region.send(.slept)
    region.stay(0, during: 50..<200)
    #expect(region.changes.last == Change(.dwelled, at: 110))
  }

  @Test func `a single-use region ends with the first crossing, not with the first state`() {
    var region = simulation { $0.isSingleUse = true }
    region.stay(0, during: 0..<60)
    #expect(!region.isComplete)
    region.stay(900, during: 60..<120)
    #expect(region.isComplete)
    #expect(region.changes.map(\.kind) == [.determined, .exited])
  }

  @Test func `when access is lost during a confirmation, the pending change is dropped`() {
    var region = simulation()
    region.stay(0, during: 0..<60)
    region.locate(900, at: 61)
    region.send(.level(nil))
    region.stay(900, during: 62..<200)
    #expect(region.changes == [Change(.determined, at: 20), Change(.lost, at: 61, reason: .notAuthorized)])
    #expect(region.machine.need == .nothing)
    region.send(.level(.exact))
    region.stay(900, during: 200..<260)
    #expect(region.changes.last == Change(.exited, at: 220, hasGap: true))
  }

  @Test func `a region smaller than the cell is reported as lost because the accuracy is limited`() {
    var region = simulation(radius: 14_999, level: .city)
    #expect(region.changes == [Change(.lost, at: 0, reason: .accuracyLimited)])
    #expect(region.machine.reason == .accuracyLimited)
    region.stay(0, during: 0..<100)
    #expect(region.changes.count == 1)
    #expect(simulation(radius: 15_000, level: .city).changes.isEmpty)
  }

  @Test func `a reduced location that is sent again is not new evidence, but ends the check`() {
    var region = simulation(radius: 20_000, level: .city)
    region.locate(0, accuracy: 15_000, at: 0)
    region.advance(to: 70)
    #expect(region.changes == [Change(.determined, at: 60)] && !region.isHeld)
    while !region.isHeld { region.advance(to: region.now + 1) }
    region.locate(0, accuracy: 15_000, at: region.now, age: region.now)
    #expect(!region.isHeld)
    region.advance(to: 2_000)
    #expect(region.changes.last == Change(.lost, at: 900, reason: .noFix))
  }

  /// Regression: what the earlier run had seen did not count, so that the state stayed unknown for minutes.
  @Test(arguments: [AccuracyLevel.city, .exact])
  func `a region that is started again knows its state as soon as before`(
    level: AccuracyLevel
  ) {
    for isStopped in [true, false] {
      var region = RegionSimulation(RegionSimulation.configuration(radius: 20_000), level: level)
      let location = RegionSimulation.location(0, accuracy: level == .exact ? 10 : 15_000, measured: 0)
      region.send(.location(location))
      region.advance(to: 80)
      region.send(isStopped ? .stop : .level(nil))
      region.send(isStopped ? .start : .level(level))
      region.send(.location(location))
      region.advance(to: 160)
      #expect(region.events.filter { $0.kind == .determined }.map(\.committedAt.wholeSeconds) == [60, 140])
    }
  }

  /// Regression: a repeated location moved the next check beyond the time at which the state was given up.
  @Test(arguments: [AccuracyLevel.street, .neighborhood, .city, .country], [60, 900] as [UInt32])
  func `below exact, the state is not lost while the source works`(level: AccuracyLevel, unknownAfter: UInt32) throws {
    let size = try #require(level.cellSize)
    for (cells, period) in [(5, nil), (5, 97), (100, nil), (100, 97), (100, 1_790)] as [(Double, UInt64?)] {
      var region = simulation(radius: 2 * size, level: level) { $0.unknownAfter = .seconds(unknownAfter) }
      var reducer = GridReducer(level: level)
      while region.now < 14_400 {
        // A source that answers three seconds after it is asked, or that another program uses.
        let isUsed = period.map { region.now.isMultiple(of: $0) } ?? false
        if region.isHeld || isUsed {
          region.advance(to: region.now + 3)
          let location = RegionSimulation.location(cells * size, measured: region.now)
          region.send(.location(reducer.reduce(location)))
        }
        region.advance(to: region.now + 1)
      }
      #expect(region.changes.map(\.kind) == [.determined], "\(cells), \(String(describing: period))")
    }
  }

  @Test func `below exact, a static location never expires, even after a sleep`() {
    var region = simulation(radius: 20_000, level: .city)
    var reducer = GridReducer(level: .city)
    let location = RegionSimulation.location(0, measured: 5, source: .static)
    region.advance(to: 5)
    region.send(.location(reducer.reduce(location)))
    region.advance(to: 20_000)
    #expect(region.changes == [Change(.determined, at: 65)])
    region.send(.slept)
    region.send(.location(reducer.reduce(location)))
    region.advance(to: 40_000)
    #expect(region.changes.map(\.kind) == [.determined, .lost, .determined])
  }

  /// Regression: a region that was started more than five minutes after that location arrived had none until the next.
  @Test(arguments: [false, true])
  func `the location of an interval is evidence until the interval ends`(isSettled: Bool) throws {
    var reducer = GridReducer(level: .country)
    var location = reducer.reduce(RegionSimulation.location(0, accuracy: 20_000, measured: 0))
    if isSettled {
      // Of the interval before, because none has arrived since.
      let newest = RegionSimulation.location(0, measured: 13)
      let settled = reducer.settle(newest, at: .seconds(1_700))
      location = try #require(settled)
    }
    var region = simulation(radius: 500_000, level: .country)
    region.advance(to: isSettled ? 1_700 : 800)
    region.send(.location(location))
    region.advance(to: region.now + 70)
    #expect(region.changes.map(\.kind) == [.determined])
  }

  /// Regression: the state was lost at once, because its evidence was older than that of the finer level may be.
  @Test func `when a finer level is allowed, the state is kept while the finer location is awaited`() {
    var region = simulation(radius: 45_000, level: .city) { $0.unknownAfter = .seconds(60) }
    var reducer = GridReducer(level: .city)
    region.advance(to: 1)
    region.send(.location(reducer.reduce(RegionSimulation.location(0, measured: 1))))
    region.advance(to: 200)
    region.send(.level(.exact))
    #expect(region.isHeld)
    region.advance(to: 240)
    region.locate(0, at: 241)
    region.advance(to: 290)
    #expect(region.changes.map(\.kind) == [.determined])
  }

  @Test func `far from the border, a check that a repeated location has moved lasts as long as others`() {
    var region = simulation(radius: 1_000_000, level: .country)
    var reducer = GridReducer(level: .country)
    region.advance(to: 1)
    let location = reducer.reduce(RegionSimulation.location(0, measured: 1))
    region.send(.location(location))
    region.advance(to: 800)
    region.send(.location(location))
    var begin: UInt64 = 0
    while region.changes.last?.kind == .determined {
      region.advance(to: region.now + 1)
      if region.isHeld, begin == 0 { begin = region.now }
    }
    #expect(region.now - begin >= 60)
  }

  @Test func `when access is reduced, a change that is being confirmed is dropped`() {
    var region = simulation(radius: 20_000)
    region.stay(0, accuracy: 10, during: 0..<60)
    region.locate(90_000, at: 61)
    region.send(.level(.city))
    region.advance(to: 200)
    #expect(region.changes.map(\.kind) == [.determined])
  }

  @Test func `a location from the network address counts only for large regions without a finer source`() {
    var small = simulation(radius: 10_000)
    var large = simulation(radius: 60_000)
    small.stay(0, accuracy: 25_000, during: 0..<100, source: .ip)
    large.stay(0, accuracy: 25_000, during: 0..<100, source: .ip)
    #expect(small.changes.isEmpty)
    #expect(large.changes.map(\.kind) == [.determined])
    large.locate(0, at: 100)
    large.stay(300_000, accuracy: 25_000, during: 101..<400, source: .ip)
    #expect(large.changes.map(\.kind) == [.determined])
  }

  @Test func `at 50 km from the border, the source is used for less than 3 percent of the time`() {
    var region = simulation()
    var second: UInt64 = 0
    while second < 36_000 {
      region.advance(to: second)
      // A source that answers three seconds after it is asked.
      if region.isHeld { region.locate(50_200, accuracy: 30, at: second + 3) }
      second = region.now + 1
    }
    #expect(Double(region.neededSeconds) / 36_000 < 0.03)
  }

  @Test func `a check is made immediately if the device may have moved`() {
    var region = simulation()
    region.stay(20_200, accuracy: 20, during: 0..<40)
    #expect(!region.isHeld)
    region.send(.check)
    #expect(region.isHeld)
    region.advance(to: 100)
    #expect(!region.isHeld, "a check ends after a minute")
    #expect(region.changes.count == 1)
  }

  @Test(arguments: [RegionMachine.Event.slept, .check], [SourceKind.wifi, .ip])
  func `a check after a move waits for half a minute for a more accurate location`(
    event: RegionMachine.Event, source: SourceKind
  ) {
    var region = simulation(radius: 3_000)
    region.stay(0, accuracy: 20, during: 0..<40)
    region.send(event)
    region.locate(6_000, accuracy: 5_000, at: 41, source: source)
    region.advance(to: 68)
    #expect(region.isHeld)
    region.advance(to: 69)
    #expect(!region.isHeld)
    guard case .check(let time) = region.machine.need else {
      Issue.record("no check is due")
      return
    }
    #expect((time + SourceSchedule.warmUp).wholeSeconds == 69 + 120)
  }

  @Test func `a check after a move ends with a location of 500 m that shows nothing`() {
    var region = simulation()
    region.stay(0, accuracy: 20, during: 0..<40)
    region.send(.check)
    region.locate(600, accuracy: 501, at: 41)
    #expect(region.isHeld)
    region.locate(600, accuracy: 500, at: 42)
    #expect(!region.isHeld)
  }

  @Test func `the next check is due before the device can have reached the border`() {
    var region = simulation()
    region.stay(20_200, accuracy: 20, during: 0..<40)
    guard case .check(let time) = region.machine.need else {
      Issue.record("no check is due")
      return
    }
    #expect(time.wholeSeconds <= 39 + 20_000 / 100)
  }
}
