// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Glibc

/// A town of the world's table of places.
struct Town {
  let name: String
  let latitude: Double
  let longitude: Double
  let country: String
  let zone: String
  /// The same for zones that show the same time.
  let clock: UInt16

  private init(
    _ name: String, _ latitude: Double, _ longitude: Double, _ country: String, _ zone: String, _ clock: UInt16
  ) {
    (self.name, self.latitude, self.longitude) = (name, latitude, longitude)
    (self.country, self.zone, self.clock) = (country, zone, clock)
  }

  static let all = [
    Town("Berlin", 52.524, 13.411, "DE", "Europe/Berlin", 0), Town("Potsdam", 52.4, 13.07, "DE", "Europe/Berlin", 0),
    Town("Freiburg", 47.996, 7.849, "DE", "Europe/Berlin", 0), Town("Lahr", 48.34, 7.873, "DE", "Europe/Berlin", 0),
    Town("Colmar", 48.081, 7.355, "FR", "Europe/Paris", 0), Town("Tromsø", 69.649, 18.955, "NO", "Europe/Oslo", 0),
    Town("Haparanda", 65.835, 24.137, "SE", "Europe/Stockholm", 0),
    Town("Tornio", 65.848, 24.147, "FI", "Europe/Helsinki", 1),
    Town("Karungi", 66.05, 23.96, "SE", "Europe/Stockholm", 0),
    Town("Badajoz", 38.879, -6.969, "ES", "Europe/Madrid", 0), Town("Elvas", 38.881, -7.163, "PT", "Europe/Lisbon", 2),
    Town("Waiyevo", -16.79, -179.98, "FJ", "Pacific/Fiji", 3), Town("Labasa", -16.43, 179.37, "FJ", "Pacific/Fiji", 3),
    Town("Cayambe", 0.041, -78.145, "EC", "America/Guayaquil", 4),
    Town("Quito", -0.23, -78.525, "EC", "America/Guayaquil", 4),
    // Near the centre of the cell that a client limited to the country learns.
    Town("Tena", -0.994, -77.813, "EC", "America/Guayaquil", 4),
  ]

  func distance(_ latitude: Double, _ longitude: Double) -> Double {
    Location(latitude: self.latitude, longitude: self.longitude)
      .distance(to: Location(latitude: latitude, longitude: longitude))
  }

  /// The towns of which any may be the nearest to the centre of the cell that contains a place.
  static func nearest(to latitude: Double, _ longitude: Double) -> [Town] {
    let distances = all.map { $0.distance(latitude, longitude) }
    // The centre is at most 11 km away.
    let limit = (distances.min() ?? 0) + 22_000
    return zip(all, distances).filter { $0.1 <= limit }.map(\.0)
  }

  /// The table in the form that packaging/places/pack.py describes.
  static var table: [UInt8] {
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    func row(_ town: Town) -> Int { Int((town.latitude + 90) / 180 * 65_536) }
    func band(_ town: Town) -> Int { (row(town) * 180) >> 16 }
    let towns = all.sorted { band($0) < band($1) }
    let zones = Set(towns.map(\.zone)).sorted()
    let countries = Set(towns.map(\.country)).sorted()
    func before(_ number: Int) -> ArraySlice<Town> { towns.prefix { band($0) < number } }
    var table = Array("GPPLACE1".utf8) + bytes(UInt32(towns.count)) + bytes(UInt16(zones.count))
    table += bytes(UInt16(countries.count))
    for zone in zones {
      let clock = towns.first { $0.zone == zone }?.clock ?? 0
      table += bytes(clock) + bytes(UInt8(zone.utf8.count)) + Array(zone.utf8)
    }
    table += countries.flatMap { Array($0.utf8) }
    for number in 0...180 { table += bytes(UInt32(before(number).count)) }
    for number in 0...180 { table += bytes(UInt32(before(number).reduce(0) { $0 + $1.name.utf8.count })) }
    for town in towns {
      let column = Int((town.longitude + 180) / 360 * 65_536)
      table += bytes(UInt16(row(town))) + bytes(UInt16(column))
      table += bytes(UInt16(zones.firstIndex(of: town.zone) ?? 0))
      table += bytes(UInt8(countries.firstIndex(of: town.country) ?? 0)) + bytes(UInt8(town.name.utf8.count))
    }
    return table + towns.flatMap { Array($0.name.utf8) }
  }
}

/// Where the machine is in one world. It moves along a meridian between two places.
struct Home {
  let latitude: Double
  let longitude: Double
  /// How far the other place is to the north, in degrees.
  let distance: Double
  /// In metres, if GeoClue's receiver reports it.
  let altitude: Double?
  /// In metres per second, if GeoClue's receiver reports it.
  let speed: Double?

  /// Two are between two towns of one time zone, one is beyond the polar circle, one at the equator, one at a degree of
  /// latitude between two towns, and two are near a border of time zones. One of these is in a cell whose centre is
  /// almost as far from the other side's town as a location of the level `city` is accurate. The last one is 100 m to the
  /// west of the date line.
  private static let places = [
    (52.39, 13.2), (69.63, 18.96), (38.88, -6.97), (-0.02, -78.15), (47.97, 7.85), (65.84, 24.14), (-16.79, 179.999),
  ]

  /// The longitude of a place to the east of the machine, in degrees.
  ///
  /// - Parameter metres: The distance.
  func longitude(east metres: Double) -> Double {
    let east = longitude + metres / Checks.metresPerDegree / cos(latitude * .pi / 180)
    return east > 180 ? east - 360 : east
  }

  init(_ seed: UInt64) {
    (latitude, longitude) = Self.places[Int(seed % UInt64(Self.places.count))]
    var chance = Chance(seed, "home")
    // The second distance leads to another cell of every level up to `city`.
    distance = chance.pick([0.05, 0.16, 0.16])
    altitude = chance.pick([nil, -3, 545.5])
    speed = chance.pick([nil, 0, 1.5])
  }
}
