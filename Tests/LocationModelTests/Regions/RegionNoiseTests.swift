// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Glibc
import Testing

/// The noise of a receiver: independent errors, or ones that drift from each fix to the next.
struct FixNoise {
  /// The standard deviation in metres in each direction.
  var size: Double
  /// The share of the last error that remains after a second, 0 to 1.
  var memory = 0.0
  private var (east, north) = (0.0, 0.0)

  init(_ size: Double, memory: Double = 0) { (self.size, self.memory) = (size, memory) }

  /// Returns the next error, a number of seconds after the last one.
  mutating func next(after seconds: UInt64, using random: inout SeededGenerator) -> (east: Double, north: Double) {
    let kept = memory > 0 ? pow(memory, Double(seconds)) : 0
    let fresh = (1 - kept * kept).squareRoot() * size
    let angle = Double.random(in: 0..<(2 * .pi), using: &random)
    let length = (-2 * log(.random(in: Double.leastNonzeroMagnitude...1, using: &random))).squareRoot() * fresh
    (east, north) = (east * kept + length * cos(angle), north * kept + length * sin(angle))
    return (east, north)
  }
}

/// Regions with noisy locations. The reported accuracy is the radius that holds 68 % of the fixes.
@Suite struct RegionNoiseTests {
  /// A device that stands still for some hours. Returns the events other than the first determination.
  private func falseEvents(
    _ metres: Double, accuracy: Double, noise: Double, memory: Double, every step: UInt64, hours: UInt64, seed: UInt64
  ) -> Double {
    var random = SeededGenerator(seed: seed)
    var region = RegionSimulation(RegionSimulation.configuration(radius: 150))
    // 68 % of a circular normal distribution lies within 1.51 standard deviations.
    var error = FixNoise(accuracy * noise / 1.51, memory: memory)
    for second in stride(from: 0, to: hours * 3_600, by: Int(step)) {
      let (east, north) = error.next(after: step, using: &random)
      region.locate(metres + north, east: east, accuracy: accuracy, at: second)
    }
    return Double(region.changes.count { $0.kind == .entered || $0.kind == .exited }) / Double(hours)
  }

  private static let sources: [(accuracy: Double, memory: Double, step: UInt64)] = [
    (10, 0.95, 1), (10, 0, 1), (10, 0, 5), (10, 0, 30), (30, 0.95, 1), (30, 0, 4), (30, 0, 30),
  ]

  @Test func `a device that stands still near a border rarely causes wrong events`() {
    var seed: UInt64 = 0
    for source in Self.sources {
      for (noise, limit) in [(1.0, 0.5), (2.0, 6.0)] {
        for metres in [135.0, 165.0] {
          seed += 1
          let found = falseEvents(
            metres, accuracy: source.accuracy, noise: noise, memory: source.memory, every: source.step, hours: 10,
            seed: seed)
          #expect(found <= limit, "\(source), noise \(noise), at \(metres) m: \(found) an hour")
        }
      }
    }
  }

  @Test func `one wrong fix in a hundred causes no event, even 2 m inside the border`() {
    for (step, seed) in [(1, 1), (10, 2)] as [(UInt64, UInt64)] {
      var random = SeededGenerator(seed: seed)
      var region = RegionSimulation(RegionSimulation.configuration(radius: 150))
      region.stay(0, during: 0..<30)
      for second in stride(from: 30, to: 36_000, by: Int(step)) as StrideTo<UInt64> {
        let isBad = Int.random(in: 0..<100, using: &random) == 0
        region.locate(isBad ? 350 : 148, accuracy: 1, at: second)
      }
      // All good fixes are uncertain there, so the state may be lost.
      #expect(!region.changes.contains { $0.kind == .entered || $0.kind == .exited })
    }
  }

  @Test func `a single fix outside the region is refuted by later fixes just inside the border`() {
    var region = RegionSimulation(RegionSimulation.configuration(radius: 150))
    region.stay(100, accuracy: 1, during: 0..<54)
    region.stay(145, accuracy: 1, during: 54..<70)
    region.locate(350, accuracy: 1, at: 70)
    region.stay(145, accuracy: 1, during: 71..<600)
    #expect(region.changes.map(\.kind) == [.determined])
    #expect(region.machine.need != .now, "the candidate no longer holds the source")
  }

  @Test func `a suspected crossing that was contradicted is dropped even if no more fixes arrive`() {
    var region = RegionSimulation(RegionSimulation.configuration(radius: 150))
    region.stay(100, accuracy: 1, during: 0..<60)
    region.locate(350, accuracy: 1, at: 60)
    region.locate(145, accuracy: 1, at: 61)
    region.advance(to: 120)
    #expect(region.machine.need == .now)
    region.advance(to: 121)
    #expect(region.machine.need != .now)
    region.advance(to: 1_000)
    #expect(region.changes.last?.kind == .lost)
  }

  @Test func `coarse locations do not contradict the fixes of a receiver`() {
    var region = RegionSimulation(RegionSimulation.configuration(radius: 150))
    region.stay(0, during: 0..<60)
    region.locate(900, at: 60)
    region.stay(900, accuracy: 2_000, during: 61..<79)
    region.locate(900, at: 79)
    region.advance(to: 90)
    #expect(region.changes.last?.kind == .exited)
  }

  @Test func `a single fix causes an event if no other fix follows it`() {
    var region = RegionSimulation(RegionSimulation.configuration(radius: 150))
    region.stay(0, during: 0..<60)
    region.locate(900, accuracy: 30, at: 60)
    region.advance(to: 119)
    #expect(region.changes.count == 1)
    region.advance(to: 120)
    #expect(region.changes.last?.kind == .exited)
  }

  @Test func `each of a thousand clear crossings causes exactly one event`() {
    var random = SeededGenerator(seed: 3)
    for accuracy in [3.0, 15, 30] {
      var region = RegionSimulation(RegionSimulation.configuration(radius: 150))
      var (second, metres, direction): (UInt64, Double, Double) = (0, 0, 1)
      for _ in 0..<1_000 {
        // Walks out or in at 1.4 m/s and then pauses.
        let target = direction > 0 ? 400.0 : 0
        while abs(target - metres) > 3 {
          metres += direction * 1.4 * 2
          second += 2
          region.locate(metres + .random(in: -1...1, using: &random) * accuracy / 2, accuracy: accuracy, at: second)
        }
        direction = -direction
      }
      let kinds = region.changes.map(\.kind)
      #expect(kinds.first == .determined)
      #expect(kinds.dropFirst().count == 1_000)
      #expect(zip(kinds.dropFirst(), kinds.dropFirst(2)).allSatisfy { $0 != $1 })
    }
  }
}
