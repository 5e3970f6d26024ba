// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import Publicist
import Publishing
import Testing

@testable import GeopublicistLocationModel
@testable import GeopublicistService

/// The end of a subscription's chain: pacing, keeping the newest, and a connection to the bus that may be blocked.
@Suite(.serialized)
struct LocationChainTests {
  private func fix(_ sequence: UInt64) -> Location {
    Location(latitude: 52, longitude: 13, timestamp: Timestamp(seconds: sequence), sequence: sequence)
  }

  fileprivate final class NoPings: ClientPinging {
    func ping(_ client: BusName, of account: Account, _ action: @escaping (PingEnd) -> Void) -> Bool { true }
    func forget(_ client: BusName) {}
  }

  /// A chain as a subscription builds it, from a subject to an array.
  fileprivate final class Chain {
    let subject = PassthroughSubject<Location, Never>()
    let pacer = Pacer()
    var queued = 0
    var isHeld: Bool {
      get { hold != nil }
      set { hold = newValue ? Hold() : nil }
    }
    var hold: Hold<BootClock>?
    private(set) var slot: DeliverySlot?
    private(set) var sent: [UInt64] = []
    private var newest: Location?
    private var waitsForRoom = false
    private var cancellables: Set<AnyCancellable> = []
    private lazy var outbox = Outbox(NoPings()) { [unowned self] in queued }

    init(_ configuration: DeliveryRule.Configuration = .init(), isStarted: Bool = true) {
      pacer.configure(configuration)
      if isStarted { start() }
    }

    func start(with first: [Location] = [], at began: BootInstant = .origin) {
      let slot = DeliverySlot(
        pacer, began: began, newest: { [unowned self] in newest }, hold: { [unowned self] in hold },
        whenRoom: { [unowned self] in sendWhenRoom() },
        { [unowned self] location in sent.append(location.sequence) })
      self.slot = slot
      AnyCancellable(slot).store(in: &cancellables)
      subject.subscribe(slot)
      for location in first { slot.offer(location) }
    }

    private func sendWhenRoom() {
      guard !waitsForRoom else { return }
      waitsForRoom = true
      outbox.whenRoom(for: ":1.1") { [unowned self] in
        waitsForRoom = false
        slot?.send()
      }
    }

    func cut() { cancellables = [] }

    func send(_ location: Location) {
      newest = location
      subject.send(location)
    }

    /// Sends a location `metres` from the first that arrives at this time.
    func send(at time: UInt64, metres: Double = 0) {
      var location = Location(
        latitude: 52 + metres / 111_195, longitude: 13, timestamp: Timestamp(seconds: time), sequence: time)
      location.receivedAt = BootInstant(microseconds: time)
      send(location)
    }
  }

  @Test func `without thresholds every fix is delivered in order`() {
    let chain = Chain(isStarted: false)
    chain.start(with: [fix(1)])
    for sequence in 2...6 { chain.send(fix(UInt64(sequence))) }
    #expect(chain.sent == [1, 2, 3, 4, 5, 6])
  }

  @Test func `the newest location within the time threshold is delivered when the threshold ends`() throws {
    let chain = Chain(.init(timeThreshold: .milliseconds(80)))
    for sequence in 1...3 { chain.send(fix(UInt64(sequence))) }
    #expect(chain.sent == [1])
    try turning("it is sent") { chain.sent.count == 2 }
    #expect(chain.sent == [1, 3])
  }

  @Test func `a sleep counts in the time threshold, but not one from before the last location`() {
    let clock = MainLoop.main.clock
    defer { MainLoop.main.clock = clock }
    var asleep = Duration.seconds(3_600)
    MainLoop.main.clock.boottime = { clock.boottime() + asleep }
    let chain = Chain(.init(timeThreshold: .seconds(60)))
    func sleep(for time: Duration, thenSend sequence: UInt64) {
      asleep += time
      chain.slot?.forget(.waiting)
      chain.send(fix(sequence))
    }
    chain.send(fix(1))
    sleep(for: .seconds(40), thenSend: 2)
    #expect(chain.sent == [1])
    sleep(for: .seconds(40), thenSend: 3)
    #expect(chain.sent == [1, 3])
    sleep(for: .seconds(40), thenSend: 4)
    #expect(chain.sent == [1, 3])
    // A location may be sent after a sleep that is reported only then.
    chain.pacer.configure(.init())
    asleep += .seconds(3_600)
    chain.send(fix(5))
    chain.pacer.configure(.init(timeThreshold: .seconds(60)))
    sleep(for: .zero, thenSend: 6)
    #expect(chain.sent == [1, 3, 4, 5])
  }

  @Test func `while the queue is full, only the newest location is kept, and it is delivered when there is room`()
    throws
  {
    let chain = Chain()
    chain.send(fix(1))
    chain.queued = Outbox.highWater
    for sequence in 2...1000 { chain.send(fix(UInt64(sequence))) }
    #expect(chain.sent == [1])
    chain.queued = 0
    try turning("it is sent") { chain.sent.count == 2 }
    #expect(chain.sent == [1, 1000])
    chain.send(fix(1001))
    #expect(chain.sent == [1, 1000, 1001])
  }

  @Test func `a queue that fills up after each message does not block the waiting messages forever`() throws {
    var (queued, sent) = (Outbox.highWater, 0)
    let outbox = Outbox(NoPings()) { queued }
    for _ in 0..<2 {
      outbox.whenRoom(for: ":1.1") {
        sent += 1
        queued = Outbox.highWater
      }
    }
    for count in 1...2 {
      queued = 0
      try turning("\(count) sent") { sent == count }
    }
  }

  @Test func `after a subscription has stopped, no location is delivered`() throws {
    let chain = Chain(.init(timeThreshold: .milliseconds(20)))
    chain.send(fix(1))
    chain.send(fix(2))
    chain.cut()
    chain.send(fix(3))
    try turning(for: .milliseconds(60), "nothing is sent") { chain.sent == [1] }
  }

  @Test(arguments: [DeliveryRule.Configuration(timeThreshold: .seconds(200)), .init(isSignificant: true)])
  func `a need for the source mentions a location that is held until it has been sent`(
    _ configuration: DeliveryRule.Configuration
  ) {
    let chain = Chain(configuration)
    chain.isHeld = true
    var location = fix(1)
    location.accuracy = 10
    chain.send(location)
    #expect(chain.pacer.need(at: .exact).dueAt != nil)
    chain.isHeld = false
    chain.slot?.release()
    #expect(chain.sent == [1])
    #expect(chain.pacer.need(at: .exact).dueAt == nil)
  }

  @Test(arguments: [
    DeliveryRule.Configuration(timeThreshold: .seconds(200), debounce: .seconds(90)),
    .init(debounce: .seconds(9), isSignificant: true),
  ])
  func `a need for the source mentions a location that waits only for its quiet time`(
    _ configuration: DeliveryRule.Configuration
  ) {
    let clock = MainLoop.main.clock
    defer { MainLoop.main.clock = clock }
    let chain = Chain(configuration)
    var first = fix(1)
    first.accuracy = 10
    chain.send(first)
    #expect(chain.sent == [1])
    #expect(chain.pacer.need(at: .exact).dueAt == nil)
    let begin = clock.monotonic()
    for (seconds, isMentioned) in [(100, false), (320, true)] as [(Int, Bool)] {
      MainLoop.main.clock.monotonic = { begin + .seconds(seconds) }
      var location = Location(
        latitude: 52 + Double(seconds) / 1_000, longitude: 13, accuracy: 10,
        timestamp: Timestamp(seconds: UInt64(seconds)),
        sequence: UInt64(seconds))
      location.receivedAt = BootInstant(microseconds: UInt64(seconds) * 1_000_000)
      chain.send(location)
      #expect((chain.pacer.need(at: .exact).dueAt == begin + .seconds(seconds) + configuration.debounce) == isMentioned)
      chain.slot?.forget(.waiting)
    }
    #expect(chain.sent == [1])
  }

  @Test func `the first fix after a subscription has started again is delivered regardless of thresholds`() {
    let chain = Chain(.init(distanceThreshold: 1_000_000))
    chain.send(fix(1))
    chain.send(fix(2))
    chain.cut()
    chain.start(with: [fix(3)])
    chain.send(fix(4))
    #expect(chain.sent == [1, 3])
  }

  @Test func `while deliveries are held, only the newest location is kept, and it is delivered afterwards`() {
    let chain = Chain()
    chain.send(fix(1))
    chain.isHeld = true
    for sequence in 2...9 { chain.send(fix(UInt64(sequence))) }
    #expect(chain.sent == [1])
    chain.isHeld = false
    chain.slot?.release()
    #expect(chain.sent == [1, 9])
    chain.send(fix(10))
    #expect(chain.sent == [1, 9, 10])
  }

  @Test func `when a question is answered, the newest location from before the question is delivered`() {
    let chain = Chain()
    chain.hold = Hold(question: 5)
    for time in 1...9 as ClosedRange<UInt64> { chain.send(at: time, metres: Double(time)) }
    chain.slot?.release()
    #expect(chain.sent == [], "the question has not been answered")
    chain.hold = Hold(question: 5, isConfirmed: true)
    for _ in 0..<2 { chain.slot?.release() }
    #expect(chain.sent == [4], "one location for each answer")
    chain.hold = Hold(question: 10)
    for time in 11...13 as ClosedRange<UInt64> { chain.send(at: time, metres: Double(time)) }
    chain.hold = Hold(question: 10, isConfirmed: true)
    chain.slot?.release()
    #expect(chain.sent == [4, 9])
    chain.hold = nil
    chain.slot?.release()
    #expect(chain.sent == [4, 9, 13])
    chain.hold = Hold(question: 20)
    chain.send(at: 14)
    chain.send(at: 21)
    chain.slot?.forget(.waiting)
    chain.hold = Hold(question: 20, isConfirmed: true)
    chain.slot?.release()
    #expect(chain.sent == [4, 9, 13], "what waits does not survive a gap")
  }

  /// Found by the simulation: an agent had just allowed locations, and polkit had permitted them before that.
  @Test func `an answer to a question from before the chain allows no location`() {
    let chain = Chain(isStarted: false)
    chain.hold = Hold(question: 5, isConfirmed: true)
    var first = fix(1)
    first.receivedAt = 4
    chain.start(with: [first], at: 6)
    chain.slot?.release()
    #expect(chain.sent == [])
    chain.hold = Hold(question: 7, isConfirmed: true)
    chain.slot?.release()
    #expect(chain.sent == [1])
  }

  @Test func `the time threshold counts from a location that was sent after a hold`() throws {
    let chain = Chain(.init(timeThreshold: .milliseconds(80)))
    chain.hold = Hold(question: 5)
    chain.send(at: 1)
    let time = MainLoop.main.clock.monotonic()
    try turning("the threshold ends") { MainLoop.main.clock.monotonic() - time > .milliseconds(80) }
    chain.send(at: 9)
    chain.hold = Hold(question: 5, isConfirmed: true)
    chain.slot?.release()
    chain.hold = nil
    chain.slot?.release()
    #expect(chain.sent == [1])
    try turning("the threshold ends again") { chain.sent == [1, 9] }
    #expect(MainLoop.main.clock.monotonic() - time >= .milliseconds(160))
  }

  @Test func `after a hold, the newest location is offered again, also to changed thresholds`() {
    let chain = Chain(.init(distanceThreshold: 100))
    chain.send(at: 1)
    chain.hold = Hold(question: 5)
    chain.send(at: 2, metres: 200)
    chain.send(at: 6, metres: 250)
    chain.send(at: 7, metres: 400)
    chain.hold = nil
    chain.slot?.release()
    #expect(chain.sent == [1, 7], "the newest one replaces the one that waited")
    chain.hold = Hold(question: 10)
    chain.send(at: 8, metres: 600)
    chain.send(at: 11, metres: 650)
    chain.hold = Hold(question: 10, isConfirmed: true)
    chain.slot?.release()
    chain.hold = nil
    chain.slot?.release()
    #expect(chain.sent == [1, 7, 8], "the newest one is too close to it")
    chain.slot?.configure(.init(distanceThreshold: 20))
    #expect(chain.sent == [1, 7, 8, 11])
  }

  @Test func `a location from before a gap is not offered to changed thresholds`() {
    let chain = Chain(.init(distanceThreshold: 100))
    chain.send(at: 1)
    chain.send(at: 2, metres: 50)
    chain.slot?.forget(.waiting)
    chain.slot?.configure(.init())
    #expect(chain.sent == [1])
    chain.send(at: 3, metres: 50)
    #expect(chain.sent == [1, 3])
  }

  @Test func `a location that is kept during a hold is dropped when the subscription stops`() {
    let chain = Chain()
    chain.isHeld = true
    chain.send(fix(1))
    let slot = chain.slot
    chain.cut()
    chain.isHeld = false
    slot?.release()
    #expect(chain.sent == [])
  }

  @Test(arguments: [DeliveryRule.Configuration(timeThreshold: .milliseconds(40)), .init(debounce: .milliseconds(40))])
  func `a location that waits for a threshold is dropped by a suspend, and the thresholds still apply`(
    rule: DeliveryRule.Configuration
  ) throws {
    let chain = Chain(rule)
    chain.send(fix(1))
    chain.send(fix(2))
    chain.slot?.forget(.waiting)
    try turning(for: .milliseconds(80), "nothing is sent") { chain.sent == [1] }
    chain.send(fix(3))
    try turning("the next one is sent") { chain.sent == [1, 3] }
  }

  @Test func `a location that waits for room in the queue or for the end of a hold is dropped by a suspend`() throws {
    let chain = Chain()
    chain.send(fix(1))
    chain.queued = Outbox.highWater
    chain.send(fix(2))
    chain.slot?.forget(.waiting)
    chain.queued = 0
    try turning(for: .milliseconds(60), "nothing is sent") { chain.sent == [1] }
    chain.isHeld = true
    chain.send(fix(3))
    chain.slot?.forget(.waiting)
    chain.isHeld = false
    chain.slot?.release()
    #expect(chain.sent == [1])
    chain.send(fix(4))
    #expect(chain.sent == [1, 4])
  }

  @Test func `a measurement that the source sends again is not delivered again`() {
    let chain = Chain()
    chain.send(fix(1))
    for sequence in 2...5 {
      var again = fix(1)
      again.sequence = UInt64(sequence)
      chain.send(again)
    }
    chain.send(fix(6))
    #expect(chain.sent == [1, 6])
  }
}

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

  @Test func `all clients of one level share each reduced location and its message`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    var first: [Location] = []
    var second: [Location] = []
    let one = store.locations(for: .city).sink { first.append($0) }
    let two = store.locations(for: .city).sink { second.append($0) }
    upstream.send([location(1)])
    #expect(first.count == 1 && first == second)
    let signals = LocationSignals()
    func signal(_ location: Location) -> SignalTemplate? {
      signals.signal(for: Delivery(location: location, isReduced: true))
    }
    #expect(signal(first[0]) === signal(second[0]))
    one.cancel()
    two.cancel()
  }

  @Test func `a new subscriber receives only later fixes`() {
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
  func `at levels below exact, only the cell of a fix is delivered`(_ level: AccuracyLevel) throws {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    let location = try #require(store.newest(for: level))
    #expect(location.latitude != 52.5163)
    #expect(location.accuracy ?? 0 >= level.cellSize ?? .infinity)
    let keys = try #require(Delivery(location: location, isReduced: true).value().properties)
    #expect(keys["Reduced"] == .boolean(true))
    #expect(keys["Level"] == .string(level.contractName))
    for key in ["Altitude", "Speed", "Heading", "Description", "Age"] { #expect(keys[key] == nil) }
  }

  @Test func `of several locations in one batch, only the newest is used`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([])
    #expect(store.newest(for: .exact) == nil)
    upstream.send([location(1), location(2)])
    #expect(store.newest(for: .exact)?.sequence == 2)
  }

  @Test func `after access is lost, earlier fixes are dropped`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    _ = store.newest(for: .city)
    store.forget(.accessLost)
    #expect(store.newest(for: .exact) == nil)
    #expect(store.newest(for: .city) == nil)
  }

  @Test(arguments: [SharedLocations.Gap.accessLost, .clockSet])
  func `a client that comes after a gap receives the next location without waiting for an interval`(
    _ gap: SharedLocations.Gap
  ) {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    var heard = 0
    let cancellable = store.locations(for: .country).sink { _ in heard += 1 }
    upstream.send([location(1)])
    store.forget(gap)
    upstream.send([location(2)])
    #expect(heard == 2)
    #expect(store.newest(for: .country) != nil)
    cancellable.cancel()
  }

  @Test func `a reduced location is published once in its interval, and not after a suspend`() throws {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    var heard: [Location] = []
    let cancellable = store.locations(for: .country).sink { heard.append($0) }
    // An interval of 15 minutes may end in between, but not twice.
    for number in 1...20 as ClosedRange<UInt64> {
      upstream.send([location(number, latitude: 50 + Double(number) / 100)])
    }
    #expect(heard.count <= 2 && Set(heard.map(\.sequence)).count == heard.count && !heard.isEmpty)
    let newest = try #require(store.newest(for: .country))
    let isCurrent = store.isCurrent(newest, at: .country)
    store.forget(.slept)
    var later = location(21)
    later.timestamp = Timestamp(seconds: later.timestamp.seconds + 2)
    upstream.send([later])
    #expect(heard.allSatisfy { $0.receivedAt >= newest.receivedAt || $0.sequence < newest.sequence })
    if isCurrent { #expect(store.newest(for: .country) == nil, "it was measured before the gap") }
    #expect(store.newest(for: .exact)?.sequence == 21)
    cancellable.cancel()
  }

  @Test func `the last location of an interval is published, although the source is silent since`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    var heard: [Location] = []
    let cancellable = store.locations(for: .street).sink { heard.append($0) }
    let length = UInt64(AccuracyLevel.street.minimumInterval.microseconds)
    let interval = MainLoop.main.clock.boottime().microseconds / length - 2
    for number in 1...2 as ClosedRange<UInt64> {
      var location = location(number, latitude: 50 + Double(number) / 100, accuracy: 2_000)
      location.receivedAt = BootInstant(microseconds: interval * length + number)
      upstream.send([location])
    }
    #expect(heard.map(\.sequence).first == interval + 1)
    #expect(heard.count == 2 && heard.last?.latitude ?? 0 > 50.015)
    #expect(store.newest(for: .street) == heard.last)
    cancellable.cancel()
  }

  @Test func `after a pause of the source, a reduced location is published again but not delivered twice`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    let chain = LocationChainTests.Chain()
    var heard = 0
    let cancellable = store.locations(for: .country).sink {
      heard += 1
      chain.send($0)
    }
    upstream.send([location(1)])
    store.dropHeld()
    upstream.send([location(2)])
    upstream.send([location(3)])
    // An interval of 15 minutes may end in between.
    #expect(heard == 2 || heard == 3)
    #expect(chain.sent.count == heard - 1)
    cancellable.cancel()
  }

  @Test func `a location that was measured before a suspend is not published after it`() {
    let store = SharedLocations(upstream.eraseToAnyPublisher())
    store.forget(.slept)
    var old = location(1)
    old.timestamp = Timestamp(seconds: old.timestamp.seconds - 10)
    upstream.send([old])
    #expect(store.newest(for: .exact) == nil)
    upstream.send([location(2)])
    #expect(store.newest(for: .exact)?.sequence == 2)
  }

  @Test func `a restarted service publishes the same cell until the next interval`() throws {
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

  @Test func `a cell from before a suspend is not used by a restarted service`() throws {
    let before = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    let told = try #require(before.newest(for: .country))
    let cells = before.memory
    let sleep = try #require(cells.first)
    for (first, isValid) in [(sleep, true), ("0 -5000000", false), ("", false)] {
      let after = SharedLocations(upstream.eraseToAnyPublisher())
      after.restore([first] + cells.dropFirst())
      upstream.send([location(2)])
      let now = after.newest(for: .country)
      #expect(isValid ? now != nil : now != told, "\(first)")
    }
  }

  @Test func `a cell from before a suspend that the service did not learn of is not used by the next one`() {
    let clock = MainLoop.main.clock
    defer { MainLoop.main.clock = clock }
    // All in one interval.
    var now = BootInstant(microseconds: 9_001_000_000)
    MainLoop.main.clock.boottime = { now }
    let before = SharedLocations(upstream.eraseToAnyPublisher())
    upstream.send([location(1)])
    #expect(before.newest(for: .country) != nil)
    now = now + .seconds(50)
    let after = SharedLocations(upstream.eraseToAnyPublisher())
    after.restore(before.memory)
    upstream.send([location(2)])
    #expect(after.newest(for: .country) == nil)
  }

  @Test
  func `a location's dictionary omits unknown fields, and the others have the documented types`() throws {
    var bare = location(7, accuracy: nil)
    bare.altitude = nil
    bare.speed = .nan
    bare.heading = nil
    bare.sourceDescription = nil
    let keys = try #require(Delivery(location: bare, isReduced: false).value().properties)
    #expect(
      Set(keys.keys) == [
        "Latitude", "Longitude", "Level", "Reduced", "Simulated", "Source", "Sequence", "Timestamp",
        "MonotonicUSec",
      ])
    #expect(keys["Sequence"] == .uint64(7))
    #expect(keys["Timestamp"]?.signature == "(tt)")
  }
}
