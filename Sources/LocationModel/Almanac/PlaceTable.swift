// SPDX-License-Identifier: Apache-2.0
/// The time zone, town and country of a location.
package struct PlaceAnswer: Hashable, Sendable {
  /// A name of the tz database; nil if another clock may apply.
  package var timeZone: String?
  /// The nearest town; nil if there is none within ``PlaceTable/reach``, and for a location of a country only.
  package var town: String?
  /// Two letters of ISO 3166; nil if there is no town near enough to decide it.
  package var country: String?

  package init(timeZone: String? = nil, town: String? = nil, country: String? = nil) {
    self.timeZone = timeZone
    self.town = town
    self.country = country
  }
}

/// The towns of at least 5,000 inhabitants, in the form that packaging/places/pack.py describes.
///
/// The bytes are checked completely when the table is created, so that a damaged file is refused instead of answering
/// wrongly.
package struct PlaceTable: Sendable {
  /// The distance in metres within which a town gives its name to a location.
  package static let reach = 50_000.0
  /// A larger file is not a table.
  package static let maximumBytes = 8 << 20

  private static let magic = Array("GPPLACE1".utf8)
  private static let bands = 180
  private static let cityLength = 8

  private struct Zone {
    let name: String
    /// A number that is the same for all zones that will show the same time.
    let clock: UInt16
  }

  private struct City {
    let row: UInt16
    let column: UInt16
    let zone: Int
    let country: Int
    let nameLength: Int

    var location: Location {
      Location(latitude: (Double(row) + 0.5) / 65_536 * 180 - 90, longitude: Double(column) / 65_536 * 360 - 180)
    }
  }

  private let bytes: [UInt8]
  private let zones: [Zone]
  private let countries: [String]
  /// For each band of one degree, and for the end of the table: the first city, and the position of its name.
  private let firsts: [Int]
  private let names: [Int]
  private let cities: Int

  /// Returns nil if the bytes are not a valid table.
  package init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes)
    guard bytes.count <= Self.maximumBytes, reader.bytes(8).map(Array.init) == Self.magic, let count = reader.uint32(),
      let zoneCount = reader.uint16(), let countryCount = reader.uint16()
    else { return nil }
    var zones: [Zone] = []
    for _ in 0..<zoneCount {
      guard let clock = reader.uint16(), let length = reader.byte(), let name = reader.text(Int(length)) else {
        return nil
      }
      zones.append(Zone(name: name, clock: clock))
    }
    var countries: [String] = []
    for _ in 0..<countryCount {
      guard let name = reader.text(2) else { return nil }
      countries.append(name)
    }
    let firsts = (0...Self.bands).compactMap { _ in reader.uint32().map(Int.init) }
    let offsets = (0...Self.bands).compactMap { _ in reader.uint32().map(Int.init) }
    let cities = reader.position
    guard firsts.count == Self.bands + 1, offsets.count == firsts.count, firsts.first == 0, offsets.first == 0,
      firsts.last == Int(count), Int(count) <= (bytes.count - cities) / Self.cityLength,
      zip(firsts, firsts.dropFirst()).allSatisfy({ $0 <= $1 })
    else { return nil }
    let start = cities + Int(count) * Self.cityLength
    self.bytes = bytes
    self.zones = zones
    self.countries = countries
    self.firsts = firsts
    self.cities = cities
    names = offsets.map { start + $0 }
    for band in 0..<Self.bands {
      var length = 0
      for index in firsts[band]..<firsts[band + 1] {
        let city = city(index)
        guard city.zone < zones.count, city.country < countries.count, (Int(city.row) * Self.bands) >> 16 == band else {
          return nil
        }
        length += city.nameLength
      }
      guard offsets[band + 1] - offsets[band] == length else { return nil }
    }
    guard names.last == bytes.count else { return nil }
  }

  /// Returns what is known about a location.
  ///
  /// The zone is that of the nearest city, at distance d. It is undecided if a city with another clock lies within the
  /// larger of 1.5 d and d plus the location's accuracy. The country of a location that is known only by its country is
  /// decided by the same rule.
  package func answer(for location: Location, isCountry: Bool) -> PlaceAnswer {
    var nearest: (city: City, index: Int, distance: Double)?
    visit(from: location) { city, index, distance in
      if distance < nearest?.distance ?? .infinity { nearest = (city, index, distance) }
      return nearest?.distance ?? .infinity
    }
    guard let (city, index, distance) = nearest else { return PlaceAnswer() }
    let doubt = max(1.5 * distance, distance + (location.accuracy ?? 0))
    let clock = zones[city.zone].clock
    var (isSameClock, isSameCountry) = (true, true)
    visit(from: location) { other, _, distance in
      guard distance <= doubt else { return doubt }
      if zones[other.zone].clock != clock { isSameClock = false }
      if other.country != city.country { isSameCountry = false }
      return doubt
    }
    var answer = PlaceAnswer(timeZone: isSameClock ? zones[city.zone].name : nil)
    if isCountry {
      answer.country = isSameCountry ? countries[city.country] : nil
    } else if distance <= Self.reach {
      answer.country = countries[city.country]
      answer.town = name(of: index)
    }
    return answer
  }

  /// Visits cities by degrees of latitude, from the nearest on, until the next degree is farther away than the limit
  /// that `body` returned last.
  private func visit(from location: Location, _ body: (City, Int, Double) -> Double) {
    let own = min(max(Int(location.latitude + 90), 0), Self.bands - 1)
    var limit = Double.infinity
    for step in 0..<Self.bands {
      // Along a meridian, which is the shortest way to another latitude.
      let gap = Double(max(0, step - 1)) * Earth.smallestRadius * Double(1).radians
      guard gap <= limit else { return }
      for band in step == 0 ? [own] : [own - step, own + step] where (0..<Self.bands).contains(band) {
        for index in firsts[band]..<firsts[band + 1] {
          let city = city(index)
          limit = body(city, index, location.distance(to: city.location))
        }
      }
    }
  }

  private func city(_ index: Int) -> City {
    let start = cities + index * Self.cityLength
    func uint16(_ offset: Int) -> UInt16 { UInt16(bytes[start + offset]) | UInt16(bytes[start + offset + 1]) << 8 }
    return City(
      row: uint16(0), column: uint16(2), zone: Int(uint16(4)), country: Int(bytes[start + 6]),
      nameLength: Int(bytes[start + 7]))
  }

  private func name(of index: Int) -> String? {
    let band = (Int(city(index).row) * Self.bands) >> 16
    let start = (firsts[band]..<index).reduce(names[band]) { $0 + city($1).nameLength }
    var reader = Reader(bytes, at: start)
    return reader.text(city(index).nameLength)
  }
}

/// Reads numbers and texts within bounds.
private struct Reader {
  private let source: [UInt8]
  private(set) var position: Int

  init(_ source: [UInt8], at position: Int = 0) {
    self.source = source
    self.position = position
  }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard position <= source.count, count <= source.count - position else { return nil }
    defer { position += count }
    return source[position..<position + count]
  }

  mutating func byte() -> UInt8? { bytes(1)?.first }
  mutating func uint16() -> UInt16? { bytes(2)?.reversed().reduce(0) { $0 << 8 | UInt16($1) } }
  mutating func uint32() -> UInt32? { bytes(4)?.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

  /// Returns a text without control characters.
  mutating func text(_ count: Int) -> String? {
    guard let bytes = bytes(count) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.unicodeScalars.allSatisfy(\.isPrintable) ? text : nil
  }
}
