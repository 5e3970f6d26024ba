// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistService

@Suite struct OutboxTests {
  private final class Pings: ClientPinging {
    private(set) var actions: [BusName: () -> Void] = [:]
    func ping(_ client: BusName, of user: UInt32?, _ action: @escaping () -> Void) { actions[client] = action }
    func forget(_ client: BusName) { actions[client] = nil }
    func answer(from client: BusName) { actions.removeValue(forKey: client)?() }
  }

  private final class Way {
    private final class Bytes { var count = 0 }
    private let bytes: Bytes
    let pings = Pings()
    let outbox: Outbox

    init() {
      let bytes = Bytes()
      self.bytes = bytes
      outbox = Outbox(pings) { bytes.count }
      outbox.userOf = { $0 == ":1.99" ? nil : .some(1000) }
    }

    func queue(_ bytes: Int) { self.bytes.count = bytes }
  }

  private let way = Way()

  @Test func `waiting messages are sent when the bus has room`() throws {
    way.queue(Outbox.highWater)
    var done: [String] = []
    #expect(way.outbox.isFull)
    way.outbox.whenRoom(for: ":1.1") { done.append("location") }
    #expect(done.isEmpty)
    way.queue(0)
    try turning("it is sent") { !done.isEmpty }
    #expect(done == ["location"])
  }

  @Test func `D2: after a megabyte without an answer nothing goes out, and after the answer everything`() {
    for _ in 0..<30 { way.outbox.sent(100_000, to: ":1.1") }
    #expect(way.outbox.state(of: ":1.1") == .suspended)
    #expect(!way.outbox.hasRoom(for: ":1.1"))
    #expect(way.outbox.hasRoom(for: ":1.2"), "others are not concerned")
    var done = 0
    way.outbox.whenRoom(for: ":1.1") { done += 1 }
    #expect(done == 0)
    way.pings.answer(from: ":1.1")
    #expect(done == 1)
    #expect(way.outbox.hasRoom(for: ":1.1"))
  }

  @Test func `a call of a suspended client lets it have its newest location`() {
    for _ in 0..<12 { way.outbox.sent(100_000, to: ":1.1") }
    var done = 0
    way.outbox.whenRoom(for: ":1.1") { done += 1 }
    #expect(done == 0)
    way.outbox.called(":1.1")
    #expect(done == 1)
  }

  @Test func `messages for a departed client are dropped`() {
    for _ in 0..<30 { way.outbox.sent(100_000, to: ":1.1") }
    way.outbox.whenRoom(for: ":1.1") { Issue.record("it has left") }
    way.outbox.left(":1.1")
    #expect(way.pings.actions.isEmpty)
    #expect(way.outbox.hasRoom(for: ":1.1"), "nothing is known of it any more")
  }

  @Test func `only clients are counted`() {
    for _ in 0..<100 { way.outbox.sent(100_000, to: ":1.99") }
    #expect(way.pings.actions.isEmpty)
    #expect(way.outbox.state(of: ":1.99") == .reading)
  }
}

@Suite struct PingPoolTests {
  /// The exclusivity check ended the service when spare connections were closed.
  @Test func `more clients than fit on one connection answer`() throws {
    let bus = try PrivateBus(.session)
    let pool = PingPool { () throws(DBusError) in try Connection(to: .address(bus.address)) }
    let clients = try (0..<PingPool.perConnection + 6).map { _ in try Connection(to: .address(bus.address)) }
    var answered: Set<BusName> = []
    for client in clients { pool.ping(client.uniqueName, of: 1000) { answered.insert(client.uniqueName) } }
    try turning("all have answered") { answered.count == clients.count }
  }
}

@Suite struct BroadcastPacerTests {
  @Test func `D2: rapid changes of state are thinned out, but the last one is sent`() throws {
    var told: [MemberName] = []
    let pacer = BroadcastPacer { told.append($0) }
    for _ in 0..<1_000 { pacer.changed("State") }
    pacer.changed("InUse")
    #expect(told.count == Int(BroadcastPacer.burst))
    try turning("the last one is sent") { told.last == "InUse" }
    #expect(told.suffix(2) == ["State", "InUse"])
    #expect(told.count == Int(BroadcastPacer.burst) + 2)
  }
}
