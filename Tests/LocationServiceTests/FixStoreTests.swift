import DBus
import GeopublicistLocationModel
import MainLoop
import Publishing
import Testing

@testable import GeopublicistService

@Suite("The fixes of the upstream", .serialized)
struct FixStoreTests {
  private let upstream = PassthroughSubject<[Location], Never>()

  private func location(_ sequence: UInt64, latitude: Double = 52.5163, accuracy: Double? = 5) -> Location {
    let clock = MainLoop.main.clock
    return Location(
      latitude: latitude, longitude: 13.3777, accuracy: accuracy, altitude: 34, speed: 1.5, heading: 90,
      sourceDescription: "GPS GGA", timestamp: Timestamp(microsecondsSinceEpoch: clock.realtime()),
      receivedAt: clock.boottime(), sequence: sequence)
  }

  @Test("subscribers of one level share one fix, which is reduced and marshalled once")
  func shared() {
    let store = FixStore(upstream.eraseToAnyPublisher())
    var first: [Fix] = []
    var second: [Fix] = []
    let one = store.fixes(for: .city).sink { first.append($0) }
    let two = store.fixes(for: .city).sink { second.append($0) }
    upstream.send([location(1)])
    #expect(first.count == 1 && second.count == 1)
    #expect(first.first === second.first)
    one.cancel()
    two.cancel()
  }

  @Test("a branch does not replay: who comes later hears what comes later")
  func noReplay() {
    let store = FixStore(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    var heard: [UInt64] = []
    let cancellable = store.fixes(for: .exact).sink { heard.append($0.location.sequence) }
    #expect(heard == [])
    upstream.send([location(2)])
    #expect(heard == [2])
    #expect(store.newest(for: .exact)?.location.sequence == 2)
    cancellable.cancel()
  }

  @Test("below exact nothing of the fix but its cell gets through", arguments: [AccuracyLevel.street, .city, .country])
  func reduced(_ level: AccuracyLevel) throws {
    let store = FixStore(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    let fix = try #require(store.newest(for: level))
    #expect(fix.level == level)
    #expect(fix.location.latitude != 52.5163)
    #expect(fix.location.accuracy ?? 0 >= level.cellSize ?? .infinity)
    let keys = try #require(fix.value(isReduced: true).properties)
    #expect(keys["Reduced"] == .boolean(true))
    #expect(keys["Level"] == .string(level.contractName))
    for key in ["Altitude", "Speed", "Heading", "Description", "Age"] { #expect(keys[key] == nil) }
  }

  @Test("of a batch the newest counts, and an empty one is nothing")
  func batches() {
    let store = FixStore(upstream.eraseToAnyPublisher())
    upstream.send([])
    #expect(store.newest(for: .exact) == nil)
    upstream.send([location(1), location(2)])
    #expect(store.newest(for: .exact)?.location.sequence == 2)
  }

  @Test("what was forgotten is not handed out")
  func forgotten() {
    let store = FixStore(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    _ = store.newest(for: .city)
    store.forget()
    #expect(store.newest(for: .exact) == nil)
    #expect(store.newest(for: .city) == nil)
  }

  @Test("after a sleep a fix that was measured before it is not published")
  func afterSleep() {
    let store = FixStore(upstream.eraseToAnyPublisher())
    store.forget(afterSleep: true)
    var old = location(1)
    old.timestamp = Timestamp(seconds: old.timestamp.seconds - 10)
    upstream.send([old])
    #expect(store.newest(for: .exact) == nil)
    upstream.send([location(2)])
    #expect(store.newest(for: .exact)?.location.sequence == 2)
  }

  @Test("what is unknown is absent from the dictionary, and what is known has the contract's type")
  func dictionary() throws {
    var bare = location(7, accuracy: nil)
    bare.altitude = nil
    bare.speed = .nan
    bare.heading = nil
    bare.sourceDescription = nil
    let keys = try #require(LocationDictionary.value(bare, level: .exact, isReduced: false).properties)
    #expect(
      Set(keys.keys) == [
        "Latitude", "Longitude", "Level", "Reduced", "Simulated", "Sequence", "Timestamp", "MonotonicUSec",
      ])
    #expect(keys["Sequence"] == .uint64(7))
    #expect(keys["Timestamp"]?.signature == "(tt)")
  }
}
