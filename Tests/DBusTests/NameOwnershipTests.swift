// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import DBus

@Suite struct NameOwnershipTests {
  private let name: BusName = "org.example.Watched"

  @Test func `a connection can own and release a name`() throws {
    let peers = try Peers()
    try peers.service.own(name)
    try peers.service.own(name)
    let error = #expect(throws: DBusError.self) { try peers.client.own(name) }
    #expect(error?.name == .failed)
    peers.service.release(name)
    try peers.settle()
    try peers.client.own(name)
    #expect(throws: DBusError.self) { try peers.service.own(name) }
  }

  @Test func `requesting a name that the bus refuses causes an error`() throws {
    let peers = try Peers()
    #expect(throws: DBusError.self) { try peers.client.own(.bus) }
    #expect(throws: DBusError.self) { try peers.client.own(":1.5") }
    let closed = try peers.connect()
    closed.close()
    #expect(throws: DBusError.self) { try closed.own(name) }
    closed.release(name)
  }

  /// Regression: a signal with the serial number of the request, which any program may send, was accepted as the bus's
  /// answer.
  @Test(arguments: PrivateBus.Broker.installed)
  func `a forged answer does not grant a name`(broker: PrivateBus.Broker) throws {
    let peers = try Peers(on: broker)
    try peers.client.own(name)
    let service = try peers.connect()
    for serial in UInt32(2)...6 {
      let forged = Message(signal: "S", of: "a.b", at: "/", to: service.uniqueName, [.uint32(1)])
      #expect(forged.forge(replyTo: serial))
      peers.client.send(forged)
    }
    try peers.settle()
    let error = #expect(throws: DBusError.self) { try service.own(name) }
    #expect(error?.message.contains("already owned") == true)
    peers.client.release(name)
    try peers.settle()
    try service.own(name)
  }

  @Test func `a watch reports the existing owner of a name`() throws {
    let peers = try Peers()
    try peers.service.own(name)
    var owners: [BusName?] = []
    let watch = NameWatch(name, on: peers.client) { owners.append($0) }
    #expect(watch.owner == nil && owners.isEmpty)
    try turning("it is reported") { !owners.isEmpty }
    #expect(owners == [peers.service.uniqueName] && watch.owner == peers.service.uniqueName)
    try peers.settle()
    #expect(owners.count == 1)
  }

  @Test func `a watch reports each change of a name's owner`() throws {
    let peers = try Peers()
    var owners: [BusName?] = []
    let watch = NameWatch(name, on: peers.client) { owners.append($0) }
    try peers.settle()
    #expect(owners.isEmpty)
    try peers.service.own(name)
    try turning("the first owner is reported") { owners.count == 1 }
    peers.service.release(name)
    try turning("its departure is reported") { owners.count == 2 }
    let other = try peers.connect()
    try other.own(name)
    try turning("the next owner is reported") { owners.count == 3 }
    other.close()
    try turning("the departure of its connection is reported") { owners.count == 4 }
    #expect(owners == [peers.service.uniqueName, nil, other.uniqueName, nil])
    #expect(watch.owner == nil)
  }

  @Test func `a watch reports that another connection has replaced the owner of a name`() throws {
    let peers = try Peers()
    // The second owner replaces the first, which allows it, so the name always has an owner.
    func request(_ flags: UInt32, from connection: Connection) throws {
      let message = Message(callingBus: "RequestName", [.string(name.rawValue), .uint32(flags)])
      #expect(try peers.answer(to: message, from: connection) == [.uint32(1)])
    }
    try request(1, from: peers.service)
    var owners: [BusName?] = []
    NameWatch(name, on: peers.client) { owners.append($0) }.keep()
    try turning("the first is informed") { owners.count == 1 }
    let other = try peers.connect()
    try request(2, from: other)
    try turning("the second is informed") { owners.count == 2 }
    #expect(owners == [peers.service.uniqueName, other.uniqueName])
  }

  @Test func `a released watch reports nothing`() throws {
    let peers = try Peers()
    var owners: [BusName?] = []
    var watch: NameWatch? = NameWatch(name, on: peers.client) { owners.append($0) }
    try peers.settle()
    withExtendedLifetime(watch) {}
    watch = nil
    try peers.service.own(name)
    try peers.settle()
    #expect(owners.isEmpty)
  }

  @Test func `a watch may be released in its own handler`() throws {
    let peers = try Peers()
    var calls = 0
    var watch: NameWatch?
    watch = NameWatch(name, on: peers.client) { _ in
      calls += 1
      watch = nil
    }
    try peers.settle()
    try peers.service.own(name)
    try turning("it is called") { calls == 1 }
    peers.service.release(name)
    try peers.settle()
    #expect(calls == 1 && watch == nil)
  }

  @Test func `the departure of each watched peer is reported`() throws {
    let peers = try Peers()
    let watch = PeerWatch(on: peers.service)
    try peers.settle()
    let others = try (0..<3).map { _ in try peers.connect() }
    var gone: [Int] = []
    for (index, other) in others.enumerated() { watch.whenGone(other.uniqueName) { gone.append(index) } }
    watch.whenGone(peers.client.uniqueName) { Issue.record("this peer is still connected") }
    #expect(watch.count == 4)
    others[1].close()
    try turning("one departure is reported") { gone == [1] }
    watch.forget(others[0].uniqueName)
    others[0].close()
    others[2].close()
    try turning("another departure is reported") { gone == [1, 2] }
    try peers.settle()
    #expect(gone == [1, 2] && watch.count == 1)
  }

  /// dbus-daemon drops the signal about a departing peer if the receiver's queue is full.
  @Test func `a missed departure is found when the watch lists the bus's names`() throws {
    let peers = try Peers()
    let watch = PeerWatch(on: peers.service, listingEvery: .zero)
    var gone: [String] = []
    // The watch treats this peer like one whose departure was not reported.
    watch.whenGone(":1.99999") { gone.append("unheard") }
    watch.whenGone(peers.client.uniqueName) { gone.append("client") }
    try peers.settle()
    #expect(gone.isEmpty)
    watch.reconcileWithBus()
    try turning("the missed departure is reported") { !gone.isEmpty }
    watch.reconcileWithBus()
    try peers.settle()
    #expect(gone == ["unheard"] && watch.count == 1)
  }

  @Test func `a peer that releases a name still counts as connected`() throws {
    let peers = try Peers()
    let watch = PeerWatch(on: peers.service)
    watch.whenGone(peers.client.uniqueName) { Issue.record("this peer is still connected") }
    try peers.client.own(name)
    peers.client.release(name)
    try peers.settle()
    #expect(watch.count == 1)
  }

  @Test func `a forged signal does not report the departure of a peer`() throws {
    let peers = try Peers()
    let outsider = try peers.connect()
    let watch = PeerWatch(on: peers.service)
    watch.whenGone(peers.client.uniqueName) { Issue.record("this peer is still connected") }
    try peers.settle()
    let client = Value.string(peers.client.uniqueName.rawValue)
    outsider.send(
      Message(
        signal: "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
        to: peers.service.uniqueName, [client, client, .string("")]))
    try peers.settle()
    try turning(for: .milliseconds(20), "the forged departure is ignored") { watch.count == 1 }
  }

  /// With a match for each peer the bus would refuse the 513th.
  @Test func `a thousand peers are watched with one match rule`() throws {
    let peers = try Peers()
    let watch = PeerWatch(on: peers.service)
    for number in 0..<1_000 { watch.whenGone(BusName(unchecked: ":9.\(number)")) {} }
    var gone = false
    watch.whenGone(peers.client.uniqueName) { gone = true }
    _ = try peers.answer(to: Message(callingBus: "GetId"), from: peers.service)
    peers.client.close()
    try turning("the departure is reported") { gone }
    #expect(watch.count == 1_000)
  }
}
