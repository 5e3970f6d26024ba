// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// The last reduced location that a client of each user received, and when to record it.
///
/// Locations are never finer than ``AccuracyLevel/city``, and are returned only for the same user, so that no user
/// learns where another one was.
package struct PlaceMemory: Sendable {
  package enum Action: Equatable, Sendable {
    case write(user: UInt32, text: String)
    case erase(user: UInt32)
  }

  package static let maximumUsers = 16
  static let maximumAge = Duration.seconds(30 * 86_400)
  /// The minimum time between two writes of a user's record.
  static let writeGap = Duration.seconds(600)
  /// The time after which a record is written again although the cell is the same.
  static let renewal = Duration.seconds(86_400)

  private struct Record {
    var place: RememberedPlace
    /// When the first location of its interval arrived. For one that an earlier run recorded, computed from its timestamp,
    /// and thus wrong by as much as the wall clock has been set since.
    var receivedAt: BootInstant
    var written: RememberedPlace?
    /// What the file contains if it cannot be written.
    var replaced: RememberedPlace?
  }

  private var records: [UInt32: Record] = [:]
  /// When each user's record was last written. Survives the erasure of the record: a user whose programs have it erased
  /// and written in turn would otherwise keep the disk, and the loop, busy.
  private var writes: [UInt32: BootInstant] = [:]
  /// When each user's record was last erased on purpose. A program may have kept a location from before.
  private var forgotten: [UInt32: BootInstant] = [:]
  private var allForgotten = BootInstant.distantPast

  package init() {}

  package var users: some Collection<UInt32> { records.keys }
  package var writtenUsers: [UInt32] { records.filter { $0.value.written != nil }.map(\.key) }

  /// Records a location that a client of a user received, unless it is older than the last erasure.
  package mutating func received(
    _ location: Location, by user: UInt32, at now: BootInstant, _ time: Timestamp
  ) -> [Action] {
    let forgotten = max(forgotten[user] ?? .distantPast, allForgotten)
    guard !location.isSimulated, !location.isRemembered, let place = RememberedPlace(location),
      time - location.timestamp <= Self.maximumAge, location.receivedAt > forgotten
    else { return [] }
    return expire(at: max(time, location.timestamp)) + take(place, receivedAt: location.receivedAt, of: user, at: now)
  }

  /// Erases the records that are too old.
  private mutating func expire(at time: Timestamp) -> [Action] {
    let old = records.filter { time - $0.value.place.location.timestamp > Self.maximumAge }
    return old.keys.sorted().flatMap { erase($0) }
  }

  private mutating func take(
    _ place: RememberedPlace, receivedAt: BootInstant, of user: UInt32, at now: BootInstant
  ) -> [Action] {
    guard var record = records[user] else {
      records[user] = Record(place: place, receivedAt: receivedAt)
      return evict() + (isDue(user, after: Self.writeGap, now) ? write(user, at: now) : [])
    }
    // A program with coarser access does not make the record coarser, unless the user has travelled.
    guard !place.contains(record.place) else { return [] }
    // A reduced location is that of the start of its interval, so a country that arrives late may be older than a town
    // in another country. A town that arrives late still replaces the country that contains it.
    guard receivedAt >= record.receivedAt || record.place.contains(place) else { return [] }
    (record.place, record.receivedAt) = (place, max(receivedAt, record.receivedAt))
    records[user] = record
    let wait = record.written?.isSameCell(as: place) == true ? Self.renewal : Self.writeGap
    return isDue(user, after: wait, now) ? write(user, at: now) : []
  }

  private func isDue(_ user: UInt32, after wait: Duration, _ now: BootInstant) -> Bool {
    writes[user].map { now - $0 >= wait } ?? true
  }

  /// Returns a user's location at a level for a time of the wall clock, and its age.
  package func location(
    of user: UInt32, at level: AccuracyLevel, _ time: Timestamp
  ) -> (location: Location, age: Duration)? {
    guard let location = records[user]?.place.location(at: level) else { return nil }
    let age = time - location.timestamp
    return (.zero...Self.maximumAge).contains(age) ? (location, age) : nil
  }

  /// Handles that a user is refused: forgets the user, and rejects locations from before, even if nothing is recorded.
  package mutating func refused(_ user: UInt32, at now: BootInstant) -> [Action] {
    let hadRecord = records[user] != nil
    let actions = forget(user, at: now)
    return hadRecord ? actions : []
  }

  /// Forgets a user. Erases even a record that another run of the service may have written.
  package mutating func forget(_ user: UInt32, at now: BootInstant) -> [Action] {
    forgotten = forgotten.filter { now - $0.value <= Self.maximumAge }
    forgotten[user] = now
    return erase(user)
  }

  /// Forgets every user.
  package mutating func forgetAll(at now: BootInstant) {
    (records, forgotten, allForgotten) = ([:], [:], now)
  }

  private mutating func erase(_ user: UInt32) -> [Action] {
    records[user] = nil
    return [.erase(user: user)]
  }

  /// Called when a record could not be written.
  package mutating func failedToWrite(_ user: UInt32) {
    guard var record = records[user] else { return }
    record.written = record.replaced
    records[user] = record
  }

  /// Reads the records of an earlier run; returns those to be erased because they are damaged or too old.
  package mutating func restore(_ text: String, of user: UInt32, at now: BootInstant, _ time: Timestamp) -> [Action] {
    guard let place = RememberedPlace(text), time - place.location.timestamp <= Self.maximumAge
    else {
      return [.erase(user: user)]
    }
    let age = time - place.location.timestamp
    // When one from the future was received is unknown, so that any location replaces it.
    records[user] = Record(place: place, receivedAt: age < .zero ? .distantPast : now - age, written: place)
    writes[user] = now
    return evict()
  }

  /// Writes the records that have changed since they were last written, because the service ends.
  package mutating func flush(at now: BootInstant, _ time: Timestamp) -> [Action] {
    expire(at: time)
      + records.filter { $0.value.place != $0.value.written }.keys.sorted().flatMap { write($0, at: now) }
  }

  private mutating func write(_ user: UInt32, at now: BootInstant) -> [Action] {
    guard var record = records[user] else { return [] }
    (record.replaced, record.written) = (record.written, record.place)
    records[user] = record
    writes = writes.filter { records[$0.key] != nil || now - $0.value < Self.writeGap }
    writes[user] = now
    return [.write(user: user, text: record.place.text)]
  }

  /// Forgets the user with the oldest location if there are too many.
  private mutating func evict() -> [Action] {
    guard records.count > Self.maximumUsers,
      let oldest = records.min(by: { $0.value.place.location.timestamp < $1.value.place.location.timestamp })
    else { return [] }
    return erase(oldest.key)
  }
}

/// A reduced location as it is recorded: one line, always the centre of a cell, whatever the line contains.
struct RememberedPlace: Equatable, Sendable {
  let location: Location
  var level: AccuracyLevel { location.level }

  init?(_ location: Location) { self.init(location, location.level) }

  /// Returns nil for a level finer than ``AccuracyLevel/city``.
  init?(_ location: Location, _ level: AccuracyLevel) {
    guard level == .city || level == .country, let size = level.cellSize, let accuracy = location.accuracy else {
      return nil
    }
    let grid = Grid(cellSize: size)
    var center = grid.center(of: grid.cell(latitude: location.latitude, longitude: location.longitude))
    (center.accuracy, center.timestamp) = (accuracy, location.timestamp)
    (center.isApproximate, center.isRemembered, center.level) = (location.isApproximate, true, level)
    self.location = center
  }

  init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 7, let level = AccuracyLevel(contractName: String(words[0])), let latitude = Double(words[1]),
      let longitude = Double(words[2]), (-90...90).contains(latitude), (-180...180).contains(longitude),
      let accuracy = UInt32(words[3]), let seconds = UInt64(words[4]), let microseconds = UInt64(words[5])
    else { return nil }
    var location = Location(latitude: latitude, longitude: longitude, accuracy: Double(accuracy))
    location.timestamp = Timestamp(seconds: seconds, microseconds: microseconds)
    location.isApproximate = words[6] != "0"
    self.init(location, level)
  }

  var text: String {
    let time = location.timestamp
    let accuracy = UInt32(min(location.accuracy ?? 0, 100_000_000))
    return "\(level.contractName) \(location.latitude) \(location.longitude) \(accuracy) \(time.seconds) "
      + "\(time.microseconds) \(location.isApproximate ? 1 : 0)"
  }

  func isSameCell(as other: RememberedPlace) -> Bool {
    level == other.level && location.latitude == other.location.latitude
      && location.longitude == other.location.longitude
  }

  /// Whether this is a coarser cell around another one.
  ///
  /// A reducer keeps a cell until the position is a tenth of the cell outside it. So while both are of about the same time,
  /// the centre of the finer cell may be slightly outside the coarser one.
  func contains(_ other: RememberedPlace) -> Bool {
    guard level < other.level, let size = level.cellSize, let otherSize = other.level.cellSize else { return false }
    let grid = Grid(cellSize: size)
    let cell = grid.cell(latitude: location.latitude, longitude: location.longitude)
    let isOfSameTime = location.timestamp - other.location.timestamp <= level.minimumInterval
    let margin = GridReducer.hysteresis + (0.5 + GridReducer.hysteresis) * otherSize / size
    return grid.contains(
      cell, latitude: other.location.latitude, longitude: other.location.longitude, margin: isOfSameTime ? margin : 0)
  }

  /// Returns the location at this level or a coarser one.
  func location(at level: AccuracyLevel) -> Location? {
    guard level < self.level, level != .none else { return level == self.level ? location : nil }
    var coarser = RememberedPlace(location, level)?.location
    coarser?.accuracy = level.cellSize
    return coarser
  }
}
