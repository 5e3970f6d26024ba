// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

/// Drives a ``RegionMachine`` as its owner would, on a clock of whole seconds.
struct RegionSimulation {
  struct Change: Equatable, CustomStringConvertible {
    var kind: RegionEvent.Kind
    var at: UInt64
    var hasGap = false
    var reason = RegionReason.none

    init(_ kind: RegionEvent.Kind, at: UInt64, hasGap: Bool = false, reason: RegionReason = .none) {
      (self.kind, self.at, self.hasGap, self.reason) = (kind, at, hasGap, reason)
    }

    var description: String { "\(kind)@\(at)\(hasGap ? " gap" : "")\(reason == .none ? "" : " \(reason)")" }
  }

  private(set) var machine: RegionMachine
  private(set) var events: [RegionEvent] = []
  private(set) var isComplete = false
  private(set) var neededSeconds: UInt64 = 0
  private(set) var now: UInt64 = 0

  var changes: [Change] {
    events.map { Change($0.kind, at: $0.committedAt.wholeSeconds, hasGap: $0.hasGap, reason: $0.reason) }
  }

  init(_ configuration: RegionConfiguration, level: AccuracyLevel? = .exact) {
    machine = RegionMachine(configuration)
    send(.level(level))
    send(.start)
  }

  static func configuration(radius: Double = 200) -> RegionConfiguration {
    // Well within the documented range, so it cannot be refused.
    RegionConfiguration(CircularRegion(latitude: 48, longitude: 11, radius: radius)!)
  }

  /// A location at a distance in metres north of the centre, measured `measured` seconds into the simulation.
  static func location(
    _ metres: Double, east: Double = 0, accuracy: Double? = 10, speed: Double? = nil, measured: UInt64,
    difference: Int = 0, source: SourceKind = .unknown
  ) -> Location {
    let degree = 6_371_008.8 * .pi / 180
    return Location(
      latitude: 48 + metres / degree, longitude: 11 + east / degree / 0.66913, accuracy: accuracy,
      speed: speed, timestamp: Timestamp(seconds: UInt64(1_000_000 + Int(measured) + difference)),
      receivedAt: .seconds(measured), source: source)
  }

  mutating func send(_ event: RegionMachine.Event) {
    for action in machine.handle(event, at: .seconds(now)) {
      switch action {
      case .emit(let event): events.append(event)
      case .complete: isComplete = true
      }
    }
  }

  /// Whether the region currently needs the source.
  var isHeld: Bool {
    let time = BootInstant.seconds(now)
    return switch machine.need {
    case .nothing: false
    case .now: true
    case .check(let start):
      time >= start && SourceTries.phase(after: time - start, firstTry: SourceWait.updateLength).isHeld
    }
  }

  /// Delivers a location at a second, after firing every timer that is due by then.
  ///
  /// - Parameter difference: The seconds by which the source's clock is ahead of the machine's.
  mutating func locate(
    _ metres: Double, east: Double = 0, accuracy: Double? = 10, at second: UInt64, age: UInt64 = 0,
    difference: Int = 0, speed: Double? = nil, source: SourceKind = .unknown
  ) {
    advance(to: second)
    let location = Self.location(
      metres, east: east, accuracy: accuracy, speed: speed, measured: second - min(age, second), difference: difference,
      source: source)
    send(.location(location))
  }

  mutating func stay(
    _ metres: Double, accuracy: Double? = 10, during seconds: some Sequence<UInt64>, age: UInt64 = 0,
    source: SourceKind = .unknown
  ) {
    for second in seconds { locate(metres, accuracy: accuracy, at: second, age: age, source: source) }
  }

  mutating func advance(to second: UInt64) {
    var deadline = machine.deadline
    while now < second {
      if isHeld { neededSeconds += 1 }
      now += 1
      // A deadline between two seconds is met at the next whole one.
      while let due = deadline, due <= .seconds(now) {
        send(.timer)
        deadline = machine.deadline
        if deadline == due { break }
      }
    }
  }
}

/// Random walks, replayed through the machine and through a second implementation.
@Suite struct RegionOracleTests {
  @Test func `on random walks, regions report the same events as an independent model`() {
    let oracle = RegionOracle(radius: 200, unknownAfter: 300)
    var random = SeededGenerator(seed: 2026)
    for walk in 0..<150 {
      let fixes = TrackFix.walk(lasting: 2_400, within: 0...700, gaps: 30...700, using: &random)
      var configuration = RegionSimulation.configuration(radius: oracle.radius)
      configuration.unknownAfter = .seconds(oracle.unknownAfter)
      var region = RegionSimulation(configuration)
      for fix in fixes { region.locate(abs(fix.metres), accuracy: fix.accuracy, at: fix.at) }
      region.advance(to: 4_000)
      let changes = region.changes.map { change in
        let words = [change.kind.rawValue, change.hasGap ? "gap" : "", change.reason.rawValue]
        return RegionOracle.Change(words.filter { !$0.isEmpty }.joined(separator: " "), at: change.at)
      }
      #expect(changes == oracle.changes(fixes, until: 4_000), "walk \(walk)")
    }
  }
}
