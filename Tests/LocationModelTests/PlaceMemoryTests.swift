// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

@Suite struct PlaceMemoryTests {
  private static let minute = Duration.seconds(60)
  private static let day: UInt64 = 86_400
  private static let now: UInt64 = 1_800_000_000

  private func city(_ latitude: Double = 52.5, at seconds: UInt64 = now, _ level: AccuracyLevel = .city) -> Location {
    var reducer = GridReducer(level: level)
    return reducer.reduce(
      Location(latitude: latitude, longitude: 13.4, accuracy: 20, timestamp: Timestamp(seconds: seconds)))
  }

  private func location(
    _ memory: PlaceMemory, of user: UInt32 = 1, at level: AccuracyLevel = .city, _ seconds: UInt64 = now
  ) -> Location? {
    memory.location(of: user, at: level, Timestamp(seconds: seconds))?.location
  }

  private func texts(_ actions: [PlaceMemory.Action]) -> [String] {
    actions.compactMap { if case .write(_, let text) = $0 { text } else { nil } }
  }

  @Test func `the first location is recorded, and a recorded location is restored unchanged`() throws {
    var memory = PlaceMemory()
    let text = try #require(texts(memory.received(city(), by: 1, at: 0)).first)
    var next = PlaceMemory()
    #expect(next.restore(text, of: 1, at: 0, Timestamp(seconds: Self.now)) == [])
    let found = try #require(location(next))
    #expect(found == location(memory) && found.isRemembered && found.sequence == 0 && found.receivedAt == 0)
    #expect(found.latitude == city().latitude && found.accuracy == 15_000 && found.timestamp.seconds == Self.now)
    #expect(location(next, of: 2) == nil)
    #expect(location(next, at: .country)?.accuracy == 300_000)
    for level in [AccuracyLevel.none, .neighborhood, .exact] { #expect(location(next, at: level) == nil) }
  }

  @Test func `a location is recorded again after ten minutes in another cell, or after a day in the same cell`() {
    var memory = PlaceMemory()
    _ = memory.received(city(), by: 1, at: 0)
    #expect(memory.received(city(at: Self.now + 300), by: 1, at: 5 * Self.minute) == [])
    #expect(memory.received(city(53), by: 1, at: 6 * Self.minute) == [])
    #expect(texts(memory.received(city(53), by: 1, at: 10 * Self.minute)).count == 1)
    #expect(memory.received(city(53, at: Self.now + 9), by: 1, at: 1_400 * Self.minute) == [])
    #expect(texts(memory.flush(at: 0)).count == 1, "at exit")
    #expect(memory.flush(at: 0) == [])
    #expect(texts(memory.received(city(53, at: Self.now + 10), by: 1, at: 1_500 * Self.minute)).count == 1)
  }

  @Test func `finer, simulated and remembered locations are not recorded`() throws {
    var memory = PlaceMemory()
    for level in [AccuracyLevel.none, .neighborhood, .street, .exact] {
      var other = city()
      other.level = level
      #expect(memory.received(other, by: 1, at: 0) == [])
    }
    var simulated = city()
    simulated.isSimulated = true
    #expect(memory.received(simulated, by: 1, at: 0) == [])
    // A fine location in the file becomes the centre of its cell.
    _ = memory.restore("city 52.516275 13.377704 10 1800000000 0 0", of: 1, at: 0, Timestamp(seconds: Self.now))
    let found = try #require(location(memory))
    #expect(found.latitude == city(52.516275).latitude)
    #expect(memory.received(found, by: 2, at: 0) == [])
  }

  @Test func `a coarser location replaces a finer one only in another country`() {
    var memory = PlaceMemory()
    _ = memory.received(city(), by: 1, at: 0)
    _ = memory.received(city(at: Self.now + 60, .country), by: 1, at: 0)
    #expect(location(memory)?.latitude == city().latitude)
    _ = memory.received(city(40, at: Self.now + 60, .country), by: 1, at: 0)
    #expect(location(memory) == nil && location(memory, at: .country, Self.now + 60) != nil)
  }

  /// Regression: the country's cell, which is kept for a while beyond its border, replaced the town.
  @Test func `a country does not replace a town just beyond its border`() {
    var reducers = [AccuracyLevel.city, .country].map(GridReducer.init(level:))
    func reduce(_ latitude: Double, _ time: BootInstant) -> [Location] {
      let fix = Location(latitude: latitude, longitude: -78.15, accuracy: 20, timestamp: Timestamp(seconds: Self.now))
      return reducers.indices.map {
        var fix = fix
        fix.receivedAt = time
        return reducers[$0].reduce(fix)
      }
    }
    // The equator is a border between cells.
    _ = reduce(0.03, 0)
    let reduced = reduce(-0.02, 15 * Self.minute)
    #expect(reduced[0].latitude < 0 && reduced[1].latitude > 0)
    var memory = PlaceMemory()
    for location in reduced { _ = memory.received(location, by: 1, at: 0) }
    #expect(location(memory)?.latitude == reduced[0].latitude)
    var later = reduced[1]
    later.timestamp = Timestamp(seconds: Self.now + 1_000)
    _ = memory.received(later, by: 1, at: 0)
    #expect(location(memory) == nil, "the user may have travelled")
  }

  /// Regression: the record remained that of the country until the town's location was measured again.
  @Test func `a town that arrived before the country around it replaces it`() {
    var memory = PlaceMemory()
    var (country, town) = (city(at: Self.now + 60, .country), city())
    (country.receivedAt, town.receivedAt) = (160, 100)
    _ = memory.received(country, by: 1, at: 170)
    _ = memory.received(town, by: 1, at: 180)
    #expect(location(memory)?.latitude == town.latitude)
  }

  /// Regression: the town was too old to be used, and the country was not recorded.
  @Test func `a country replaces a town in it that is too old`() {
    var memory = PlaceMemory()
    _ = memory.received(city(), by: 1, at: 0)
    let later = Self.now + 31 * Self.day
    _ = memory.received(city(at: later, .country), by: 1, at: 0)
    #expect(location(memory, at: .country, later) != nil)
  }

  @Test func `a country that arrived before the town does not replace it`() throws {
    var memory = PlaceMemory()
    var (country, town) = (city(40, .country), city(at: Self.now + 60))
    (country.receivedAt, town.receivedAt) = (100, 160)
    _ = memory.received(town, by: 1, at: 170)
    _ = memory.received(country, by: 1, at: 180)
    #expect(location(memory, Self.now + 60)?.latitude == town.latitude)
    // An earlier run of the service has recorded the town.
    let text = try #require(texts(memory.received(town, by: 2, at: 190)).first)
    var restored = PlaceMemory()
    _ = restored.restore(text, of: 1, at: 200, Timestamp(seconds: Self.now + 60))
    _ = restored.received(country, by: 1, at: 210)
    #expect(location(restored, Self.now + 60)?.latitude == town.latitude)
    country.receivedAt = 300
    _ = restored.received(country, by: 1, at: 310)
    #expect(location(restored, at: .country)?.latitude == country.latitude)
  }

  /// Regression: GeoClue's last location was older than the new service, so the old town remained.
  @Test func `a location from before the start replaces an older one of an earlier run`() throws {
    var (memory, moved) = (PlaceMemory(), city(53, at: Self.now + 60))
    let text = try #require(texts(memory.received(city(), by: 1, at: 0)).first)
    moved.receivedAt = 1_000_000
    // The record is older than the start of the machine, or from the future because the clock was set back.
    for age in [100, -100] as [Int64] {
      var next = PlaceMemory()
      let time = UInt64(Int64(Self.now) + age)
      #expect(next.restore(text, of: 1, at: 2_000_000, Timestamp(seconds: time)) == [])
      _ = next.received(moved, by: 1, at: 3_000_000)
      #expect(location(next, Self.now + 100)?.latitude == moved.latitude)
    }
  }

  @Test func `a recorded location from the future or older than 30 days is not used`() {
    var memory = PlaceMemory()
    _ = memory.received(city(), by: 1, at: 0)
    #expect(location(memory, Self.now - 1) == nil)
    #expect(location(memory, Self.now + 30 * Self.day) != nil)
    #expect(location(memory, Self.now + 30 * Self.day + 1) == nil)
    #expect(memory.received(city(at: Self.now + 31 * Self.day), by: 2, at: 0).first == .erase(user: 1))
    let text = RememberedPlace(city())?.text ?? ""
    #expect(memory.restore(text, of: 3, at: 0, Timestamp(seconds: Self.now + 31 * Self.day)) == [.erase(user: 3)])
  }

  @Test func `a seventeenth user replaces the user with the oldest location`() {
    var memory = PlaceMemory()
    for user in 0..<16 as Range<UInt32> {
      _ = memory.received(city(at: Self.now - UInt64(user == 5 ? 100 : 0)), by: user, at: 0)
    }
    #expect(memory.received(city(), by: 16, at: 0).first == .erase(user: 5))
    #expect(memory.users.count == 16 && location(memory, of: 5) == nil)
    #expect(memory.forget(16, at: 0) == [.erase(user: 16)] && location(memory, of: 16) == nil)
  }

  /// Regression: an almanac told of the next phase with the location of before, which was recorded again.
  @Test(arguments: [true, false]) func `a location from before the last erasure is not recorded again`(isOfAll: Bool) {
    var memory = PlaceMemory()
    var place = city()
    place.receivedAt = 100
    #expect(texts(memory.received(place, by: 1, at: 100)).count == 1)
    if isOfAll { memory.forgetAll(at: 200) } else { _ = memory.forget(1, at: 200) }
    #expect(memory.received(place, by: 1, at: 2_000 * Self.minute) == [] && memory.users.isEmpty)
    #expect(texts(memory.received(place, by: 2, at: 2_000 * Self.minute)).isEmpty == isOfAll)
    place.receivedAt = 201
    #expect(texts(memory.received(place, by: 1, at: 2_000 * Self.minute)).count == 1)
  }

  /// Regression: only a newer location erased an old one, and one that was old itself was recorded.
  @Test func `no record becomes older than 30 days`() {
    var memory = PlaceMemory()
    _ = memory.received(city(), by: 1, at: 0)
    let later = Timestamp(seconds: Self.now + 40 * Self.day)
    #expect(memory.received(city(at: Self.now + 5 * Self.day), by: 2, at: 0, later) == [])
    #expect(Array(memory.users) == [1])
    #expect(memory.received(city(at: Self.now + 12 * Self.day), by: 3, at: 0, later).first == .erase(user: 1))
    _ = memory.received(city(), by: 1, at: 0)
    #expect(memory.flush(at: 0, later) == [.erase(user: 1)])
  }

  /// Regression: the refusal of a user without a record left no trace.
  @Test(arguments: [false, true])
  func `a location from before a refusal is not recorded after it`(hasRecord: Bool) {
    var (memory, location) = (PlaceMemory(), city())
    location.receivedAt = 100
    if hasRecord { _ = memory.received(location, by: 1, at: 100) }
    #expect(memory.refused(1, at: 200) == (hasRecord ? [.erase(user: 1)] : []))
    #expect(memory.received(location, by: 1, at: 300) == [] && memory.users.isEmpty)
    location.receivedAt = 250
    _ = memory.received(location, by: 1, at: 300)
    #expect(Array(memory.users) == [1])
  }

  @Test func `a record that could not be written is written at the end`() {
    var memory = PlaceMemory()
    #expect(texts(memory.received(city(), by: 1, at: 0)).count == 1)
    memory.failedToWrite(1)
    #expect(memory.writtenUsers.isEmpty && texts(memory.flush(at: 0)).count == 1)
    #expect(texts(memory.received(city(53), by: 1, at: 10 * Self.minute)).count == 1)
    memory.failedToWrite(1)
    #expect(memory.writtenUsers == [1] && texts(memory.flush(at: 0)).count == 1)
  }

  @Test(arguments: [
    "", "city", "exact 52.5 13.4 10 1800000000 0 0", "none 52.5 13.4 10 1800000000 0 0",
    "city 91 13.4 15000 1800000000 0 0", "city nan 13.4 15000 1800000000 0 0", "city 52.5 13.4 -1 1800000000 0 0",
    "city 52.5 13.4 15000 1800000000 0 0 0", "city 52.5 13.4 15000 99999999999999999999 0 0", "\0\0\0",
  ]) func `a damaged record is erased`(text: String) {
    var memory = PlaceMemory()
    #expect(memory.restore(text, of: 1, at: 0, Timestamp(seconds: Self.now)) == [.erase(user: 1)])
    #expect(location(memory) == nil)
  }
}

extension PlaceMemory {
  /// Records a location at its own time.
  fileprivate mutating func received(_ location: Location, by user: UInt32, at now: BootInstant) -> [Action] {
    received(location, by: user, at: now, location.timestamp)
  }

  fileprivate mutating func flush(at now: BootInstant) -> [Action] { flush(at: now, Timestamp(seconds: 0)) }
}
