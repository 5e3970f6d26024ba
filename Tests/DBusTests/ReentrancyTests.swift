// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Testing

@testable import DBus

/// Handlers that close, release or re-enter their connection.
@Suite struct ReentrancyTests {
  @Test func `a method may close its connection`() throws {
    let (peers, sample) = try Peers.withSample()
    sample.onDo = { call in
      peers.service.close()
      call.reply()
    }
    #expect(try peers.refusal("Do", .options([])) == .noReply, "the bus answers in its place")
  }

  /// Regression: when a handler closed the connection while more than a batch of messages waited, the rest was
  /// dispatched from freed memory.
  @Test func `a handler may close the connection while many messages wait`() throws {
    let peers = try Peers()
    var heard = 0
    peers.client.onSignal(MatchRule(interface: "a.b")) { _ in
      heard += 1
      peers.client.close()
    }.keep()
    try peers.settle()
    let bus = peers.bus
    for _ in 0..<LoopIntegration.batch * 10 { peers.service.send(Message(signal: "S", of: "a.b", at: "/")) }
    try turning("one is received") { heard > 0 }
    try turning(for: .milliseconds(100), "and no more") { heard == 1 }
    withExtendedLifetime(bus) {}
  }

  @Test func `a handler may release the connection`() throws {
    let peers = try Peers()
    var connection: Connection? = try peers.connect()
    var heard = 0
    let match = connection?.onSignal(MatchRule(interface: "a.b")) { _ in
      heard += 1
      connection = nil
    }
    try peers.settle()
    try peers.call("Ping", of: "org.freedesktop.DBus.Peer")
    for _ in 0..<200 { peers.service.send(Message(signal: "S", of: "a.b", at: "/")) }
    try turning("one is received") { heard > 0 }
    try turning(for: .milliseconds(50), "and no more") { heard == 1 }
    #expect(connection == nil)
    withExtendedLifetime(match) {}
  }

  @Test func `a reply handler may close the connection`() throws {
    let (peers, _) = try Peers.withSample()
    var replies = 0
    for _ in 0..<100 {
      peers.client.call(peers.message("Nothing")) { _ in
        replies += 1
        peers.client.close()
      }.keep()
    }
    try turning("one reply") { replies > 0 }
    try turning(for: .milliseconds(50), "and no more") { replies == 1 }
  }

  @Test func `a handler may cancel other calls`() throws {
    let (peers, _) = try Peers.withSample()
    var replies = 0
    var calls: [PendingCall] = []
    calls = (0..<10).map { _ in
      peers.client.call(peers.message("Nothing")) { _ in
        replies += 1
        for call in calls { call.cancel() }
      }
    }
    try turning("one reply") { replies > 0 }
    try peers.settle()
    #expect(replies == 1)
  }

  @Test func `a disconnection handler may close and release the connection`() throws {
    let peers = try Peers()
    var connection: Connection? = try peers.connect()
    var told = 0
    let pending = connection?.call(
      Message(calling: "M", of: "a.b", at: "/", on: peers.service.uniqueName), timeout: .never
    ) { _ in told += 1 }
    pending?.cancel()
    connection?.onDisconnected = {
      told += 10
      connection?.close()
      connection = nil
    }
    peers.bus.kill()
    try turning("it is reported") { told >= 10 }
    #expect(told == 10 && connection == nil)
  }

  @Test func `the handler of a failed call may close the connection while others are pending`() throws {
    let (peers, sample) = try Peers.withSample()
    var failed = 0
    peers.client.onDisconnected = { Issue.record("it was closed before") }
    for _ in 0..<5 {
      peers.client.call(peers.message("Later")) { _ in
        failed += 1
        peers.client.close()
      }.keep()
    }
    try turning("all arrive") { sample.kept.count == 5 }
    peers.bus.kill()
    try turning("the first fails") { failed > 0 }
    try turning(for: .milliseconds(30), "the others are silent") { failed == 1 }
  }

  @Test func `a method may unexport its own object`() throws {
    let (peers, sample, object) = try Peers.withObject()
    sample.onDo = { call in
      object.unexport()
      call.reply()
    }
    #expect(try peers.call("Do", .options([])) == [])
    #expect(try peers.refusal("Nothing") == .unknownObject)
  }

  @Test func `a method may export an object and emit signals`() throws {
    let peers = try Peers()
    var order: [String] = []
    peers.client.onSignal(MatchRule(interface: Sample.name)) { order.append($0.arguments[0].string ?? "") }.keep()
    try peers.settle()
    let (sample, child) = (Sample(), Sample())
    let object = sample.export(on: peers.service)
    sample.onDo = { call in
      object.emit("Happened", of: Sample.name, .string("before"))
      call.reply()
      child.export(on: peers.service, at: Sample.path.child(1)).emit("Happened", of: Sample.name, .string("after"))
    }
    peers.client.call(peers.message("Do", .options([]))) { _ in order.append("reply") }.keep()
    try turning("all arrive") { order.count == 3 }
    #expect(order == ["before", "reply", "after"])
    #expect(try peers.call("Nothing", at: Sample.path.child(1)) == [])
  }

  /// libdbus deadlocks if it is called to dispatch from inside a dispatch.
  @Test func `a handler that runs the loop does not hang`() throws {
    let (peers, sample) = try Peers.withSample()
    var depth = 0
    var deepest = 0
    sample.onDo = { call in
      depth += 1
      deepest = max(deepest, depth)
      for _ in 0..<5 { turn() }
      depth -= 1
      call.reply()
    }
    var replies = 0
    for _ in 0..<100 { peers.client.call(peers.message("Do", .options([]))) { _ in replies += 1 }.keep() }
    try turning("all are answered", within: .seconds(30)) { replies == 100 }
    #expect(deepest == 1)
  }

  @Test func `a handler may block until it owns a name`() throws {
    let (peers, sample) = try Peers.withSample()
    sample.onDo = { call throws(DBusError) in
      try peers.service.own("org.example.Late")
      call.reply()
    }
    #expect(try peers.call("Do", .options([])) == [])
    #expect(try peers.refusal("Nothing") == nil)
  }

  @Test func `the intake handler may close the connection`() throws {
    let (peers, _) = try Peers.withSample()
    peers.service.objects.intake = { [unowned peers] call in
      peers.service.close()
      peers.service.objects.perform(call)
    }
    #expect(try peers.refusal("Nothing") == .noReply)
    #expect(peers.service.objects.intake == nil)
  }
}
