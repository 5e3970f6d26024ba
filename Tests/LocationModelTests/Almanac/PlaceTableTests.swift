// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

/// The table that the package installs, packed for the tests.
@Suite struct PlaceTableTests {
  private static let bytes = [UInt8](
    run(packer, file) ? (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data() : Data())
  private static let table = PlaceTable(bytes)
  private static let packer = Rig.sourceFile("packaging/places/pack.py")
  private static let file = FileManager.default.temporaryDirectory.path + "/places-\(UUID().uuidString)"

  private static func run(_ program: String, _ argument: String) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [argument]
    try? process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  private func answer(
    _ latitude: Double, _ longitude: Double, accuracy: Double = 15_000, isCountry: Bool = false
  ) throws -> PlaceAnswer {
    try #require(Self.table)
      .answer(for: Location(latitude: latitude, longitude: longitude, accuracy: accuracy), isCountry: isCountry)
  }

  @Test(
    arguments: [
      (52.52, 13.405, "Europe/Berlin", "DE"), (48.857, 2.352, "Europe/Paris", "FR"),
      (40.713, -74.006, "America/New_York", "US"), (-36.85, 174.763, "Pacific/Auckland", "NZ"),
      (35.69, 139.692, "Asia/Tokyo", "JP"), (-54.802, -68.303, "America/Argentina/Ushuaia", "AR"),
      (69.649, 18.955, "Europe/Oslo", "NO"), (27.717, 85.324, "Asia/Kathmandu", "NP"),
    ]) func `coordinates of a city yield its zone and its country`(
      latitude: Double, longitude: Double, zone: String, country: String
    )
    throws
  {
    let answer = try answer(latitude, longitude)
    #expect(answer.timeZone == zone && answer.country == country && answer.town != nil)
  }

  @Test func `the town is the nearest one, and its name is spelt as in GeoNames`() throws {
    #expect(try answer(42.464, 1.491).town == "Sant Julià de Lòria")
    #expect(try answer(64.146, -21.942).town == "Reykjavík")
  }

  @Test func `near a border between zones with different times, the zone is unknown`() throws {
    // El Paso and Ciudad Juárez share a clock; Haparanda and Tornio do not.
    #expect(try answer(65.84, 24.15).timeZone == nil)
    // Near a border between two zones with the same clock, the zone is not undecided.
    #expect(try answer(47.56, 7.59).timeZone != nil)
  }

  @Test func `far from any town, both the town and the country are unknown`() throws {
    let ocean = try answer(-48, -123)
    #expect(ocean.town == nil && ocean.country == nil)
    // The poles and the date line also have an answer.
    for (latitude, longitude) in [(90.0, 0.0), (-90, 0), (-17, 180), (-17, -180)] {
      #expect(try answer(latitude, longitude).town == nil || latitude == -17)
    }
    #expect(try answer(-17, 180) == answer(-17, -180))
  }

  @Test func `a location at country level yields no town, and a country only if it is certain`() throws {
    let inland = try answer(-25, 133, accuracy: 300_000, isCountry: true)
    #expect(inland.town == nil && inland.country == "AU")
    let border = try answer(47.56, 7.59, accuracy: 300_000, isCountry: true)
    #expect(border.town == nil && border.country == nil)
  }

  @Test func `a lookup in the index finds the same town as a comparison with all towns`() throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/xz")
    process.arguments = ["-dc", Rig.sourceFile("packaging/places/places.tsv.xz")]
    process.standardOutput = pipe
    try process.run()
    let text = try #require(String(data: pipe.fileHandleForReading.readDataToEndOfFile(), encoding: .utf8))
    let rows = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    let clocks = Dictionary(uniqueKeysWithValues: rows.filter { $0[0] == "zone" }.map { ($0[1], $0[2]) })
    let cities = rows.filter { $0[0] != "zone" }
    #expect(cities.count > 60_000 && clocks.count > 300)
    let places = cities.map { Location(latitude: Double($0[0]) ?? .nan, longitude: Double($0[1]) ?? .nan) }

    var random = SeededGenerator(seed: 5)
    var compared = 0
    for _ in 0..<12 {
      let start = try #require(places.randomElement(using: &random))
      let place = Location(
        latitude: start.latitude + .random(in: -0.3...0.3, using: &random),
        longitude: start.longitude + .random(in: -0.3...0.3, using: &random), accuracy: 15_000)
      let distances = places.map { place.distance(to: $0) }
      let order = distances.indices.sorted { distances[$0] < distances[$1] }
      let (first, second) = (order[0], order[1])
      // The table is accurate to 500 m.
      guard distances[second] - distances[first] > 1_000 else { continue }
      let limit = max(distances[first] * 1.5, distances[first] + 15_000)
      let others = order.filter { clocks[cities[$0][3]] != clocks[cities[first][3]] }
      guard others.first.map({ abs(distances[$0] - limit) > 1_000 }) ?? true else { continue }
      let isDecided = others.first.map { distances[$0] > limit } ?? true
      let isNear = distances[first] <= PlaceTable.reach
      compared += 1
      let expected = PlaceAnswer(
        timeZone: isDecided ? cities[first][3] : nil, town: isNear ? cities[first][4] : nil,
        country: isNear ? cities[first][2] : nil)
      #expect(try answer(place.latitude, place.longitude) == expected)
    }
    #expect(compared >= 4)
  }

  @Test func `a damaged file is refused, or never read beyond its end`() throws {
    #expect(PlaceTable([]) == nil && PlaceTable(Array("GPPLACE1".utf8)) == nil)
    #expect(PlaceTable(Array(Self.bytes.dropLast())) == nil && PlaceTable(Self.bytes + [0]) == nil)
    var random = SeededGenerator(seed: 6)
    // The header, the zones and the index contain lengths and offsets.
    for _ in 0..<30 {
      var bytes = Self.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<12_000, using: &random)] = .random(in: 0...255, using: &random)
      }
      _ = PlaceTable(bytes)?.answer(for: Location(latitude: 50, longitude: 10, accuracy: 15_000), isCountry: false)
    }
    for count in stride(from: 0, to: 12_000, by: 1_201) { #expect(PlaceTable(Array(Self.bytes.prefix(count))) == nil) }
  }
}
