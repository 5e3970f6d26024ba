// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The last city of each user, across restarts of the service.
@Suite(.serialized) final class RememberedTests {
  private let bus: PrivateBus
  private let geoclue: FakeGeoClue
  private let state = TemporaryDirectory()

  init() throws {
    bus = try PrivateBus(.system)
    geoclue = try FakeGeoClue(on: bus)
  }

  private func start(_ options: [String] = []) throws -> Service {
    try Service(.system, on: bus, options: options, environment: ["STATE_DIRECTORY": state.path])
  }

  private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: state.path)) ?? [] }

  private func get(
    _ member: String, _ client: ServiceClient, age: UInt32 = .max, timeout: Int64 = 300, _ level: String? = nil
  ) throws -> BusClient.Answer {
    var options = ["timeout": JSON.variant("u", .integer(timeout)), "maximum-age": .variant("u", .integer(Int64(age)))]
    if let level { options["accuracy"] = .variant("s", .string(level)) }
    return try client.call(member, signature: "a{sv}", [.object(options)])
  }

  /// Has a client receive an almanac, then ends the service and the source.
  private func remember() throws {
    let service = try start()
    let client = try ServiceClient(on: bus)
    try geoclue.fix(latitude: 52.5163, longitude: 13.3777)
    _ = try client.almanacs(1, from: client.almanacStarted())
    try geoclue.tell(["fix": .null])
    service.signal(SIGTERM)
    _ = try service.waitForExit()
  }

  @Test func `without a source, a restarted service returns the user's last city before the timeout`() throws {
    try remember()
    #expect(files == ["\(getuid())"])
    let path = state.file("\(getuid())")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("city 52.46606") && !text.contains("52.5163") && !text.contains("13.37"), "\(text)")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

    let service = try start()
    let client = try ServiceClient(on: bus)
    _ = try client.property("AuthorizationStatus")
    // The answer came long before the timeout, so the call did not wait for the source.
    let almanac = try get("GetAlmanac", client, timeout: 120_000).arguments()[0]
    #expect(almanac["TimeZone"]?.content == "Europe/Berlin" && almanac["Remembered"] == .variant("b", true))
    let location = try get("GetLocation", client, "city").arguments()[0]
    #expect(location["Remembered"] == .variant("b", true) && location["Sequence"]?.content == 0)
    #expect(location["MonotonicUSec"]?.content == 0 && location["Level"]?.content == "city")
    #expect((location["Age"]?.content.integer ?? -1) >= 0)
    #expect(try get("GetLocation", client, "exact").errorName == "\(Service.name).Error.Timeout")
    #expect(try get("GetAlmanac", client, age: 0).errorName == "\(Service.name).Error.Timeout")
    let path2 = try client.almanacStarted()
    #expect(try client.almanacs(1, from: path2)[0]["Remembered"] == .variant("b", true))
    let subscription = try client.subscribeAndStart(["accuracy": .variant("s", "city")])
    try always("no subscription receives it", for: .milliseconds(500)) { client.locations(from: subscription).isEmpty }
    // The call still waits for the source, whose location it returns.
    try geoclue.fix(latitude: 48.2, longitude: 16.37)
    let next = try client.almanacs(2, from: path2)[1]
    #expect(next["TimeZone"]?.content == "Europe/Vienna" && next["Remembered"] == nil)
    #expect(service.isRunning)
  }

  @Test(.enabled(if: Rig.isRoot, "needs another user"))
  func `no other user receives a user's remembered city`() throws {
    try remember()
    let service = try start()
    _ = try get("GetAlmanac", ServiceClient(on: bus)).arguments()
    let other = try ServiceClient(on: bus, as: User.games)
    #expect(try get("GetAlmanac", other).errorName != nil)
    #expect(try get("GetLocation", other, "country").errorName != nil)
    #expect(files == ["\(getuid())"] && service.isRunning)
  }

  @Test func `records of removed users and of service users are erased when the service starts`() throws {
    try remember()
    let own = "\(getuid())"
    let outsiders = ["61184", "65519", "3999999999"]
    for user in outsiders {
      try FileManager.default.copyItem(atPath: state.file(own), toPath: state.file(user))
    }
    let service = try start()
    #expect(files == [own] && service.isRunning)
  }

  @Test func `--forget also erases the cities in the memory of a running service`() throws {
    try remember()
    let service = try start()
    let client = try ServiceClient(on: bus)
    _ = try get("GetAlmanac", client).arguments()
    let forget = { [state] in
      try ChildProcess([Rig.product("geopublicistd"), "--forget"], environment: ["STATE_DIRECTORY": state.path])
    }
    #expect(try forget().waitForExit() == .status(0))
    try eventually("the city is forgotten", turn: rest) {
      try get("GetAlmanac", client).errorName != nil
    }
    // The next one is not written yet.
    try geoclue.fix(latitude: 52.5163, longitude: 13.3777)
    _ = try client.almanacs(1, from: client.almanacStarted())
    #expect(try forget().waitForExit() == .status(0))
    try eventually("the service has been informed", turn: rest) { files.isEmpty }
    service.signal(SIGTERM)
    _ = try service.waitForExit()
    #expect(files.isEmpty)
  }

  @Test func `remember=false erases all records and prevents new ones`() throws {
    try remember()
    let file = state.file("../\(UUID().uuidString).conf")
    try "[Service]\nidle-timeout=0\nremember=false\n".write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    let service = try start(["--config", file])
    #expect(files.isEmpty)
    try geoclue.fix(latitude: 52.5163, longitude: 13.3777)
    let client = try ServiceClient(on: bus)
    _ = try client.almanacs(1, from: client.almanacStarted())
    #expect(files.isEmpty && service.isRunning)
  }
}

@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users and separate control groups"))
struct ForgottenTests {
  @Test func `the user's city is erased before the user's program is informed that location is off`() throws {
    let listening = try Listening()
    let (machine, client) = (listening.machine, listening.client)
    #expect(machine.remembered.isEmpty, "nothing of an exact location is stored")
    let almanac = try client.almanacStarted()
    _ = try client.almanacs(1, from: almanac)
    try eventually("the city is kept") { machine.remembered == ["\(GatekeeperFixture.user)"] }
    try listening.agent.setLevel(0)
    try client.waitForAuthorization("denied disabled-by-user", of: almanac)
    #expect(machine.remembered.isEmpty)
    #expect(try client.property("Almanac", of: almanac) == [:])
    try always("nothing is written again", for: .milliseconds(300), turn: rest) { machine.remembered.isEmpty }
  }

  /// The id belongs to a container, and may belong to another one tomorrow.
  @Test func `no city is recorded for a subordinate user`() throws {
    let machine = try GatekeeperFixture(.yes)
    let almanacs = try [100_000, GatekeeperFixture.user].map { user in
      try machine.agent(of: user)
      let client = try machine.client(as: user)
      return (client, try client.almanacStarted())
    }
    try machine.receiver.write(.berlin)
    for (client, almanac) in almanacs { _ = try client.almanacs(1, from: almanac) }
    try eventually("the user's city is kept") { machine.remembered == ["\(GatekeeperFixture.user)"] }
  }
}
