// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

/// Random walks, replayed through the machine and through a second implementation.
@Suite struct RegionOracleTests {
  @Test func `random walks agree with an oracle that knows only the definition`() {
    let oracle = RegionOracle(radius: 200, unknownAfter: 300)
    var random = SeededGenerator(seed: 2026)
    for walk in 0..<120 {
      let fixes = TrackFix.walk(lasting: 2_400, within: 0...700, gaps: 30...700, using: &random)
      var configuration = RegionSimulation.configuration(radius: oracle.radius)
      configuration.unknownAfter = UInt32(oracle.unknownAfter * 1_000)
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
