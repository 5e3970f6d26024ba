// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct LifetimeTests {
  @Test func `all resources of a killed client are released`() throws {
    let machine = try ServiceFixture(.system)
    let observer = try machine.client()
    #expect(try observer.property("State") == "idle")
    #expect(try machine.geoclue.clients().isEmpty)

    let client = try machine.client()
    let path = try client.subscribeAndStart(["desktop-id": .variant("s", "org.example.Walk")])
    try machine.deliver([.berlin], to: client, at: path)
    let listed = try observer.subscriptions()
    #expect(listed.count == 1)
    let entry = try #require(listed.first)
    #expect(entry["Path"] == .variant("o", .string(path)))
    #expect(entry["Sender"] == .variant("s", .string(client.connection.uniqueName)))
    #expect(entry["UserId"] == .variant("u", .integer(Int64(getuid()))))
    #expect(entry["ProcessId"] == .variant("u", .integer(Int64(client.connection.processIdentifier))))
    #expect(entry["DesktopId"] == .variant("s", "org.example.Walk"))
    #expect(entry["Level"] == .variant("s", "exact"))
    #expect(entry["Active"] == .variant("b", true))
    #expect(entry["Since"]?.variantType == "(tt)")
    #expect(entry["Delivered"] == .variant("t", 1))
    #expect(entry["Kind"] == .variant("s", "subscription"))
    #expect(entry.keys.count == 10)
    #expect(try observer.property("InUse") == true)
    #expect(try machine.geoclue.clients().count == 1)

    _ = try client.begin("GetLocation", ["maximum-age": .variant("u", 0)])
    _ = try client.regionStarted(ServiceClient.circle(52, 13))
    #expect(try observer.subscriptions().count == 2)
    client.connection.kill()
    try eventually("its objects are removed", turn: rest) { try observer.subscriptions().isEmpty }
    try eventually("GeoClue's client is deleted") { try machine.geoclue.clients().isEmpty }
    try eventually("GeoClue no longer reads") { !machine.receiver.isConnected }
    try observer.waitFor("State", "idle")
    try observer.waitFor("InUse", false)
  }

  @Test func `no error message contains the path of an object`() throws {
    let bus = try PrivateBus(.system)
    let service = try Service(.system, on: bus)
    let client = try ServiceClient(on: bus)
    let other = try ServiceClient(on: bus).subscribe()
    let (subscription, properties) = ("\(Service.name).Subscription", busProperties)
    let calls: [(path: String, interface: String, member: String, arguments: [String])] = [
      (other, subscription, "Close", []), (other, properties, "GetAll", [subscription]),
      ("\(Service.path)/subscription/1", subscription, "Start", []), (Service.path, Service.name, "Nonsense", []),
      (Service.path, properties, "Get", [Service.name, "Nonsense"]),
      (Service.path, properties, "Set", [Service.name, "Version"]),
    ]
    for call in calls {
      let answer = try client.connection.answer(
        to: client.connection.begin(
          call.member, of: call.interface, at: call.path, of: Service.name,
          signature: String(repeating: "s", count: call.arguments.count), call.arguments.map { .string($0) }))
      let message = try #require(answer.errorMessage)
      #expect(!message.contains("/"), "\(call.member): \(message)")
    }
    withExtendedLifetime(service) {}
  }

  @Test func `all subscriptions share one GeoClue client`() throws {
    let machine = try ServiceFixture(.system)
    let clients = try (0..<3).map { _ in try machine.client() }
    let paths = try clients.map { try $0.subscribeAndStart() }
    try machine.receiver.write(.berlin)
    for (client, path) in zip(clients, paths) {
      _ = try client.locations(1, from: path)
      #expect(client.connection.received.filter { $0.member == "LocationUpdated" }.map(\.path) == [path])
    }
    #expect(try machine.geoclue.clients().count == 1)
    try clients[0].tell(paths[0], "Close")
    #expect(try clients[0].connection.waitFor(1, "Closed") == [["by-consumer"]])
    try clients[1].tell(paths[1], "Stop")
    #expect(try machine.geoclue.clients().count == 1)
    try clients[2].tell(paths[2], "Stop")
    try eventually("GeoClue's client is deleted") { try machine.geoclue.clients().isEmpty }
    #expect(
      try clients[0].connection.call("Start", of: Service.subscription, at: paths[0], of: Service.name).errorName
        == "org.freedesktop.DBus.Error.UnknownObject")
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `SIGTERM ends the service cleanly`(_ signal: Int32) throws {
    let machine = try ServiceFixture(.system)
    let client = try machine.client()
    let started = try client.subscribeAndStart()
    let stopped = try client.subscribe()
    let pending = try client.begin("GetLocation")
    try eventually("GeoClue reads") { machine.receiver.isConnected }
    machine.service.signal(signal)
    #expect(try machine.service.waitForExit() == .status(0))
    for path in [started, stopped] { try eventually("\(path) is closed") { client.closed(path) == "shutdown" } }
    #expect(try client.connection.answer(to: pending).errorName != nil, "an error was expected")
    try eventually("GeoClue has lost its client") { try machine.geoclue.clients().isEmpty }
    #expect(try !hasOwner(Service.name, on: machine.bus))
  }

  @Test(arguments: [Service.Deployment.system, .session])
  func `the service exits with a failure when the bus ends`(_ deployment: Service.Deployment) throws {
    let machine = try ServiceFixture(deployment)
    let client = try machine.client()
    _ = try client.subscribeAndStart()
    machine.bus.kill()
    #expect(try machine.service.waitForExit(within: .seconds(60)) == .status(1))
    #expect(!machine.service.log.isEmpty)
  }

  @Test func `a second service on the same bus exits with an error`() throws {
    let machine = try ServiceFixture(.system)
    let second = try run([
      Rig.product("geopublicistd"), "--system", "--address", machine.bus.address, "--geoclue-address",
      machine.bus.address,
    ])
    #expect(second.exit == .status(1))
    #expect(second.standardError.contains(Service.name))
    #expect(machine.service.isRunning)
    #expect(try machine.client().property("State") == "idle")
  }

  @Test func `without a bus the service exits with an error`() throws {
    let nowhere = TemporaryDirectory().file("bus")
    let failed = try run([Rig.product("geopublicistd"), "--address", "unix:path=\(nowhere)"])
    #expect(failed.exit == .status(1))
    #expect(!failed.standardError.isEmpty)
  }

  @Test func `--version and --help need no bus`() throws {
    let version = try run([Rig.product("geopublicistd"), "--version"])
    #expect(version.succeeded)
    let machine = try ServiceFixture(.system)
    let told = try #require(try machine.client().property("Version").string)
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

@Suite(.serialized) struct IdleExitTests {
  private let bus: PrivateBus
  private let directory = TemporaryDirectory()

  init() throws { bus = try PrivateBus(.system) }

  @Test func `the service exits when idle and continues to run while in use`() throws {
    let client = try ServiceClient(on: bus)
    let service = try service()
    let path = try client.subscribe()
    try exitWhenIdle(service, "0.3")
    try always("it remains for a subscription", for: .seconds(1)) { service.isRunning }
    try client.tell(path, "Close")
    #expect(try service.waitForExit() == .status(0))
  }

  @Test func `an idle timeout does not end the service while a call is pending`() throws {
    let geoclue = try FakeGeoClue(on: bus)
    try geoclue.tell(["fix": .null])
    let client = try ServiceClient(on: bus)
    let service = try service()
    let call = try client.begin("GetLocation", ["timeout": .variant("u", 120_000)])
    try eventually("GeoClue is asked") { try !geoclue.clients().isEmpty }
    try exitWhenIdle(service, "0.3")
    try always("it remains for a call", for: .seconds(1)) { service.isRunning }
    try geoclue.fix(latitude: 52)
    #expect(try client.connection.answer(to: call).errorName == nil)
    // The service continues to run, so that it keeps its cells.
    withExtendedLifetime(service) {}
  }

  @Test func `without a runtime directory the service does not exit before its cells may change`() throws {
    try waitForIntervalOfCountry()
    let geoclue = try FakeGeoClue(on: bus)
    let client = try ServiceClient(on: bus)
    let service = try service()
    try geoclue.fix(latitude: 52)
    _ = try client.location(["accuracy": .variant("s", "country")]).arguments()
    try exitWhenIdle(service, "0.5")
    try always("it remains", for: .seconds(2)) { service.isRunning }
  }

  @Test func `a restarted service still reports the cell that it published before`() throws {
    try waitForIntervalOfCountry()
    let geoclue = try FakeGeoClue(on: bus)
    let client = try ServiceClient(on: bus)
    try geoclue.fix(latitude: 52)
    var told: [JSON?] = []
    for latitude in [52.0, 48.0] {
      let service = try service(environment: ["RUNTIME_DIRECTORY": directory.path])
      try geoclue.fix(latitude: latitude)
      let options: JSON = ["accuracy": .variant("s", "country"), "maximum-age": .variant("u", 0)]
      let location = try client.location(options).arguments()[0]
      told += location.keys.filter { $0 != "Age" }.map { location[$0] }
      try exitWhenIdle(service, "0.1")
      #expect(try service.waitForExit() == .status(0))
    }
    #expect(!told.isEmpty && told.prefix(told.count / 2) == told.suffix(told.count / 2))
    let mode = try FileManager.default.attributesOfItem(atPath: "\(directory.path)/cells")[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a service that replays a track does not exit while idle`() throws {
    let track = directory.file("track.nmea")
    try GGASentence.berlin.text.write(toFile: track, atomically: true, encoding: .utf8)
    let session = try PrivateBus(.session)
    let options = ["--config", try configuration(idle: "0.3"), "--replay", track]
    let service = try Service(.session, on: session, options: options)
    let client = try ServiceClient(on: session)
    let path = try client.subscribeAndStart()
    _ = try client.locations(1, from: path)
    try client.tell(path, "Close")
    try always("it remains", for: .seconds(1)) { service.isRunning }
    #expect(try client.property("StateReason") == "")
    #expect(try client.location().arguments()[0]["Simulated"] == .variant("b", true))
  }

  @Test func `with an idle timeout of zero, the service never exits when idle`() throws {
    let service = try service()
    try always("it remains", for: .seconds(1)) { service.isRunning }
  }

  @Test func `no call is lost when the service exits because it is idle`() throws {
    let result = try run(
      [Rig.python, Rig.file("activation-race.py"), Rig.product("geopublicistd"), "150"], within: .seconds(120))
    let report = try #require(JSON(line: result.standardOutput), "\(result.standardError)")
    #expect(report["answered"] == 150)
    #expect(try #require(report["processes"]?.integer) > 20, "there was a race")
  }

  /// Starts a service that does not exit before the test permits it, because the first call may be late.
  private func service(environment: [String: String] = [:]) throws -> Service {
    let options = ["--config", try configuration(idle: "0")]
    return try Service(.system, on: bus, options: options, environment: environment)
  }

  private func exitWhenIdle(_ service: Service, _ seconds: String) throws {
    _ = try configuration(idle: seconds)
    service.signal(SIGHUP)
    try eventually("the configuration is reloaded") { service.log.contains("The configuration was reloaded") }
  }

  private func configuration(idle: String) throws -> String {
    let file = directory.file("service.conf")
    try "[Service]\nidle-timeout=\(idle)\n".write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }
}
