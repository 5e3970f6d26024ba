// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import Testing

@testable import DBus

@Suite struct SignalTests {
  @Test func `every matching rule receives a broadcast, in order`() throws {
    let peers = try Peers()
    let other = try peers.connect()
    var heard: [String] = []
    for match in [
      peers.client.onSignal(MatchRule(interface: Sample.name)) {
        heard.append("client " + ($0.arguments[0].string ?? ""))
      },
      peers.client.onSignal(MatchRule(member: "Else")) { _ in heard.append("never") },
    ] { match.keep() }
    try peers.settle()
    let sample = Sample()
    let object = sample.export(on: peers.service)
    object.emit("Happened", of: Sample.name, .string("one"))
    object.emit("Happened", of: Sample.name, .string("two"))
    try peers.settle()
    #expect(heard == ["client one", "client two"])
    withExtendedLifetime(other) {}
  }

  @Test func `a signal contains its sender, path, interface, member and arguments`() throws {
    let peers = try Peers()
    var signal: Signal?
    peers.client.onSignal(MatchRule(interface: "a.b")) { signal = $0 }.keep()
    try peers.settle()
    peers.service.send(Message(signal: "S", of: "a.b", at: "/x", [.uint32(1), .string("y")]))
    try turning("it arrives") { signal != nil }
    #expect(signal?.sender == peers.service.uniqueName && signal?.path == "/x")
    #expect(signal?.interface == "a.b" && signal?.member == "S" && signal?.arguments == [.uint32(1), .string("y")])
  }

  @Test func `a match that was released receives nothing`() throws {
    let peers = try Peers()
    var heard = 0
    var match: SignalMatch? = peers.client.onSignal(MatchRule(interface: "a.b")) { _ in heard += 1 }
    try peers.settle()
    peers.service.send(Message(signal: "S", of: "a.b", at: "/"))
    try turning("one is received") { heard == 1 }
    withExtendedLifetime(match) {}
    match = nil
    peers.service.send(Message(signal: "S", of: "a.b", at: "/"))
    try peers.settle()
    #expect(heard == 1)
  }

  @Test func `ending one of two equal matches does not end the other`() throws {
    let peers = try Peers()
    var heard: [String] = []
    let rule = MatchRule(interface: "a.b")
    var first: SignalMatch? = peers.client.onSignal(rule) { _ in heard.append("first") }
    let second = peers.client.onSignal(rule) { _ in heard.append("second") }
    try peers.settle()
    peers.service.send(Message(signal: "S", of: "a.b", at: "/"))
    try turning("both receive it") { heard.count == 2 }
    #expect(heard == ["first", "second"])
    withExtendedLifetime(first) {}
    first = nil
    peers.service.send(Message(signal: "S", of: "a.b", at: "/"))
    try turning("the second still receives signals") { heard.count == 3 }
    #expect(heard.last == "second")
    second.cancel()
  }

  /// Regression: a match that another handler had ended was still called for the current signal.
  @Test func `a match that an earlier handler has ended does not receive the current signal`() throws {
    let peers = try Peers()
    var heard: [String] = []
    var second: SignalMatch?
    let first = peers.client.onSignal(MatchRule(interface: "a.b")) { _ in
      heard.append("first")
      second?.cancel()
    }
    second = peers.client.onSignal(MatchRule(interface: "a.b")) { _ in heard.append("second") }
    try peers.settle()
    peers.service.send(Message(signal: "S", of: "a.b", at: "/"))
    try peers.settle()
    #expect(heard == ["first"])
    withExtendedLifetime(first) {}
  }

  @Test func `a match may be ended and replaced in its own handler`() throws {
    let peers = try Peers()
    var heard: [String] = []
    var match: SignalMatch?
    match = peers.client.onSignal(MatchRule(interface: "a.b")) { _ in
      heard.append("first")
      match = peers.client.onSignal(MatchRule(interface: "a.b")) { _ in heard.append("second") }
    }
    try peers.settle()
    for _ in 0..<2 {
      peers.service.send(Message(signal: "S", of: "a.b", at: "/"))
      try peers.settle()
    }
    #expect(heard == ["first", "second"])
    withExtendedLifetime(match) {}
  }

  @Test func `a signal that another program forges for a service is dropped`() throws {
    let peers = try Peers()
    let outsider = try peers.connect()
    var senders: [BusName] = []
    peers.client.onSignal(MatchRule(sender: "org.example.Service", interface: "a.b")) {
      senders.append($0.sender)
    }.keep()
    func send(from connection: Connection) throws {
      connection.send(Message(signal: "S", of: "a.b", at: "/", to: peers.client.uniqueName))
      connection.send(Message(signal: "S", of: "a.b", at: "/"))
    }
    try peers.settle()
    try send(from: outsider)
    try peers.settle()
    #expect(senders.isEmpty, "the name has no owner")
    try peers.service.own("org.example.Service")
    try send(from: outsider)
    try send(from: peers.service)
    try peers.settle()
    #expect(senders == [peers.service.uniqueName, peers.service.uniqueName])
    peers.service.release("org.example.Service")
    try peers.settle()
    try outsider.own("org.example.Service")
    try send(from: peers.service)
    try send(from: outsider)
    try peers.settle()
    #expect(senders.suffix(2) == [outsider.uniqueName, outsider.uniqueName] && senders.count == 4)
  }

  @Test func `many signals stay in order and do not starve other sources`() throws {
    let peers = try Peers()
    var heard: [UInt32] = []
    peers.client.onSignal(MatchRule(interface: "a.b")) { heard.append($0.arguments[0].uint32 ?? 0) }.keep()
    try peers.settle()
    for number in UInt32(0)..<5_000 {
      peers.service.send(Message(signal: "S", of: "a.b", at: "/", [.uint32(number)]))
    }
    try turning("all arrive", within: .seconds(30)) { heard.count == 5_000 }
    #expect(heard == Array(0..<5_000))
  }
}
