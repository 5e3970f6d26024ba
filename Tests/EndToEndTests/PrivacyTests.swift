// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct PrivacyTests {
  private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"

  @Test(.enabled(if: Rig.isRoot, "acts as other users"))
  func `an eavesdropper sees no coordinate, and no object of a client`() throws {
    let machine = try Machine(.system)
    let spy = try BusClient(at: machine.bus.address, as: User.games)
    try spy.match("")
    let consumer = try machine.consumer()
    let path = try consumer.subscribeAndStart()
    let region = try consumer.regionStarted(ConsumerProgram.circle(52.516275, -13.377704))
    let almanac = try consumer.almanacStarted()
    try machine.deliver(walk(3), to: consumer, at: path)
    try consumer.waitFor(["determined"], region)
    _ = try consumer.almanacs(1, from: almanac)
    _ = try consumer.location()
    try consumer.client.set("TimeThreshold", of: Service.subscription, at: path, to: .variant("u", 1))
    for member in ["Stop", "Close"] { for path in [path, region, almanac] { try consumer.tell(path, member) } }
    try consumer.waitFor("State", "idle")
    // The bus keeps the order: what comes after this was sent before it.
    try consumer.client.emit("Last", of: "org.example.Test", at: "/org/example/Test")
    _ = try spy.waitFor(1, "Last")

    let owner = try consumer.client.askBus("GetNameOwner", signature: "s", [.string(Service.name)])[0].string
    let ours = spy.received.filter { $0.sender == owner }
    #expect(ours.contains { $0.member == "PropertiesChanged" && $0.path == Service.path }, "the spy does listen")
    for signal in spy.received {
      #expect(signal.interface != Service.subscription && signal.interface != Service.region, "\(signal.text)")
      #expect(signal.interface != Service.almanac, "\(signal.text)")
      for secret in ["subscription/", "region/", "almanac/", "Forecast", "52.516", "13.377", "Latitude", "Longitude"] {
        #expect(!signal.text.contains(secret), "\(signal.text)")
      }
    }
  }

  @Test func `a request for a new reduced location is answered with the cell, without a new measurement`() throws {
    let machine = try Machine(.system)
    let consumer = try machine.consumer()
    let options: [String: JSON] = ["accuracy": .variant("s", "country")]
    let path = try consumer.subscribeAndStart(.object(options))
    try machine.receiver.write(.berlin)
    let first = try consumer.locations(1, from: path)[0]
    let call = options.merging(["maximum-age": .variant("u", 0), "timeout": .variant("u", 5_000)]) { $1 }
    for _ in 0..<2 {
      let answer = try consumer.location(.object(call)).arguments()[0]
      #expect(answer["Sequence"] == first["Sequence"] && answer["Latitude"] == first["Latitude"])
    }
  }

  @Test(.enabled(if: Rig.isRoot, "acts as other users"))
  func `an ordinary user can neither monitor nor eavesdrop`() throws {
    let machine = try Machine(.system)
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
  func `an object answers its owner only`(_ name: String, _ property: String) throws {
    let (machine, owner, subscription) = try Machine.subscribed()
    try machine.deliver([.berlin], to: owner, at: subscription)
    let path =
      name == Service.subscription ? subscription : try owner.regionStarted(ConsumerProgram.circle(52.5, 13.4))
    let (properties, interface) = (busProperties, JSON.string(name))
    let calls: [(String, String, String, [JSON])] = [
      (name, "Start", "", []), (name, "Stop", "", []), (name, "Close", "", []), (name, "NoSuchMember", "", []),
      (properties, "Get", "ss", [interface, .string(property)]), (properties, "GetAll", "s", [interface]),
      (properties, "Set", "ssv", [interface, "TimeThreshold", .variant("u", 1)]),
      ("org.freedesktop.DBus.Introspectable", "Introspect", "", []),
    ]
    let stranger = try machine.consumer()
    let missing = path + "999"
    for (interface, member, signature, arguments) in calls {
      let foreign = try stranger.client.call(member, of: interface, at: path, signature: signature, arguments)
      #expect(foreign.errorName == Self.unknownObject, "\(interface).\(member)")
      // Word for word as if it did not exist.
      let absent = try stranger.client.call(member, of: interface, at: missing, signature: signature, arguments)
      #expect(foreign == absent, "\(interface).\(member)")
    }
    // A Ping is answered at every path, as the specification wants it.
    for path in [path, missing] {
      #expect(try stranger.client.reply("Ping", of: "org.freedesktop.DBus.Peer", at: path) == [])
    }
    #expect(try owner.property("Active", of: path) == true)

    let number = path.components(separatedBy: "/").last ?? ""
    let parent = String(path.dropLast(number.count + 1))
    func lists(_ path: String, to consumer: ConsumerProgram) throws -> Bool {
      let answer = try consumer.client.call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path)
      return try answer.errorName == nil && answer.arguments()[0].string?.contains("<node name=\"\(number)\"") == true
    }
    #expect(try !lists(Service.path, to: stranger))
    #expect(try !lists(parent, to: stranger))
    #expect(try lists(parent, to: owner))
  }

  @Test(.enabled(if: Rig.isRoot, "acts as other users"))
  func `the list shows the caller's user, or everything to root`() throws {
    let machine = try Machine(.system)
    let root = try machine.consumer()
    let games = try machine.consumer(as: User.games)
    let nobody = try machine.consumer(as: User.nobody)
    _ = try root.subscribe()
    let ofGames = try games.subscribe()
    #expect(try root.subscriptions().count == 2)
    #expect(try games.subscriptions().map { $0["Path"]?.string } == [ofGames])
    #expect(try nobody.subscriptions().isEmpty)
    let texts = try root.subscriptions().map(\.line).joined()
    #expect(!texts.contains("Latitude"))
  }

  @Test func `the journal contains no coordinate`() throws {
    let (machine, consumer, path) = try Machine.subscribed()
    try machine.deliver(walk(3), to: consumer, at: path)
    machine.service.signal(SIGTERM)
    #expect(try machine.service.waitForExit() == .status(0))
    #expect(machine.service.log.contains("A location arrives"))
    // That many digits that no time of day in the log looks like one.
    #expect(!machine.service.log.contains("52.5162"))
    #expect(!machine.service.log.contains("13.3777"))
  }
}
