// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// What ends, and what is left when it has ended.
@Suite(.serialized) struct LifetimeTests {
  @Test func `a killed client leaves nothing`() throws {
    let machine = try Machine(.system)
    let observer = try machine.consumer()
    #expect(try observer.property("State") == "idle")
    #expect(try machine.geoclue.clients().isEmpty)

    let consumer = try machine.consumer()
    let path = try consumer.subscribeAndStart(["desktop-id": .variant("s", "org.example.Walk")])
    try machine.deliver([.berlin], to: consumer, at: path)
    let listed = try observer.subscriptions()
    #expect(listed.count == 1)
    let entry = try #require(listed.first)
    #expect(entry["Path"] == .variant("o", .string(path)))
    #expect(entry["Sender"] == .variant("s", .string(consumer.client.uniqueName)))
    #expect(entry["UserId"] == .variant("u", .integer(Int64(getuid()))))
    #expect(entry["ProcessId"] == .variant("u", .integer(Int64(consumer.client.processIdentifier))))
    #expect(entry["DesktopId"] == .variant("s", "org.example.Walk"))
    #expect(entry["Level"] == .variant("s", "exact"))
    #expect(entry["Active"] == .variant("b", true))
    #expect(entry["Since"]?.variantType == "(tt)")
    #expect(entry["Delivered"] == .variant("t", 1))
    #expect(entry["Kind"] == .variant("s", "subscription"))
    #expect(entry.keys.count == 10)
    #expect(try observer.property("InUse") == true)
    #expect(try machine.geoclue.clients().count == 1)

    _ = try consumer.begin("GetLocation", ["maximum-age": .variant("u", 0)])
    consumer.client.kill()
    try eventually("its subscription is gone", turn: rest) { try observer.subscriptions().isEmpty }
    try eventually("GeoClue's client is deleted") { try machine.geoclue.clients().isEmpty }
    try eventually("GeoClue does not read any more") { !machine.receiver.isConnected }
    try observer.waitFor("State", "idle")
    try observer.waitFor("InUse", false)
  }

  @Test func `D18: no error reveals the path of an object`() throws {
    let bus = try PrivateBus(.system)
    let daemon = try Daemon(.system, on: bus)
    let client = try ConsumerProgram(on: bus)
    let other = try ConsumerProgram(on: bus).subscribe()
    let (subscription, properties) = ("\(Daemon.name).Subscription", busProperties)
    let calls: [(path: String, interface: String, member: String, arguments: [String])] = [
      (other, subscription, "Close", []), (other, properties, "GetAll", [subscription]),
      ("\(Daemon.path)/subscription/1", subscription, "Start", []), (Daemon.path, Daemon.name, "Nonsense", []),
      (Daemon.path, properties, "Get", [Daemon.name, "Nonsense"]),
      (Daemon.path, properties, "Set", [Daemon.name, "Version"]),
    ]
    for call in calls {
      let answer = try client.client.answer(
        to: client.client.begin(
          call.member, of: call.interface, at: call.path, of: Daemon.name,
          signature: String(repeating: "s", count: call.arguments.count), call.arguments.map { .string($0) }))
      let message = try #require(answer.errorMessage)
      #expect(!message.contains("/"), "\(call.member): \(message)")
    }
    withExtendedLifetime(daemon) {}
  }

  @Test func `one GeoClue client serves all subscriptions`() throws {
    let machine = try Machine(.system)
    let consumers = try (0..<3).map { _ in try machine.consumer() }
    let paths = try consumers.map { try $0.subscribeAndStart() }
    try machine.receiver.write(.berlin)
    for (consumer, path) in zip(consumers, paths) {
      _ = try consumer.locations(1, from: path)
      #expect(consumer.client.received.filter { $0.member == "LocationUpdated" }.map(\.path) == [path])
    }
    #expect(try machine.geoclue.clients().count == 1)
    try consumers[0].tell(paths[0], "Close")
    #expect(try consumers[0].client.waitFor(1, "Closed") == [["by-consumer"]])
    try consumers[1].tell(paths[1], "Stop")
    #expect(try machine.geoclue.clients().count == 1)
    try consumers[2].tell(paths[2], "Stop")
    try eventually("GeoClue's client is deleted") { try machine.geoclue.clients().isEmpty }
    #expect(
      try consumers[0].client.call("Start", of: Daemon.subscription, at: paths[0], of: Daemon.name).errorName
        == "org.freedesktop.DBus.Error.UnknownObject")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a termination signal ends the service in order`(_ signal: Int32) throws {
    let machine = try Machine(.system)
    let consumer = try machine.consumer()
    let started = try consumer.subscribeAndStart()
    let stopped = try consumer.subscribe()
    let pending = try consumer.begin("GetLocation")
    try eventually("GeoClue reads") { machine.receiver.isConnected }
    machine.daemon.signal(signal)
    #expect(try machine.daemon.waitForExit() == .status(0))
    for path in [started, stopped] { try eventually("\(path) is closed") { consumer.closed(path) == "shutdown" } }
    #expect(try consumer.client.answer(to: pending).errorName != nil, "a location out of nothing")
    try eventually("GeoClue has lost its client") { try machine.geoclue.clients().isEmpty }
    #expect(try !hasOwner(Daemon.name, on: machine.bus))
  }

  @Test(arguments: [Daemon.Deployment.system, .session])
  func `the death of the bus ends the service with a failure`(_ deployment: Daemon.Deployment) throws {
    let machine = try Machine(deployment)
    let consumer = try machine.consumer()
    _ = try consumer.subscribeAndStart()
    machine.bus.kill()
    #expect(try machine.daemon.waitForExit(within: .seconds(60)) == .status(1))
    #expect(!machine.daemon.log.isEmpty)
  }

  @Test func `a second instance does not take the name`() throws {
    let machine = try Machine(.system)
    let second = try run([
      Rig.product("geopublicistd"), "--system", "--address", machine.bus.address, "--geoclue-address",
      machine.bus.address,
    ])
    #expect(second.exit == .status(1))
    #expect(second.standardError.contains(Daemon.name))
    #expect(machine.daemon.isRunning)
    #expect(try machine.consumer().property("State") == "idle")
  }

  @Test func `without a bus the service fails at once`() throws {
    let nowhere = TemporaryDirectory().file("bus")
    let failed = try run([Rig.product("geopublicistd"), "--address", "unix:path=\(nowhere)"])
    #expect(failed.exit == .status(1))
    #expect(!failed.standardError.isEmpty)
  }

  @Test func `--version and --help need no bus`() throws {
    let version = try run([Rig.product("geopublicistd"), "--version"])
    #expect(version.succeeded)
    let machine = try Machine(.system)
    let told = try #require(try machine.consumer().property("Version").string)
    #expect(version.standardOutput.contains(told))
    let help = try run([Rig.product("geopublicistd"), "--help"])
    #expect(help.succeeded)
    for option in ["--system", "--session", "--address", "--geoclue-address", "--config", "--verbose", "--version"] {
      #expect(help.standardOutput.contains(option))
    }
    let wrong = try run([Rig.product("geopublicistd"), "--no-such-option"])
    #expect(!wrong.succeeded)
    #expect(wrong.standardError.contains("no-such-option"))
  }
}
