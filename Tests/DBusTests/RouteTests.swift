import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import DBus

/// Signals that are written past libdbus: nobody who gets them can tell.
@Suite struct RouteTests {
  private func template(_ number: UInt32) throws -> SignalTemplate {
    try SignalTemplate("S", of: "a.b", [.uint32(number), .string("body")])
  }

  @Test(arguments: PrivateBus.Broker.installed)
  func aSignalAlongARouteIsLikeAnyOther(broker: PrivateBus.Broker) throws {
    let peers = try Peers(on: broker)
    let other = try peers.connect()
    var heard: [Signal] = []
    var elsewhere = 0
    let matches = [
      peers.client.onSignal(MatchRule(interface: "a.b")) { heard.append($0) },
      other.onSignal(MatchRule(interface: "a.b")) { _ in elsewhere += 1 },
    ]
    try peers.settle()
    let route = SignalRoute(from: "/x/y", to: peers.client.uniqueName)
    peers.service.send(try template(1), along: route)
    peers.service.send(try template(2), along: route)
    try turning("both arrive") { heard.count == 2 }
    try peers.settle()
    #expect(heard.map(\.arguments) == [[.uint32(1), .string("body")], [.uint32(2), .string("body")]])
    #expect(heard.allSatisfy { $0.sender == peers.service.uniqueName && $0.path == "/x/y" && $0.member == "S" })
    #expect(elsewhere == 0)
    withExtendedLifetime(matches) {}
  }

  @Test func theOrderOfAllThatIsSentIsKept() throws {
    let peers = try Peers()
    var heard: [Value] = []
    let match = peers.client.onSignal(MatchRule(interface: "a.b")) { heard.append($0.arguments[0]) }
    try peers.settle()
    let route = SignalRoute(from: "/", to: peers.client.uniqueName)
    func plain(_ number: UInt32) throws -> Message {
      try Message(signal: "S", of: "a.b", at: "/", to: peers.client.uniqueName, [.uint32(number), .string("body")])
    }
    let messages = [try plain(1), try plain(3)]
    let templates = try (0..<200).map { try template(100 + $0) }
    peers.service.send(try template(0), along: route)
    peers.service.send(messages[0])
    peers.service.together {
      for template in templates[..<100] { peers.service.send(template, along: route) }
      peers.service.send(messages[1])
      for template in templates[100...] { peers.service.send(template, along: route) }
    }
    peers.service.send(try template(4), along: route)
    try turning("all arrive") { heard.count == 204 }
    #expect(heard == ([0, 1] + Array(100..<200) + [3] + Array(200..<300) + [4]).map { .uint32($0) })
    withExtendedLifetime(match) {}
  }

  /// A bus that does not read for a while: what it has no room for waits in libdbus's queue, where it is counted.
  @Test func whatTheBusHasNoRoomForIsQueuedInOrder() throws {
    let peers = try Peers(on: .dbusDaemon)
    var heard: [Value] = []
    let match = peers.client.onSignal(MatchRule(interface: "a.b")) { heard.append($0.arguments[0]) }
    try peers.settle()
    let route = SignalRoute(from: "/", to: peers.client.uniqueName)
    let count: UInt32 = 5_000
    peers.bus.suspend(true)
    defer { peers.bus.suspend(false) }
    for first in stride(from: 0, to: count, by: 1_000) {
      let templates = try (first..<first + 1_000).map { try template($0) }
      peers.service.together { for template in templates { peers.service.send(template, along: route) } }
    }
    #expect(peers.service.outgoingBytes > 100_000)
    peers.bus.suspend(false)
    try turning("all arrive", within: .seconds(60)) { heard.count == Int(count) }
    #expect(heard == (0..<count).map { .uint32($0) })
    #expect(peers.service.outgoingBytes == 0)
    withExtendedLifetime(match) {}
  }

  @Test func aTemplateTooLargeForOnePieceGoesTheLongWay() throws {
    let peers = try Peers()
    let text = String(repeating: "x", count: 100_000)
    var heard: [Value] = []
    let match = peers.client.onSignal(MatchRule(interface: "a.b")) { heard += $0.arguments }
    try peers.settle()
    let route = SignalRoute(from: "/", to: peers.client.uniqueName)
    peers.service.send(try SignalTemplate("S", of: "a.b", [.string(text)]), along: route)
    peers.service.send(try SignalTemplate("S", of: "a.b", [.string("small")]), along: route)
    try turning("both arrive") { heard.count == 2 }
    #expect(heard == [.string(text), .string("small")])
    withExtendedLifetime(match) {}
  }

  @Test func aClosedConnectionSendsNothing() throws {
    let peers = try Peers()
    let route = SignalRoute(from: "/", to: peers.client.uniqueName)
    let signal = try template(1)
    peers.service.together {
      peers.service.send(signal, along: route)
      peers.service.close()
    }
    peers.service.send(signal, along: route)
    #expect(peers.service.outgoingBytes == 0)
  }
}
