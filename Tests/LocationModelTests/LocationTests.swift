// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct LocationTests {
  @Test func `absent values are nil`() {
    let location = Location(latitude: 52, longitude: 13)
    #expect(location.accuracy == nil && location.altitude == nil)
    #expect(location.speed == nil && location.heading == nil && location.sourceDescription == nil)
    #expect(!location.isSimulated)
  }

  @Test func `interpolating a location into a string reveals no coordinate`() {
    let location = Location(latitude: 52.123456, longitude: -13.654321, altitude: 98765, sequence: 7)
    for text in ["\(location)", "\(Optional(location) as Any)", String(reflecting: location), "\([location])"] {
      #expect(text.contains("sequence: 7"))
      #expect(!text.contains("52") && !text.contains("13") && !text.contains("98765"))
    }
  }
}
