// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

/// Random walks, replayed through the machine and through a second implementation that keeps the whole history and
/// looks at all of it each second.
@Suite struct RegionOracleTests {
  private struct Fix {
    var at: UInt64
    var metres: Double
    var accuracy: Double
  }

  private static let radius = 200.0
  private static let confirm: UInt64 = 20
  private static let unknownAfter: UInt64 = 300

  /// +1 inside, -1 outside, 0 uncertain; written out from the definition for this radius.
  private func evidence(_ fix: Fix, isInside: Bool) -> Int {
    let accuracy = max(fix.accuracy, 15)
    let distance = abs(fix.metres)
    if distance + accuracy <= Self.radius || lens(accuracy, distance) >= 0.75 { return 1 }
    return distance - accuracy > Self.radius + (isInside ? 20 : 0) ? -1 : 0
  }

  /// The share of a fix's circle within the region, by slices.
  private func lens(_ accuracy: Double, _ distance: Double) -> Double {
    let slices = 1_000
    var (shared, whole) = (0.0, 0.0)
    for slice in 0..<slices {
      let x = distance - accuracy + 2 * accuracy * (Double(slice) + 0.5) / Double(slices)
      let own = max(0, accuracy * accuracy - (x - distance) * (x - distance)).squareRoot()
      let other = max(0, Self.radius * Self.radius - x * x).squareRoot()
      whole += own
      shared += min(own, other)
    }
    return shared / whole
  }

  private func oracle(_ fixes: [Fix], until end: UInt64) -> [RegionSimulation.Change] {
    var changes: [RegionSimulation.Change] = []
    var (state, known) = (0, 0)
    var evidences: [(at: UInt64, value: Int)] = []
    var isUncertain = false
    func settle(_ second: UInt64) {
      // The candidate: the unbroken run of evidence against the state at the end of the history.
      let run = evidences.reversed().prefix { $0.value == evidences.last?.value && $0.value != state }
      if let first = run.last, let value = evidences.last?.value {
        guard second >= first.at + (run.count > 1 ? Self.confirm : 3 * Self.confirm) else { return }
        let isCrossing = known == -value
        changes.append(
          .init(
            isCrossing ? (value == 1 ? .entered : .exited) : .determined, at: second, hasGap: isCrossing && state == 0))
        (state, known) = (value, value)
      } else if state != 0, second >= (evidences.last?.at ?? 0) + Self.unknownAfter {
        changes.append(.init(.lost, at: second, reason: isUncertain ? .accuracyInsufficient : .noFix))
        state = 0
        evidences = []
      }
    }
    for second in 0...end {
      settle(second)
      guard let fix = fixes.first(where: { $0.at == second }) else { continue }
      let value = evidence(fix, isInside: state == 1)
      if value != 0 { evidences.append((second, value)) }
      isUncertain = value == 0
      settle(second)
    }
    return changes
  }

  private func randomWalk(_ random: inout SeededGenerator) -> [Fix] {
    var fixes: [Fix] = []
    var (second, place, target): (UInt64, Double, Double) = (0, .random(in: 0...600, using: &random), 0)
    while second < 2_400 {
      if Int.random(in: 0..<40, using: &random) == 0 { target = .random(in: 0...700, using: &random) }
      place += min(max(target - place, -12), 12)
      let accuracy = Double.random(in: 3...90, using: &random)
      let isOutlier = Int.random(in: 0..<25, using: &random) == 0
      let noise = Double.random(in: -1...1, using: &random) * (isOutlier ? 300 : accuracy)
      fixes.append(Fix(at: second, metres: abs(place + noise), accuracy: accuracy))
      let isGap = Int.random(in: 0..<60, using: &random) == 0
      second += isGap ? .random(in: 30...700, using: &random) : .random(in: 1...6, using: &random)
    }
    return fixes
  }

  @Test func `random walks agree with an oracle that knows only the definition`() {
    var random = SeededGenerator(seed: 2026)
    for walk in 0..<120 {
      let fixes = randomWalk(&random)
      var configuration = RegionSimulation.configuration(radius: Self.radius)
      configuration.unknownAfter = UInt32(Self.unknownAfter * 1_000)
      var region = RegionSimulation(configuration)
      for fix in fixes { region.locate(fix.metres, accuracy: fix.accuracy, at: fix.at) }
      region.advance(to: 4_000)
      #expect(region.changes == oracle(fixes, until: 4_000), "walk \(walk)")
    }
  }
}
