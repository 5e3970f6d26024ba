// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Glibc
import MainLoop
import Testing

import func GeopublicistCDBus.dbus_connection_close

@testable import DBus

/// A lost connection is opened again with its objects, matches and pending calls.
@Suite struct RejoinTests {
  /// An object that the client exports, and a pending call from the service.
  private func askClient(_ peers: Peers) throws -> (Sample, Question) {
    let other = Sample()
    other.export(on: peers.client)
    let message = Message(calling: "Later", of: Sample.name, at: Sample.path, on: peers.client.uniqueName)
    let question = Question(message, timeout: .never, from: peers.service)
    try turning("the call arrives") { other.kept.count == 1 }
    return (other, question)
  }

  @Test func `objects, matches and calls continue on a new connection after the bus has ended the old one`() throws {
    let (peers, _) = try Peers.withSample()
    let before = peers.service.uniqueName
    var (lost, signals, owners): (Int, Int, [BusName?]) = (0, 0, [])
    peers.service.isToRejoin = true
    peers.service.onDisconnected = { lost += 1 }
    peers.service.onSignal(MatchRule(interface: "a.b")) { _ in signals += 1 }.keep()
    try peers.client.own("a.name")
    let watch = NameWatch("a.name", on: peers.service) { owners.append($0) }
    try peers.settle()
    try turning("the owner is known") { owners == [peers.client.uniqueName] }

    let (other, question) = try askClient(peers)
    dbus_connection_close(peers.service.raw)
    try turning("the loss is reported") { lost == 1 }
    #expect(question.isOpen, "the call waits")
    #expect(try peers.service.rejoin())
    #expect(peers.service.uniqueName != before)
    try turning("the call is made again") { other.kept.count == 2 }
    other.kept[1].reply(.string("here"))
    #expect(try question.answer() == [.string("here")])

    peers.client.send(Message(signal: "S", of: "a.b", at: "/"))
    try turning("a signal arrives") { signals == 1 }
    try peers.call("Nothing")
    try peers.settle()
    #expect(owners == [peers.client.uniqueName], "nothing has changed")
    withExtendedLifetime(watch) {}
  }

  @Test func `a watch that is cancelled by another watch during a rejoin reports nothing`() throws {
    let peers = try Peers()
    try peers.client.own("a.name")
    var owners: [BusName?] = []
    var second: NameWatch?
    let first = NameWatch("a.name", on: peers.service) { if $0 == nil { second?.cancel() } }
    second = NameWatch("a.name", on: peers.service) { owners.append($0) }
    try turning("the owner is known") { first.owner != nil && owners.count == 1 }
    #expect(try peers.service.rejoin(forgettingOwners: true))
    try turning("the first watch knows the owner again") { first.owner != nil }
    try peers.settle()
    #expect(owners == [peers.client.uniqueName])
  }

  /// Regression: the properties were those from before the loss.
  @Test func `properties are read again after a rejoin`() throws {
    let (peers, sample) = try Peers.withSample()
    let proxy = Proxy(
      on: peers.client, destination: peers.service.uniqueName, path: Sample.path, interface: Sample.name)
    var reads = 0
    let watch = proxy.onProperties { _ in reads += 1 }
    for count in 1...2 {
      try turning("the deferred property is requested") { !sample.reads.isEmpty }
      sample.reads = []
      try turning("they are read") { reads == count }
      if count == 1 { #expect(try peers.client.rejoin()) }
    }
    withExtendedLifetime(watch) {}
  }

  /// Regression: a later call overtook it.
  @Test func `calls that wait for a rejoin are repeated in order`() throws {
    let peers = try Peers()
    peers.service.isToRejoin = true
    let (other, first) = try askClient(peers)
    dbus_connection_close(peers.service.raw)
    try turning("the connection is lost") { !peers.service.isConnected }
    let message = Message(calling: "Later", of: Sample.name, at: Sample.path, on: peers.client.uniqueName)
    let second = Question(message, timeout: .never, from: peers.service)
    #expect(try peers.service.rejoin())
    try turning("both calls are made again") { other.kept.count == 3 }
    other.kept[1].reply(.string("first"))
    other.kept[2].reply(.string("second"))
    #expect(try first.answer() == [.string("first")] && second.answer() == [.string("second")])
  }

  @Test func `a call survives a new connection that is lost before the call is repeated`() throws {
    let peers = try Peers()
    peers.service.isToRejoin = true
    let (other, question) = try askClient(peers)
    dbus_connection_close(peers.service.raw)
    peers.service.replies.hold()
    // `rejoin()` also calls `resend()`, possibly while the connection is lost again.
    peers.service.replies.resend()
    #expect(try peers.service.rejoin())
    try turning("the call is repeated") { other.kept.count == 2 }
    other.kept[1].reply(.string("here"))
    #expect(try question.answer() == [.string("here")])
  }

  @Test func `calls from before a rejoin are no longer answered`() throws {
    let (peers, sample) = try Peers.withSample()
    let question = peers.ask(peers.message("Later"), timeout: .never)
    try turning("the call arrives") { sample.kept.count == 1 }
    #expect(try peers.service.rejoin())
    #expect(try question.refusal() == .noReply, "the bus has answered the caller")
    sample.kept[0].reply(.string("late"))
    try peers.settle()
    #expect(peers.service.isConnected)
  }

  @Test func `a connection does not rejoin a bus that was restarted`() throws {
    let (first, second) = (try PrivateBus(.session), try PrivateBus(.session))
    let one = try Connection(to: .address(first.address))
    let two = try Connection(to: .address(second.address))
    #expect(try one.rejoin())
    #expect(try two.rejoin())
    first.kill()
    #expect(throws: DBusError.self) { _ = try one.rejoin() }
    #expect(throws: DBusError.self) { _ = try one.rejoin() }
    #expect(!one.isConnected)
    one.close()
  }

  @Test func `a connection does not rejoin a different bus at the same address`() throws {
    let (first, second) = (try PrivateBus(.session), try PrivateBus(.session))
    let folder = TemporaryDirectory()
    let link = folder.file("bus")
    func show(_ bus: PrivateBus) throws {
      unlink(link)
      try #require(symlink(String(bus.address.dropFirst("unix:path=".count)), link) == 0)
    }
    try show(first)
    let connection = try Connection(to: .address("unix:path=\(link)"))
    try show(second)
    #expect(try !connection.rejoin())
    #expect(!connection.isConnected)
  }

  /// dbus-daemon stops reading from a sender when 127 MiB of its messages are undelivered.
  @Test func `a bus that stops reading is detected, and the new connection has an empty queue`() throws {
    let peers = try Peers(on: .dbusDaemon)
    try peers.service.own("a.name", isReplaceable: true)
    var stalls = 0
    peers.service.onStalled = { stalls += 1 }
    let deaf = try DeafPeer(peers.bus)
    let bytes = Value.string(String(repeating: "x", count: 1 << 20))
    for _ in 0..<140 { peers.service.send(Message(signal: "S", of: "a.b", at: "/", to: deaf.uniqueName, [bytes])) }
    try turning("the stall is reported", within: .seconds(30)) { stalls > 0 }
    #expect(peers.service.outgoingBytes > 1 << 20)
    // The bus itself still works.
    _ = try peers.answer(to: Message(callingBus: "GetId"))
    #expect(try peers.service.rejoin())
    // The bus no longer serves the old connection, and does not even notice whether it is closed.
    try peers.service.own("a.name", replaces: true)
    var signals = 0
    peers.client.onSignal(MatchRule(interface: "c.d")) { _ in signals += 1 }.keep()
    try peers.settle()
    peers.service.send(Message(signal: "S", of: "c.d", at: "/"))
    try turning("messages pass again") { signals == 1 }
  }

  @Test func `a peer that does not read does not answer a ping`() throws {
    let peers = try Peers()
    var answers: [Connection.PingResult] = []
    let first = peers.client.ping(peers.service.uniqueName) { answers.append($0) }
    try turning("it is answered") { answers == [.answered] }
    let deaf = try DeafPeer(peers.bus)
    let second = peers.client.ping(deaf.uniqueName) { answers.append($0) }
    try turning(for: .milliseconds(200), "there is no answer") { answers.count == 1 }
    deaf.close()
    try turning("the bus reports that it has left") { answers == [.answered, .lost] }
    withExtendedLifetime((first, second)) {}
  }
}
