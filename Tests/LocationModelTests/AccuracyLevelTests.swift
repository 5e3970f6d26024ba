// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct AccuracyLevelTests {
  @Test(
    arguments: [
      (0, .none), (1, .country), (2, .country), (3, .country), (4, .city), (5, .neighborhood), (6, .street),
      (7, .street),
      (8, .exact), (9, .exact), (99, .exact), (.max, .exact),
    ] as [(UInt32, AccuracyLevel)])
  func `unknown numbers are rounded to the coarser level`(number: UInt32, level: AccuracyLevel) {
    #expect(AccuracyLevel(rounding: number) == level)
  }

  @Test(arguments: AccuracyLevel.allCases)
  func `a level is itself after rounding`(level: AccuracyLevel) {
    #expect(AccuracyLevel(rounding: level.rawValue) == level)
  }

  @Test(
    arguments: [
      ("country", .country), ("city", .city), ("neighborhood", .neighborhood), ("street", .street), ("exact", .exact),
      ("none", nil), ("", nil), ("Exact", nil), (" exact", nil), ("exact\0", nil), ("unknown", nil),
    ] as [(String, AccuracyLevel?)])
  func `only the five level names can be requested`(name: String, level: AccuracyLevel?) {
    #expect(AccuracyLevel(contractName: name) == level)
    if let level { #expect(level.contractName == name) }
  }

  @Test func `none has a display name`() {
    #expect(AccuracyLevel.none.contractName == "none")
  }

  @Test func `coarser is less`() {
    #expect(AccuracyLevel.allCases.shuffled().sorted() == [.none, .country, .city, .neighborhood, .street, .exact])
    #expect(min(AccuracyLevel.city, .exact) == .city)
  }
}
