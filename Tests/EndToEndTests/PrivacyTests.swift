// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct PrivacyTests {
  private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"

  @Test(.enabled(if: Rig.isRoot, "needs other users"))
  func `an eavesdropper on the bus sees neither coordinates nor objects of clients`() throws {
    let machine = try ServiceFixture(.system)
    let spy = try BusClient(at: machine.bus.address, as: User.games)
    try spy.match("")
    let client = try machine.client()
    let path = try client.subscribeAndStart()
    let region = try client.regionStarted(ServiceClient.circle(52.516275, -13.377704))
    let almanac = try client.almanacStarted()
    try machine.deliver(walk(3), to: client, at: path)
    try client.waitFor(["determined"], region)
    _ = try client.almanacs(1, from: almanac)
    _ = try client.location()
    try client.connection.set("TimeThreshold", of: Service.subscription, at: path, to: .variant("u", 1))
    for member in ["Stop", "Close"] { for path in [path, region, almanac] { try client.tell(path, member) } }
    try client.waitFor("State", "idle")
    // The bus keeps the order, so no earlier message can arrive later.
    try client.connection.emit("Last", of: "org.example.Test", at: "/org/example/Test")
    _ = try spy.waitFor(1, "Last")

    let owner = try client.connection.askBus("GetNameOwner", signature: "s", [.string(Service.name)])[0].string
    let ours = spy.received.filter { $0.sender == owner }
    #expect(
      ours.contains { $0.member == "PropertiesChanged" && $0.path == Service.path },
      "the eavesdropper receives other signals")
    for signal in spy.received {
      #expect(signal.interface != Service.subscription && signal.interface != Service.region, "\(signal.text)")
      #expect(signal.interface != Service.almanac, "\(signal.text)")
      for secret in ["subscription/", "region/", "almanac/", "Forecast", "52.516", "13.377", "Latitude", "Longitude"] {
        #expect(!signal.text.contains(secret), "\(signal.text)")
      }
    }
  }

  @Test func `a request for a fresh reduced location returns the current cell, without a new measurement`() throws {
    try waitForIntervalOfCountry()
    let machine = try ServiceFixture(.system)
    let client = try machine.client()
    let options: [String: JSON] = ["accuracy": .variant("s", "country")]
    let path = try client.subscribeAndStart(.object(options))
    try machine.receiver.write(.berlin)
    let first = try client.locations(1, from: path)[0]
    let call = options.merging(["maximum-age": .variant("u", 0), "timeout": .variant("u", 5_000)]) { $1 }
    for _ in 0..<2 {
      let answer = try client.location(.object(call)).arguments()[0]
      #expect(answer["Sequence"] == first["Sequence"] && answer["Latitude"] == first["Latitude"])
    }
  }

  @Test(.enabled(if: Rig.isRoot, "needs other users"))
  func `an ordinary user can neither monitor nor eavesdrop`() throws {
    let machine = try ServiceFixture(.system)
    let spy = try BusClient(at: machine.bus.address, as: User.games)
    let bus = "org.freedesktop.DBus"
    for (interface, member, signature, arguments) in [
      ("\(bus).Monitoring", "BecomeMonitor", "asu", [[], 0]), (bus, "AddMatch", "s", ["eavesdrop='true'"]),
      (bus, "RequestName", "su", [.string(Service.name), 2]),
    ] as [(String, String, String, [JSON])] {
      let answer = try spy.call(
        member, of: interface, at: "/org/freedesktop/DBus", of: bus, signature: signature, arguments)
      #expect(answer.errorName != nil, "\(member)")
    }
  }

  @Test(arguments: [(Service.subscription, "Location"), (Service.region, "Latitude")])
  func `an object answers only the client that owns it`(_ name: String, _ property: String) throws {
    let (machine, owner, subscription) = try ServiceFixture.subscribed()
    try machine.deliver([.berlin], to: owner, at: subscription)
    let path =
      name == Service.subscription ? subscription : try owner.regionStarted(ServiceClient.circle(52.5, 13.4))
    let (properties, interface) = (busProperties, JSON.string(name))
    let calls: [(String, String, String, [JSON])] = [
      (name, "Start", "", []), (name, "Stop", "", []), (name, "Close", "", []), (name, "NoSuchMember", "", []),
      (properties, "Get", "ss", [interface, .string(property)]), (properties, "GetAll", "s", [interface]),
      (properties, "Set", "ssv", [interface, "TimeThreshold", .variant("u", 1)]),
      ("org.freedesktop.DBus.Introspectable", "Introspect", "", []),
    ]
    let outsider = try machine.client()
    let missing = path + "999"
    for (interface, member, signature, arguments) in calls {
      let foreign = try outsider.connection.call(member, of: interface, at: path, signature: signature, arguments)
      #expect(foreign.errorName == Self.unknownObject, "\(interface).\(member)")
      // The same error as for a missing object.
      let absent = try outsider.connection.call(member, of: interface, at: missing, signature: signature, arguments)
      #expect(foreign == absent, "\(interface).\(member)")
    }
    // A Ping is answered at every path, as the specification requires.
    for path in [path, missing] {
      #expect(try outsider.connection.reply("Ping", of: "org.freedesktop.DBus.Peer", at: path) == [])
    }
    #expect(try owner.property("Active", of: path) == true)

    let number = path.components(separatedBy: "/").last ?? ""
    let parent = String(path.dropLast(number.count + 1))
    func lists(_ path: String, to client: ServiceClient) throws -> Bool {
      let answer = try client.connection.call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path)
      return try answer.errorName == nil && answer.arguments()[0].string?.contains("<node name=\"\(number)\"") == true
    }
    #expect(try !lists(Service.path, to: outsider))
    #expect(try !lists(parent, to: outsider))
    #expect(try lists(parent, to: owner))
  }

  @Test(.enabled(if: Rig.isRoot, "needs other users"))
  func `ListSubscriptions returns the objects of the caller's user, or all objects to root`() throws {
    let machine = try ServiceFixture(.system)
    let root = try machine.client()
    let games = try machine.client(as: User.games)
    let nobody = try machine.client(as: User.nobody)
    _ = try root.subscribe()
    let ofGames = try games.subscribe()
    #expect(try root.subscriptions().count == 2)
    #expect(try games.subscriptions().map { $0["Path"]?.string } == [ofGames])
    #expect(try nobody.subscriptions().isEmpty)
    let texts = try root.subscriptions().map(\.line).joined()
    #expect(!texts.contains("Latitude"))
  }
}
