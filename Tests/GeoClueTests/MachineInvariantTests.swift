// SPDX-License-Identifier: Apache-2.0
import GeopublicistGeoClueSimulation
import GeopublicistTestSupport
import Testing

/// Invariants that hold for all events in any order.
@Suite nonisolated struct MachineInvariantTests {
  @Test(arguments: 0..<40) func `no random sequence of events violates an invariant`(seed: Int) {
    let generator = SeededGenerator(seed: UInt64(seed))
    var geoclue = SimulatedGeoClue(registersAgent: seed.isMultiple(of: 2), choices: generator)
    for _ in 0..<2_500 where geoclue.violation == nil { geoclue.step() }
    if geoclue.violation == nil { geoclue.settle() }
    if let violation = geoclue.violation { Issue.record("\(violation)") }
  }
}

nonisolated extension SeededGenerator: Choices {
  package mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}
