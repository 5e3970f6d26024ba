// SPDX-License-Identifier: Apache-2.0
/// Fuzzes the connection to GeoClue, with arbitrary behaviour of GeoClue, subscribers and an agent.
func fuzzConnection(_ source: ByteSource) {
  var geoclue = SimulatedGeoClue(registersAgent: source.flag(), choices: source)
  while !source.isEmpty, geoclue.violation == nil { geoclue.step() }
  geoclue.settle()
  claim(geoclue.violation == nil, geoclue.violation ?? "")
}

extension ByteSource: Choices {}
