// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import MainLoop
import Publishing
import Testing

@testable import GeopublicistService

@Suite(.serialized)
struct SharedLocationsTests {
  private let upstream = PassthroughSubject<[Location], Never>()

  private func location(_ sequence: UInt64, latitude: Double = 52.5163, accuracy: Double? = 5)
    -> Location
  {
    let clock = MainLoop.main.clock
    return Location(
      latitude: latitude, longitude: 13.3777, accuracy: accuracy, altitude: 34, speed: 1.5,
      heading: 90,
      sourceDescription: "GPS GGA", timestamp: Timestamp(microsecondsSinceEpoch: clock.realtime()),
      receivedAt: clock.boottime(), sequence: sequence)
  }

  @Test func `clients of one level share one location, which is reduced and built once`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    var first: [Location] = []
    var second: [Location] = []
    let one = store.locations(for: .city).sink { first.append($0) }
    let two = store.locations(for: .city).sink { second.append($0) }
    upstream.send([location(1)])
    #expect(first.count == 1 && first == second)
    let signals = LocationSignals()
    func signal(_ location: Location) -> SignalTemplate? {
      signals.signal(for: Delivery(location: location, level: .city, isReduced: true))
    }
    #expect(signal(first[0]) === signal(second[0]))
    one.cancel()
    two.cancel()
  }

  @Test func `a branch does not replay: late subscribers receive later fixes only`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    var heard: [UInt64] = []
    let cancellable = store.locations(for: .exact).sink { heard.append($0.sequence) }
    #expect(heard == [])
    upstream.send([location(2)])
    #expect(heard == [2])
    #expect(store.newest(for: .exact)?.sequence == 2)
    cancellable.cancel()
  }

  @Test(arguments: [AccuracyLevel.street, .city, .country])
  func `below exact only the cell of a fix gets through`(_ level: AccuracyLevel) throws {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    let location = try #require(store.newest(for: level))
    #expect(location.latitude != 52.5163)
    #expect(location.accuracy ?? 0 >= level.cellSize ?? .infinity)
    let keys = try #require(Delivery(location: location, level: level, isReduced: true).value().properties)
    #expect(keys["Reduced"] == .boolean(true))
    #expect(keys["Level"] == .string(level.contractName))
    for key in ["Altitude", "Speed", "Heading", "Description", "Age"] { #expect(keys[key] == nil) }
  }

  @Test func `the newest of a batch counts, and an empty batch is ignored`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([])
    #expect(store.newest(for: .exact) == nil)
    upstream.send([location(1), location(2)])
    #expect(store.newest(for: .exact)?.sequence == 2)
  }

  @Test func `a forgotten fix is not delivered`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    _ = store.newest(for: .city)
    store.forget()
    #expect(store.newest(for: .exact) == nil)
    #expect(store.newest(for: .city) == nil)
  }

  @Test func `after a sleep a location that was measured before it is not published`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    store.forget(afterSleep: true)
    var old = location(1)
    old.timestamp = Timestamp(seconds: old.timestamp.seconds - 10)
    upstream.send([old])
    #expect(store.newest(for: .exact) == nil)
    upstream.send([location(2)])
    #expect(store.newest(for: .exact)?.sequence == 2)
  }

  @Test func `D11: a service that starts again stays in the cell of the one before`() throws {
    let before = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    let told = try #require(before.newest(for: .street))
    let after = SharedLocations(upstream.eraseToAnyPublisher())
    after.restore(before.memory + ["city", "street 1 2 3", "moon 1 1 1 1 1 1 1 1"])
    #expect(after.cellsChangeAt == before.cellsChangeAt)
    upstream.send([location(2, latitude: 52.6)])
    let now = try #require(after.newest(for: .street))
    #expect(now == told || now.sequence > told.sequence)
  }

  @Test
  func `unknown fields are absent from the dictionary, and the others have the contract's types`()
    throws
  {
    var bare = location(7, accuracy: nil)
    bare.altitude = nil
    bare.speed = .nan
    bare.heading = nil
    bare.sourceDescription = nil
    let keys = try #require(Delivery(location: bare, level: .exact, isReduced: false).value().properties)
    #expect(
      Set(keys.keys) == [
        "Latitude", "Longitude", "Level", "Reduced", "Simulated", "Source", "Sequence", "Timestamp",
        "MonotonicUSec",
      ])
    #expect(keys["Sequence"] == .uint64(7))
    #expect(keys["Timestamp"]?.signature == "(tt)")
  }
}
