// SPDX-License-Identifier: Apache-2.0
/// The connection to GeoClue, with a GeoClue, subscribers and an agent that do anything at any time.
func fuzzConnection(_ source: ByteSource) {
  var geoclue = SimulatedGeoClue(registersAgent: source.flag(), choices: source)
  while !source.isEmpty, geoclue.violation == nil { geoclue.step() }
  geoclue.settle()
  claim(geoclue.violation == nil, geoclue.violation ?? "")
}

extension ByteSource: Choices {}
