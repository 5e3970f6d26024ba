// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistService

@Suite struct OutboxTests {
  private final class Pings: ClientPinging {
    private(set) var actions: [BusName: (PingEnd) -> Void] = [:]
    var isFull = false
    func ping(_ client: BusName, of account: Account, _ action: @escaping (PingEnd) -> Void) -> Bool {
      if !isFull { actions[client] = action }
      return !isFull
    }
    func forget(_ client: BusName) { actions[client] = nil }
    func answer(from client: BusName) { actions.removeValue(forKey: client)?(.answered) }
    func lose(_ client: BusName) { actions.removeValue(forKey: client)?(.lost) }
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
      outbox.accountOf = { $0 == ":1.99" ? nil : $0.rawValue.hasPrefix(":3.") ? 1003 : 1000 }
    }

    func queue(_ bytes: Int) { self.bytes.count = bytes }
  }

  private let way = Way()

  @Test func `a message that waits is sent when the bus has room`() throws {
    way.queue(Outbox.highWater)
    var done: [String] = []
    #expect(way.outbox.isFull)
    way.outbox.whenRoom(for: ":1.1") { done.append("location") }
    #expect(done.isEmpty)
    way.queue(0)
    try turning("it is sent") { !done.isEmpty }
    #expect(done == ["location"])
  }

  /// Regression: the same clients were always first, and the last ones received nothing.
  @Test func `accounts take turns when the bus has little room`() throws {
    way.queue(Outbox.highWater)
    var done: [String] = []
    func wait(_ client: BusName, _ account: String) {
      way.outbox.whenRoom(for: client) { [way] in
        done.append(account)
        way.queue(Outbox.highWater)
        wait(client, account)
      }
    }
    for number in 0..<20 { wait(BusName(unchecked: ":1.\(number)"), "crowded") }
    wait(":3.1", "other")
    for count in 1...8 {
      // Calls neither lose a turn nor come before others.
      way.outbox.called(":3.1")
      way.queue(0)
      way.outbox.called(":1.1")
      try turning("another one is sent") { done.count == count }
    }
    #expect(done.count { $0 == "other" } == 4, "\(done)")
  }

  @Test func `a client that has not answered a ping for a megabyte receives nothing until it answers`() {
    for _ in 0..<30 { way.outbox.sent(100_000, to: ":1.1") }
    #expect(way.outbox.state(of: ":1.1") == .suspended)
    #expect(!way.outbox.hasRoom(for: ":1.1"))
    #expect(way.outbox.hasRoom(for: ":1.2"), "other clients are not affected")
    var done = 0
    way.outbox.whenRoom(for: ":1.1") { done += 1 }
    #expect(done == 0)
    way.pings.answer(from: ":1.1")
    #expect(done == 1)
    #expect(way.outbox.hasRoom(for: ":1.1"))
  }

  @Test func `a client that could not be pinged is pinged as soon as a ping can be sent`() throws {
    way.pings.isFull = true
    for _ in 0..<5 { way.outbox.sent(100_000, to: ":1.1") }
    #expect(way.outbox.state(of: ":1.1") == .reading, "it was not pinged")
    for _ in 0..<25 { way.outbox.sent(100_000, to: ":1.1") }
    #expect(way.outbox.state(of: ":1.1") == .suspended, "its unread bytes are limited even so")
    way.pings.isFull = false
    try turning("it is pinged") { way.pings.actions[":1.1"] != nil }
    way.pings.answer(from: ":1.1")
    #expect(way.outbox.hasRoom(for: ":1.1"))
  }

  @Test func `a location that is held for a suspended client is sent when the client makes a call`() {
    for _ in 0..<12 { way.outbox.sent(100_000, to: ":1.1") }
    var done = 0
    way.outbox.whenRoom(for: ":1.1") { done += 1 }
    #expect(done == 0)
    way.outbox.called(":1.1")
    #expect(done == 1)
  }

  /// Regression: a client that does not read lost its turn of the minute if its state changed while a location waited.
  @Test func `state that waits for a client is sent before the locations that wait for the state`() throws {
    for _ in 0..<30 { way.outbox.sent(100_000, to: ":1.1") }
    var (done, isDue) = ([String](), false)
    way.outbox.whenRoom(for: ":1.1") { done.append("location") }
    way.outbox.whenStateDue(for: ":1.1", way) { done.append("state") }
    way.outbox.whenStateDue(for: ":1.2", way.pings) { isDue = true }
    try turning("both states are due") { isDue }
    #expect(done.isEmpty)
    way.pings.answer(from: ":1.1")
    #expect(done == ["state", "location"])
  }

  @Test func `messages that wait for a client that has disconnected are dropped`() {
    for _ in 0..<30 { way.outbox.sent(100_000, to: ":1.1") }
    way.outbox.whenRoom(for: ":1.1") { Issue.record("it has left") }
    way.outbox.left(":1.1")
    #expect(way.pings.actions.isEmpty)
    #expect(way.outbox.hasRoom(for: ":1.1"), "no state of it remains")
  }

  /// Regression: it was sent nothing for a minute or longer.
  @Test func `a client whose ping was lost with its connection is pinged again`() throws {
    for _ in 0..<30 { way.outbox.sent(100_000, to: ":1.1") }
    for isFull in [false, true, false] {
      way.pings.isFull = isFull
      if !isFull { way.pings.lose(":1.1") }
      #expect(way.outbox.state(of: ":1.1") == .suspended)
      try turning("it is pinged, if possible") { isFull || way.pings.actions[":1.1"] != nil }
    }
    way.pings.answer(from: ":1.1")
    #expect(way.outbox.state(of: ":1.1") == .reading)
  }

  /// Regression: what waited for a client was sent only if its own answer had ended its suspension.
  @Test func `a client is sent what waits for it when the others of its account have answered`() throws {
    let others = (0..<90).map { BusName(unchecked: ":2.\($0)") }
    way.outbox.sent(200_000, to: ":1.1")
    for other in others { way.outbox.sent(200_000, to: other) }
    #expect(way.outbox.state(of: ":1.1") == .suspended && way.pings.actions[":1.1"] == nil)
    var done: [String] = []
    way.outbox.whenRoom(for: ":1.1") { done.append("location") }
    #expect(done.isEmpty && way.pings.actions[":1.1"] != nil, "it is asked as soon as something waits for it")
    for other in others { way.pings.answer(from: other) }
    try turning("it is sent") { !done.isEmpty }
    way.pings.answer(from: ":1.1")
    way.outbox.whenRoom(for: ":1.1") { done.append("another one") }
    #expect(done == ["location", "another one"])
  }

  /// Regression: it was asked only if something was sent to it, and nothing was.
  @Test func `a client of a crowded account that makes a call is asked whether it reads`() {
    way.outbox.sent(200_000, to: ":1.1")
    for number in 0..<90 { way.outbox.sent(200_000, to: BusName(unchecked: ":2.\(number)")) }
    #expect(way.outbox.state(of: ":1.1") == .suspended)
    way.outbox.called(":1.1")
    way.pings.answer(from: ":1.1")
    #expect(way.outbox.state(of: ":1.1") == .reading)
  }

  @Test func `messages to connections that are not clients are not counted`() {
    for _ in 0..<100 { way.outbox.sent(100_000, to: ":1.99") }
    #expect(way.pings.actions.isEmpty)
    #expect(way.outbox.state(of: ":1.99") == .reading)
  }
}

@Suite struct PingPoolTests {
  /// Regression: closing spare connections violated exclusive access and ended the service.
  @Test func `all clients can answer a ping, even if there are more than one connection may ping`() throws {
    let bus = try PrivateBus(.session)
    let pool = PingPool { () throws(DBusError) in try Connection(to: .address(bus.address)) }
    let clients = try (0..<PingPool.perConnection + 6).map { _ in try Connection(to: .address(bus.address)) }
    var answered: Set<BusName> = []
    for name in clients.map(\.uniqueName) { #expect(pool.ping(name, of: 1000) { _ in answered.insert(name) }) }
    try turning("all have answered") { answered.count == clients.count }
  }

  @Test func `clients that never answer a ping do not prevent pings to other clients`() throws {
    let bus = try PrivateBus(.session)
    let pool = PingPool(connections: 1, perConnection: 2, patience: .milliseconds(100)) { () throws(DBusError) in
      try Connection(to: .address(bus.address))
    }
    let silent = try (0..<2).map { _ in try BusClient(at: bus.address) }
    let names = try silent.map { try #require(BusName(validating: $0.uniqueName)) }
    var ends: [PingEnd] = []
    for (client, name) in zip(silent, names) {
      client.suspend(true)
      #expect(pool.ping(name, of: 1000) { ends.append($0) })
    }
    let other = try Connection(to: .address(bus.address))
    var isAnswered = false
    try turning(for: .milliseconds(300), "no client makes room for another account") {
      !pool.ping(other.uniqueName, of: 1001) { _ in isAnswered = true }
    }
    try turning("there is room") { pool.ping(other.uniqueName, of: 1000) { _ in isAnswered = true } }
    #expect(ends == [.abandoned, .abandoned])
    try turning("it has answered") { isAnswered }
    for client in silent { client.suspend(false) }
  }

  @Test func `the loss of a connection is reported for the pings on it`() throws {
    let bus = try PrivateBus(.session)
    let pool = PingPool { () throws(DBusError) in try Connection(to: .address(bus.address)) }
    let silent = try BusClient(at: bus.address)
    silent.suspend(true)
    var answers: [PingEnd] = []
    #expect(pool.ping(try #require(BusName(validating: silent.uniqueName)), of: 1000) { answers.append($0) })
    bus.kill()
    try turning("it is reported") { answers == [.lost] }
    silent.suspend(false)
  }

  /// Regression: the client was not pinged again; and without a successor, nobody was pinged.
  @Test func `when its successor is admitted, a connection is closed and the pings on it are lost`() throws {
    let bus = try PrivateBus(.session)
    var isRefused = false
    let pool = PingPool(connections: 1, perConnection: 2, patience: .milliseconds(100)) { () throws(DBusError) in
      if isRefused { throw DBusError(.limitsExceeded, "no more connections") }
      return try Connection(to: .address(bus.address))
    }
    let silent = try (0..<2).map { _ in try BusClient(at: bus.address) }
    for client in silent { client.suspend(true) }
    let names = try silent.map { try #require(BusName(validating: $0.uniqueName)) }
    var answers: [PingEnd] = []
    #expect(pool.ping(names[0], of: 1000) { if $0 != .abandoned { Issue.record("it is stopped") } })
    #expect(pool.ping(names[1], of: 1001) { answers.append($0) })
    isRefused = true
    try turning(for: .milliseconds(300), "the connection is used") {
      !pool.ping(":1.99", of: 1000) { _ in } && answers.isEmpty
    }
    isRefused = false
    try turning("the connection is replaced") {
      _ = pool.ping(":1.99", of: 1000) { _ in }
      return !answers.isEmpty
    }
    #expect(answers == [.lost])
    for client in silent { client.suspend(false) }
  }

  @Test func `one user with many connections does not prevent pings to other users`() throws {
    let bus = try PrivateBus(.session)
    let pool = PingPool(connections: 2, perConnection: 32) { () throws(DBusError) in
      try Connection(to: .address(bus.address))
    }
    let clients = try (0..<60).map { _ in try Connection(to: .address(bus.address)) }
    // No client can answer, because the loop is not running.
    let asked = clients.dropLast().filter { pool.ping($0.uniqueName, of: 1000) { _ in } }
    #expect(asked.count == 32)
    var isAnswered = false
    #expect(pool.ping(clients[59].uniqueName, of: 1001) { _ in isAnswered = true })
    try turning("it has answered") { isAnswered }
  }

  /// Regression: one attempt for each due ping blocked the service while the bus accepted no more connections.
  @Test func `after the bus has refused a connection, the service does not try again immediately`() {
    var attempts = 0
    let pool = PingPool { () throws(DBusError) in
      attempts += 1
      throw DBusError(.limitsExceeded, "no more connections")
    }
    for _ in 0..<100 { #expect(!pool.ping(":1.1", of: 1000) { _ in }) }
    #expect(attempts == 1)
  }
}

@Suite struct StatePacerTests {
  private final class Object {
    var isMarked = false
    var told = 0
  }

  /// Marks an object at each change; its turn removes the mark.
  private func mark(_ object: Object, _ payer: StatePacer.Payer, _ pacer: StatePacer) {
    guard !object.isMarked else { return }
    object.isMarked = true
    pacer.whenDue(payer, for: object) {
      object.isMarked = false
      object.told += 1
    }
  }

  @Test func `state changes are sent at a limited rate, and the last one is always sent`() throws {
    let pacer = StatePacer()
    let (flapping, calm) = (Object(), Object())
    let pace = StatePacer.Payer.everybody.pace
    let start = ContinuousClock.now
    try turning("the burst is used up") {
      for _ in 0..<1_000 { mark(flapping, .everybody, pacer) }
      return flapping.told >= pace.burst
    }
    mark(calm, .account(1000), pacer)
    try turning("another account has its turn") { calm.told == 1 }
    try turning("the last value is reported") { !flapping.isMarked }
    let seconds = (ContinuousClock.now - start).components.seconds + 1
    #expect(flapping.told <= Int64(pace.burst) + seconds * Int64(pace.perSecond))
  }

  @Test func `a closed object does not delay the reports of other objects`() throws {
    let pacer = StatePacer()
    let last = Object()
    let count = Int(StatePacer.Payer.everybody.pace.burst) * 3
    for _ in 0..<count { pacer.whenDue(.everybody, for: Object()) { Issue.record("the object is closed") } }
    pacer.whenDue(.everybody, for: last) { last.told += 1 }
    try turning("the remaining object has its turn", within: .seconds(5)) { last.told == 1 }
  }
}
