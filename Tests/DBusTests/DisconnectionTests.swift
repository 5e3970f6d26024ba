// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Glibc
import MainLoop
import Testing

import func GeopublicistCDBus.dbus_message_set_sender

@testable import DBus

@Suite struct DisconnectionTests {
  @Test func `the loss of the bus is reported once`() throws {
    let peers = try Peers()
    var calls = 0
    peers.client.onDisconnected = { calls += 1 }
    peers.service.onDisconnected = {}
    #expect(peers.client.isConnected)
    peers.bus.kill()
    try turning("it is reported") { calls == 1 }
    #expect(!peers.client.isConnected)
    try turning(for: .milliseconds(30), "and not again") { calls == 1 }
  }

  @Test func `pending calls fail in order before the loss of the bus is reported`() throws {
    let (peers, sample) = try Peers.withSample()
    var told: [String] = []
    peers.client.onDisconnected = { told.append("end") }
    for number in 0..<5 {
      let timeout = number.isMultiple(of: 2) ? CallTimeout.never : .milliseconds(60_000)
      peers.client.call(peers.message("Later"), timeout: timeout) { result in
        told.append("\(number) \(result.errorName ?? "a.success")")
      }.keep()
    }
    try turning("all calls arrive") { sample.kept.count == 5 }
    peers.bus.kill()
    try turning("the end is reported") { told.last == "end" }
    #expect(told == (0..<5).map { "\($0) org.freedesktop.DBus.Error.Disconnected" } + ["end"])
    sample.kept[0].reply(.string("into the void"))
    sample.kept = []
  }

  /// Regression: signals that had been read together with the end of the connection were lost.
  @Test func `messages that arrived before the loss of the bus are handled first`() throws {
    // Runs only on dbus-daemon, because dbus-broker may exit while some of the signals are in its own queue.
    let peers = try Peers(on: .dbusDaemon)
    var told: [String] = []
    peers.client.onSignal(MatchRule(interface: "a.b")) { told.append("\($0.arguments[0].uint32 ?? 0)") }.keep()
    peers.client.onDisconnected = { told.append("end") }
    try peers.settle()
    let signals = (0..<20).map { Message(signal: "S", of: "a.b", at: "/", [.uint32($0)]) }
    // The bus adds the sender to each message.
    let size = signals.map { $0.copy() }.reduce(0) { size, signal in
      dbus_message_set_sender(signal.raw, peers.service.uniqueName.rawValue)
      return size + signal.marshalledByteCount
    }
    for signal in signals { peers.service.send(signal) }
    peers.service.flush()
    // All of them wait in the client's socket, which the client does not read.
    try eventually("the bus has passed all of them on") { try peers.client.unreadBytes() >= size }
    peers.bus.kill()
    try turning("the end is reported") { told.last == "end" }
    #expect(told == (0..<20).map(String.init) + ["end"])
  }

  @Test func `using a connection after the loss of the bus does not crash`() throws {
    let (peers, _, object) = try Peers.withObject()
    peers.bus.kill()
    try turning("it is noticed") { !peers.service.isConnected && !peers.client.isConnected }
    for connection in [peers.service, peers.client] { try useInVain(connection) }
    object.emit("Happened", of: Sample.name, .string("x"))
    object.propertyChanged("Title", of: Sample.name)
    try turning(for: .milliseconds(10), "nothing happens") { true }
    object.unexport()
  }

  /// Regression: a call or a match on a closed connection used memory that libdbus had freed.
  @Test func `using a connection after close does not crash`() throws {
    let (peers, _, object) = try Peers.withObject()
    let match = peers.service.onSignal(MatchRule(interface: "a.b")) { _ in }
    NameWatch("org.example.Name", on: peers.service) { _ in }.keep()
    let peerWatch = PeerWatch(on: peers.service)
    peers.service.close()
    peers.service.close()
    #expect(!peers.service.isConnected)
    try useInVain(peers.service)
    object.emit("Happened", of: Sample.name, .string("x"))
    object.propertyChanged("Title", of: Sample.name)
    object.flushChanges()
    match.cancel()
    withExtendedLifetime(peerWatch) {}
    try turning(for: .milliseconds(10), "nothing happens") { true }
    #expect(peers.client.isConnected)
  }

  private func useInVain(_ connection: Connection) throws {
    let question = Question(Message(calling: "M", of: "a.b", at: "/", on: .bus), from: connection)
    #expect(question.isOpen, "not inside the call")
    #expect(try question.refusal() == .disconnected)
    connection.send(Message(signal: "S", of: "a.b", at: "/"))
    connection.flush()
    #expect(connection.outgoingBytes == 0)
    #expect(throws: DBusError.self) { try connection.own("org.example.Name") }
    connection.release("org.example.Name")
    let match = connection.onSignal(MatchRule(interface: "a.b")) { _ in }
    match.cancel()
    NameWatch("org.example.Name", on: connection) { _ in }.keep()
    let peers = PeerWatch(on: connection)
    let sample = Sample()
    sample.export(on: connection).emit("Happened", of: Sample.name, .string("x"))
    withExtendedLifetime(peers) {}
  }

  @Test func `no handler is called after close`() throws {
    let (peers, _) = try Peers.withSample()
    peers.client.onDisconnected = { Issue.record("it was closed from this side") }
    peers.client.onSignal(MatchRule(interface: "a.b")) { _ in Issue.record("a signal") }.keep()
    peers.client.call(peers.message("Nothing")) { _ in Issue.record("a reply") }.keep()
    peers.service.send(Message(signal: "S", of: "a.b", at: "/"))
    peers.client.close()
    try turning(for: .milliseconds(50), "nothing is called") { true }
  }

  @Test func `closing a connection releases the handlers of its calls`() throws {
    final class Witness {}
    let (peers, _) = try Peers.withSample()
    weak var kept: Witness?
    weak var pending: Witness?
    var calls: [PendingCall] = []
    do {
      let witnesses = (Witness(), Witness())
      (kept, pending) = witnesses
      peers.client.call(peers.message("Nothing")) { _ in withExtendedLifetime(witnesses.0) {} }.keep()
      calls.append(peers.client.call(peers.message("Nothing")) { _ in withExtendedLifetime(witnesses.1) {} })
    }
    #expect(kept != nil && pending != nil)
    peers.client.close()
    #expect(kept == nil && pending == nil && calls.count == 1)
  }

  @Test func `a pending call may own its connection`() throws {
    let (peers, _) = try Peers.withSample()
    weak var closed: Connection?
    var call: PendingCall?
    do {
      let connection = try peers.connect()
      closed = connection
      call = connection.call(peers.message("Nothing")) { _ in connection.close() }
    }
    #expect(closed != nil && call != nil)
    call = nil
    #expect(closed == nil)
  }

  @Test func `a match may own its connection`() throws {
    final class Owner {
      let connection: Connection
      init(_ connection: Connection) { self.connection = connection }
      isolated deinit { connection.close() }
    }
    let (peers, _) = try Peers.withSample()
    let connection = try peers.connect()
    var owner: Owner? = Owner(connection)
    let match = connection.onSignal(MatchRule(interface: "a.b")) { [owner] _ in withExtendedLifetime(owner) {} }
    owner = nil
    #expect(connection.isConnected)
    match.cancel()
    #expect(!connection.isConnected)
  }

  @Test func `after close, a call fails on the next turn even if the connection was to be rejoined`() throws {
    let (peers, _) = try Peers.withSample()
    let connection = try peers.connect()
    connection.isToRejoin = true
    connection.close()
    var failure: CallFailure?
    connection.call(peers.message("Nothing"), timeout: .never) { if case .failure(let found) = $0 { failure = found } }
      .keep()
    try turning("it fails") { failure != nil }
    #expect(failure == .notSent(DBusError(.disconnected, "The connection to the bus is closed")))
  }

  @Test func `connecting to a missing bus causes an error`() {
    #expect(throws: DBusError.self) { try Connection(to: .address("unix:path=/nonexistent/bus")) }
    #expect(throws: DBusError.self) { try Connection(to: .address("nonsense")) }
    #expect(throws: DBusError.self) { try Connection(to: .address("")) }
    #expect(throws: DBusError.self) { try Connection(to: .address("unix:path=/tmp/\0x")) }
  }

  @Test func `the outgoing queue can be measured and flushed`() throws {
    // Runs only on dbus-daemon, because that is a single process, whose id the bus reports.
    let peers = try Peers(on: .dbusDaemon)
    var heard = 0
    peers.client.onSignal(MatchRule(interface: "a.b")) { _ in heard += 1 }.keep()
    try peers.settle()
    let bus = try peers.busProcess()
    #expect(kill(bus, SIGSTOP) == 0)
    let body = Value.string(String(repeating: "x", count: 60_000))
    for _ in 0..<20 { peers.service.send(Message(signal: "S", of: "a.b", at: "/", [body])) }
    #expect((600_000..<1_300_000).contains(peers.service.outgoingBytes))
    #expect(kill(bus, SIGCONT) == 0)
    peers.service.flush(milliseconds: 10_000)
    #expect(peers.service.outgoingBytes == 0)
    try turning("all arrive") { heard == 20 }
  }

  /// Regression: a bus that does not read prevented the program from exiting.
  @Test func `flush returns at its deadline if the bus does not read`() throws {
    // Runs only on dbus-daemon, because that is a single process, whose id the bus reports.
    let peers = try Peers(on: .dbusDaemon)
    let body = Value.string(String(repeating: "x", count: 1_000_000))
    let bus = try peers.busProcess()
    #expect(kill(bus, SIGSTOP) == 0)
    for _ in 0..<4 { peers.service.send(Message(signal: "S", of: "a.b", at: "/", [body])) }
    let start = LoopClock.system.monotonic()
    peers.service.flush(milliseconds: 100)
    let taken = LoopClock.system.monotonic() - start
    #expect((Duration.milliseconds(100)..<Duration.seconds(5)).contains(taken))
    #expect(peers.service.outgoingBytes > 0)
    #expect(kill(bus, SIGCONT) == 0)
    peers.service.flush(milliseconds: 10_000)
    #expect(peers.service.outgoingBytes == 0)
  }

  /// Regression: if the service was stopped while programs called it, some of the last signals were lost.
  @Test func `flushed messages arrive even if the connection is closed before it has read everything`() throws {
    let peers = try Peers()
    var heard = 0
    peers.client.onSignal(MatchRule(interface: "a.b")) { _ in heard += 1 }.keep()
    try peers.settle()
    let other = try peers.connect()
    let body = Value.string(String(repeating: "x", count: 60_000))
    // More than fits into the service's socket.
    for _ in 0..<10 { other.send(peers.message("Nothing", with: [body])) }
    other.flush(milliseconds: 10_000)
    try eventually("the bus passes some of it on") { try peers.service.unreadBytes() > 60_000 }
    // The bus writes to a connection as soon as it has a message for it, and then notices that it was closed.
    for _ in 0..<2_000 { other.send(peers.message("Nothing")) }
    for _ in 0..<200 { peers.service.send(Message(signal: "S", of: "a.b", at: "/")) }
    peers.service.flush(milliseconds: 10_000)
    peers.service.close()
    try turning("all arrive") { heard == 200 }
    withExtendedLifetime(other) {}
  }

  @Test func `a connection is closed when it is released`() throws {
    let peers = try Peers()
    let watch = PeerWatch(on: peers.service)
    weak var weakly: Connection?
    var gone = false
    do {
      let connection = try peers.connect()
      weakly = connection
      let sample = Sample()
      sample.export(on: connection)
      watch.whenGone(connection.uniqueName) { gone = true }
      connection.onSignal(MatchRule(interface: "a.b")) { _ in }.keep()
      try peers.settle()
      withExtendedLifetime(connection) {}
    }
    #expect(weakly == nil, "nothing inside holds it")
    try turning("the bus has noticed") { gone }
  }

  @Test func `ten thousand connections leave no descriptor open`() throws {
    let peers = try Peers()
    for _ in 0..<10 { try peers.connect().close() }
    let before = openDescriptors()
    for number in 0..<10_000 {
      let connection = try peers.connect()
      if number.isMultiple(of: 3) { connection.onDisconnected = { Issue.record("closed from this side") } }
      if number.isMultiple(of: 5) { connection.send(Message(signal: "S", of: "a.b", at: "/")) }
      if number.isMultiple(of: 2) { connection.close() }
      if number.isMultiple(of: 100) { MainLoop.main.iterate() }
    }
    #expect(openDescriptors() == before)
  }
}
