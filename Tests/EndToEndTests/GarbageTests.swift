// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Malformed calls are answered with the documented errors, and the service keeps running.
///
/// On a session bus, because the rules of the system bus block some of these calls.
@Suite(.serialized) struct GarbageTests {
  private struct Call {
    var path = Service.path
    var interface: String? = Service.name
    var member: String
    var signature = ""
    var arguments: [JSON] = []
    var error: String
  }

  private static let invalidArgs = "org.freedesktop.DBus.Error.InvalidArgs"
  private static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
  private static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
  private static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
  private static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
  private static let readOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
  private static let invalidOption = "\(Service.name).Error.InvalidOption"

  private func expectErrors(_ calls: [Call], of machine: ServiceFixture, as client: ServiceClient) throws {
    for call in calls {
      let answer = try client.connection.call(
        call.member, of: call.interface, at: call.path, signature: call.signature, call.arguments)
      let said = "\(call.path) \(call.interface ?? "-").\(call.member)(\(call.signature)): \(answer)"
      #expect(answer.errorName == call.error, "\(said.prefix(400))")
      #expect(answer.errorMessage?.isEmpty == false, "\(said.prefix(400))")
      #expect(machine.service.isRunning, "\(said.prefix(400))")
    }
    #expect(try client.connection.reply("Ping", of: "org.freedesktop.DBus.Peer", at: Service.path) == [])
    #expect(try client.property("State") == "idle")
  }

  @Test func `calls to unknown members are refused`() throws {
    let machine = try ServiceFixture(.session)
    try expectErrors(
      [
        Call(member: "GetLocation", error: Self.invalidArgs),
        Call(member: "GetLocation", signature: "s", arguments: ["x"], error: Self.invalidArgs),
        Call(member: "GetLocation", signature: "a{ss}", arguments: [["a": "b"]], error: Self.invalidArgs),
        Call(member: "GetLocation", signature: "a{sv}a{sv}", arguments: [[:], [:]], error: Self.invalidArgs),
        Call(member: "CreateSubscription", signature: "v", arguments: [.variant("s", "x")], error: Self.invalidArgs),
        Call(member: "ListSubscriptions", signature: "s", arguments: ["x"], error: Self.invalidArgs),
        Call(member: "NoSuchMember", error: Self.unknownMethod),
        Call(member: "Start", error: Self.unknownMethod),
        Call(interface: nil, member: "NoSuchMember", error: Self.unknownMethod),
        Call(interface: "org.example.None", member: "GetLocation", error: Self.unknownInterface),
        Call(interface: Service.subscription, member: "Start", error: Self.unknownInterface),
        Call(path: "/", member: "GetLocation", error: Self.unknownInterface),
        Call(path: "/foreign/path", member: "GetLocation", error: Self.unknownObject),
        Call(path: "/org/geopublicist/Location1/none", member: "GetLocation", error: Self.unknownObject),
        Call(
          path: "/org/geopublicist/Location1/subscription/99", interface: Service.subscription, member: "Start",
          error: Self.unknownObject),
      ], of: machine, as: try machine.client())
  }

  @Test func `unknown properties are refused`() throws {
    let machine = try ServiceFixture(.session)
    let client = try machine.client()
    let manager = JSON.string(Service.name)
    var calls = [
      Call(member: "Get", signature: "ss", arguments: [manager, "None"], error: Self.unknownProperty),
      Call(member: "Get", signature: "ss", arguments: ["org.example.None", "State"], error: Self.unknownInterface),
      Call(member: "Get", signature: "ss", arguments: ["", "State"], error: Self.unknownInterface),
      Call(member: "Get", signature: "s", arguments: [manager], error: Self.invalidArgs),
      Call(member: "GetAll", signature: "s", arguments: ["org.example.None"], error: Self.unknownInterface),
      Call(member: "GetAll", signature: "s", arguments: [""], error: Self.unknownInterface),
      Call(member: "GetAll", error: Self.invalidArgs),
      Call(member: "Set", signature: "ssv", arguments: [manager, "State", .variant("s", "x")], error: Self.readOnly),
      Call(
        member: "Set", signature: "ssv", arguments: [manager, "None", .variant("s", "x")], error: Self.unknownProperty),
      Call(member: "Set", signature: "sss", arguments: [manager, "State", "x"], error: Self.invalidArgs),
    ]
    let path = try client.subscribe()
    let subscription = JSON.string(Service.subscription)
    for (name, value, error) in [
      ("Active", .variant("b", true), Self.readOnly), ("Location", .variant("a{sv}", [:]), Self.readOnly),
      ("Accuracy", .variant("u", 8), Self.invalidArgs), ("Accuracy", .variant("s", "roughly"), Self.invalidOption),
      ("DistanceThreshold", .variant("s", "5"), Self.invalidArgs),
      ("DistanceThreshold", .variant("d", -1.0), Self.invalidOption),
      ("DistanceThreshold", .variant("d", "nan"), Self.invalidOption),
      ("DistanceThreshold", .variant("d", "inf"), Self.invalidOption),
      ("TimeThreshold", .variant("d", 1.0), Self.invalidArgs),
    ] as [(String, JSON, String)] {
      calls.append(
        Call(
          path: path, member: "Set", signature: "ssv", arguments: [subscription, .string(name), value], error: error))
    }
    for index in calls.indices { calls[index].interface = busProperties }
    try expectErrors(calls, of: machine, as: client)
  }

  @Test func `invalid options are refused`() throws {
    let machine = try ServiceFixture(.session)
    let tooMany = Dictionary(uniqueKeysWithValues: (0..<33).map { ("k\($0)", JSON.variant("u", 1)) })
    let everywhere: [JSON] = [
      ["unknown": .variant("u", 1)], ["accuracy": .variant("u", 8)], ["accuracy": .variant("s", "roughly")],
      ["desktop-id": .variant("s", .string(String(repeating: "x", count: 256)))], .object(tooMany),
    ]
    // `OptionsTests` covers each kind of wrong value.
    let ofGetLocation: [JSON] = [["timeout": .variant("u", 120_001)], ["distance-threshold": .variant("d", 1.0)]]
    let ofCreateSubscription: [JSON] = [["distance-threshold": .variant("d", "nan")], ["timeout": .variant("u", 1000)]]
    var calls: [Call] = []
    for (member, options) in [
      ("GetLocation", everywhere + ofGetLocation), ("CreateSubscription", everywhere + ofCreateSubscription),
      ("RequestAuthorization", everywhere),
    ] {
      calls += options.map { Call(member: member, signature: "a{sv}", arguments: [$0], error: Self.invalidOption) }
    }
    let client = try machine.client()
    try expectErrors(calls, of: machine, as: client)
    #expect(try client.subscriptions().isEmpty)
  }

  @Test(arguments: [Service.Deployment.system, .session])
  func `a message beyond the size limit is refused with the limit's name`(_ deployment: Service.Deployment) throws {
    let machine = try ServiceFixture(deployment)
    let client = try machine.client()
    let huge = JSON.string(String(repeating: "x", count: 70_000))
    for (member, signature, arguments) in [
      ("GetLocation", "a{sv}", [["desktop-id": .variant("s", huge)]]), ("GetLocation", "s", [huge]),
      ("NoSuchMember", "s", [huge]),
    ] as [(String, String, [JSON])] {
      let answer = try client.call(member, signature: signature, arguments)
      #expect(answer.errorName == "\(Service.name).Error.LimitsExceeded")
      #expect(answer.errorMessage?.contains("message-bytes") == true)
    }
    #expect(try client.property("State") == "idle")
    #expect(machine.service.isRunning)
  }

  @Test func `messages that the service has not requested are ignored`() throws {
    let machine = try ServiceFixture(.session)
    let client = try machine.client()
    for (signature, arguments) in [
      ("", []), ("s", ["x"]), ("a{sv}", [["x": .variant("d", "nan")]]), ("oo", ["/", "/"]), ("sss", ["", "", ""]),
    ] as [(String, [JSON])] {
      for (interface, member) in [
        (Service.subscription, "LocationUpdated"), ("\(geoClueName).Client", "LocationUpdated"),
        (busProperties, "PropertiesChanged"), ("org.freedesktop.DBus", "NameOwnerChanged"),
        ("org.example.None", "Nothing"),
      ] {
        try client.connection.emit(
          member, of: interface, at: Service.path, to: Service.name, signature: signature, arguments)
      }
    }
    #expect(try client.property("State") == "idle")
    #expect(machine.service.isRunning)
  }
}

/// The service survives malformed input from root and from other users without restarting.
@Suite(.serialized) struct BusFuzzingTests {
  /// Every attack of Tests/Fuzz/Bus in one place; `Tools/fuzz.sh bus` runs them for longer.
  private func fuzz(_ place: String) throws {
    let result = try run(
      [
        Rig.python, Rig.sourceFile("Tests/Fuzz/Bus/fuzz.py"), Rig.product("geopublicistd"),
        PrivateBus.Broker.chosen.rawValue, "1", place,
      ],
      within: .seconds(300))
    #expect(result.succeeded, "\(result.standardOutput)\n\(result.standardError)")
  }

  @Test func `the service survives malformed messages on a system bus`() throws { try fuzz("system") }

  @Test func `the service survives malformed messages while other programs impersonate system services`() throws {
    try fuzz("impostors")
  }

  /// Regression: dbus-broker forwards headers at which libdbus disconnects. The service exited, or returned without its
  /// subscriptions.
  @Test func `clients do not notice if the bus disconnects the service and the service returns`() throws {
    let machine = try SimulatedFixture()
    let (bus, service, client) = (machine.bus, machine.service, machine.client)
    let path = try client.subscribeAndStart()
    let region = try client.regionStarted(ServiceClient.circle(50, 13))
    try machine.expectAFix(at: path, latitude: 50)
    try client.waitFor(["determined"], region)
    let leaving = try ServiceClient(on: bus)
    _ = try leaving.subscribeAndStart()
    for round in 1...3 {
      let attack = try run(
        [Rig.python, Rig.sourceFile("Tests/Fuzz/Bus/attack.py"), bus.address, Service.name, "0", "1", "headers"],
        within: .seconds(120))
      #expect(attack.succeeded, "\(attack.standardOutput)\n\(attack.standardError)")
      try eventually("it answers", turn: rest) { (try? client.property("State")) == "running" }
      try machine.measure(50 + Double(round), until: path)
      if round == 2 { leaving.connection.kill() }
    }
    #expect(service.isRunning)
    try eventually("departed clients are removed", turn: rest) { try client.subscriptions().count == 2 }
    #expect(try client.subscriptions().map { $0["Path"]?.content.string } == [path, region])
    try client.waitFor(["determined", "exited"], region)
    #expect(client.connection.received("Closed").isEmpty)
    #expect(client.connection.received("AuthorizationChanged").allSatisfy { $0.first == "authorized-always" })
    if PrivateBus.Broker.chosen == .dbusBroker { #expect(service.log.contains("the service is available again as")) }
    service.signal(SIGTERM)
    #expect(try service.waitForExit() == .status(0))
  }
}
