// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The doctor finds each fault, with the real programs wherever these can be made to fail.
@Suite(.serialized) struct DoctorTests {
  private let directory = TemporaryDirectory()

  /// Runs the doctor, and returns the problems that it finds, by subject.
  private func problems(
    on bus: PrivateBus, session: PrivateBus? = nil, as user: uid_t? = nil, settings: String = "[agent]\n"
  ) throws -> [String: String] {
    try settings.write(toFile: directory.file("geoclue.conf"), atomically: true, encoding: .utf8)
    var environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
    environment["DBUS_SESSION_BUS_ADDRESS"] = session?.address
    let result = try run(
      [
        Rig.product("geopublicist"), session == nil ? "--system" : "--session", "doctor", "--json", "--geoclue-config",
        directory.path,
      ], environment: environment, as: user, within: .seconds(60))
    let lines = JSON.lines(result.standardOutput)
    let found = lines.filter { $0["Outcome"] == "problem" }
    #expect(result.exit == .status(found.isEmpty ? 0 : 1), "\(result.standardError)")
    #expect(found.allSatisfy { $0["Remedy"]?.string?.isEmpty == false })
    #expect(lines.allSatisfy { line in line["Id"]?.string?.hasPrefix("\(line["Subject"]?.string ?? "?")-") == true })
    return Dictionary(
      found.map { ($0["Subject"]?.string ?? "", $0["Finding"]?.string ?? "") }, uniquingKeysWith: { first, _ in first })
  }

  private func silentOwner(of name: String, on bus: PrivateBus) throws -> BusClient {
    let owner = try BusClient(at: bus.address)
    try owner.own(name)
    owner.suspend(true)
    return owner
  }

  @Test(.enabled(if: Rig.isRoot, "root needs neither polkit nor a session"))
  func `doctor finds no problem while fixes arrive`() throws {
    let machine = try CommandFixture()
    let agent = try DesktopAgent(at: machine.bus.address)
    defer { agent.kill() }
    let watch = try machine.started(["watch"])
    try machine.measure(52, for: watch)
    #expect(try problems(on: machine.bus) == [:])
  }

  /// The second program receives the signals that the doctor listens for: none from GeoClue 2.8.1 on.
  @Test func `doctor warns of coordinates that GeoClue broadcasts`() throws {
    let machine = try CommandFixture()
    let agent = try DesktopAgent(at: machine.bus.address)
    defer { agent.kill() }
    let spy = try BusClient(at: machine.bus.address)
    try spy.match("type='signal',member='PropertiesChanged',arg0='\(geoClueName).Location'")
    let other = try BusClient(at: machine.bus.address)
    _ = try other.startGeoClueClient(distance: 100_000).answer.arguments()
    let doctor = try machine.started(["doctor", "--json", "--geoclue-config", directory.path])
    var fixes = 0
    try eventually("the doctor ends", within: .seconds(30), turn: rest) {
      fixes += 1
      try machine.measure(52 + Double(fixes % 2) / 1_000)
      return doctor.exited != nil
    }
    let hint = JSON.lines(doctor.standardOutput).first { $0["Id"] == "privacy-broadcast" }
    if let hint {
      #expect(hint["Outcome"] == "hint")
      _ = try spy.waitFor(1, "PropertiesChanged")
    } else {
      #expect(spy.received("PropertiesChanged").isEmpty)
    }
  }

  @Test func `doctor fails if the configuration folder does not exist`() throws {
    let result = try run([Rig.product("geopublicist"), "doctor", "--geoclue-config=/nonexistent"])
    #expect(result.exit == .status(2) && result.standardError.contains("There is no folder /nonexistent"))
    #expect(result.standardOutput.isEmpty)
  }

  @Test func `doctor reports a missing bus`() throws {
    let bus = try PrivateBus(.system)
    bus.kill()
    #expect(try problems(on: bus)["bus"]?.contains("comes from DBUS_SYSTEM_BUS_ADDRESS") == true)
  }

  @Test(.enabled(if: Rig.isRoot, "needs other users")) func `doctor reports a polkit that does not answer`()
    throws
  {
    let bus = try PrivateBus(.session)
    let polkit = try silentOwner(of: "org.freedesktop.PolicyKit1", on: bus)
    #expect(try problems(on: bus, as: 65534)["polkit"]?.contains("does not answer") == true)
    polkit.kill()
  }

  @Test func `doctor reports two agents with different levels`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let agents = [try DesktopAgent(at: bus.address, level: 8), try DesktopAgent(at: bus.address, level: 4)]
    let found = try problems(on: bus)
    #expect(found["agents"]?.contains("2 location agents") == true, "\(found)")
    for agent in agents { agent.kill() }
    #expect(geoclue.isRunning)
  }

  @Test(.enabled(if: Rig.isRoot, "must mount settings for the service"))
  func `doctor reports a mistake in the service's configuration`() throws {
    let folder = directory.freshFile("etc")
    try FileManager.default.createDirectory(atPath: "\(folder)/geopublicist", withIntermediateDirectories: true)
    try "[Service]\nidle-timeout=soon\n".write(
      toFile: "\(folder)/geopublicist/geopublicist.conf", atomically: true, encoding: .utf8)
    let bus = try PrivateBus(.system)
    let script = "mount -t overlay none -o \"lowerdir=$1:/etc\" /etc; exec \"$2\" doctor --json"
    let doctor = try run(
      ["unshare", "--mount", "sh", "-ec", script, "-", folder, Rig.product("geopublicist")],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address], within: .seconds(60))
    let found = JSON.lines(doctor.standardOutput).first { $0["Id"] == "settings-invalid" }
    #expect(found?["Finding"]?.string?.contains("geopublicist.conf") == true, "\(doctor.standardError)")
  }

  @Test(
    arguments: [
      ("[agent]\n", "service", "nothing starts it"), ("nonsense\n", "configuration", "cannot be read"),
      ("[org.geopublicist.Location1]\nallowed=false\nsystem=false\nusers=\n", "configuration", "not allow the service"),
      ("[wifi]\nurl=https://location.services.mozilla.com/v1/geolocate?key=geoclue\n", "server", "Mozilla"),
    ])
  func `doctor reports a missing service and wrong GeoClue settings`(
    settings: String, subject: String, finding: String
  ) throws {
    let bus = try PrivateBus(.system)
    // Without logind, the doctor would report that this is not the system bus.
    let manager = try silentOwner(of: "org.freedesktop.login1", on: bus)
    #expect(try problems(on: bus, settings: settings)[subject]?.contains(finding) == true)
    manager.kill()
  }

  @Test func `doctor reports an environment variable that names another bus`() throws {
    let found = try problems(on: PrivateBus(.system))
    #expect(found["bus"]?.hasPrefix("DBUS_SYSTEM_BUS_ADDRESS") == true && found.count == 1, "\(found)")
  }

  @Test func `doctor reports a missing GeoClue`() throws {
    let bus = try PrivateBus(.system)
    let service = try Service(.system, on: bus)
    let found = try problems(on: bus)
    #expect(found["geoclue"] == "GeoClue is not installed")
    #expect(found["service"] == nil && service.isRunning)
  }

  @Test func `doctor reports an outdated GeoClue`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    try geoclue.refuse("CreateClient", with: "No such method", name: "UnknownMethod")
    #expect(try problems(on: bus)["geoclue"]?.contains("too old") == true)
  }

  @Test(arguments: [Service.name, geoClueName])
  func `doctor reports that the bus forbids calls to the service or GeoClue`(service: String) throws {
    // The bus is dbus-daemon, whose error contains the reason.
    let bus = try PrivateBus(.session, broker: .dbusDaemon, refusing: service)
    let owner = try silentOwner(of: service, on: bus)
    let found = try problems(on: bus)
    owner.kill()
    #expect(found["policy"]?.contains("Rejected send message") == true, "\(found)")
  }

  @Test func `doctor reports a GeoClue that does not answer`() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try FakeGeoClue(on: bus)
    try geoclue.fault(on: "Get", "hang")
    #expect(try problems(on: bus)["geoclue"] == "GeoClue is running, but does not answer")
  }

  @Test func `doctor reports a service that does not answer`() throws {
    let bus = try PrivateBus(.system)
    let service = try Service(.system, on: bus)
    service.signal(SIGSTOP)
    #expect(try problems(on: bus)["service"] == "The service is running, but does not answer")
    service.signal(SIGCONT)
  }

  @Test(.enabled(if: Rig.isRoot, "needs other users"))
  func `doctor reports a missing agent, polkit and session to an ordinary user`() throws {
    let machine = try CommandFixture()
    let found = try problems(on: machine.bus, as: 65534)
    #expect(found["agent"]?.hasPrefix("No location agent is running") == true)
    #expect(found["polkit"]?.contains("is not installed") == true)
    #expect(found["session"]?.contains("is not available") == true)
  }

  @Test func `doctor reports that location is turned off`() throws {
    let bus = try PrivateBus(.system)
    let session = try PrivateBus(.session)
    let geoclue = try RealGeoClue(on: bus)
    let agent = try DesktopAgent(at: bus.address, level: 0)
    defer { agent.kill() }
    let service = try Service(.session, on: session, geoclueOn: bus)
    let found = try problems(on: bus, session: session)
    #expect(found["switch"] == "Location is turned off for this user")
    #expect(found["polkit"] == nil && found["session"] == nil)
    #expect(geoclue.isRunning && service.isRunning)
  }

  /// GeoClue with the test's settings.
  private func configuredGeoClue(_ settings: String, on bus: PrivateBus, _ receiver: NMEAServer) throws -> ChildProcess
  {
    let folder = directory.freshFile("geoclue")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try settings.write(toFile: "\(folder)/geoclue.conf", atomically: true, encoding: .utf8)
    let geoclue = try ChildProcess(
      [Rig.file("with-mounts.sh"), "\(folder)=/etc/geoclue", "--", Rig.file("geoclue.sh"), bus.address, receiver.path])
    try waitForOwner(of: geoClueName, on: bus, by: geoclue)
    return geoclue
  }

  /// GeoClue's own messages about its settings, which may not be readable for all users.
  @Test(.enabled(if: Rig.isRoot, "must mount settings for GeoClue"))
  func `doctor reports GeoClue settings that forbid location`() throws {
    let bus = try PrivateBus(.system)
    let receiver = NMEAServer()
    let settings = GeoClueSettings.offline(
      receiver: false, "[org.geopublicist.Location1]\nallowed=false\nsystem=false\nusers=")
    let geoclue = try configuredGeoClue(settings, on: bus, receiver)
    let agent = try DesktopAgent(at: bus.address)
    defer { agent.kill() }
    #expect(
      try problems(on: bus)["configuration"] == "GeoClue's configuration does not allow this user to receive locations")
    #expect(geoclue.exited == nil)
  }

  @Test(.enabled(if: Rig.isRoot, "must mount settings for GeoClue")) func `doctor reports a GeoClue without sources`()
    throws
  {
    let bus = try PrivateBus(.system)
    let receiver = NMEAServer()
    let settings = GeoClueSettings.offline(receiver: false)
    let geoclue = try configuredGeoClue(settings, on: bus, receiver)
    let agent = try DesktopAgent(at: bus.address)
    defer { agent.kill() }
    #expect(try problems(on: bus, settings: settings)["sources"]?.contains("turns Wi-Fi off") == true)
    #expect(geoclue.exited == nil)
  }

  @Test(
    .enabled(if: Rig.isRoot, "needs other users"),
    arguments: [("online", 65534, "not the active one"), ("active", 65533, "has no session"), ("active", 65534, nil)]
      as [(String, Int, String?)])
  func `doctor reports an inactive session`(state: String, user: Int, finding: String?) throws {
    let bus = try PrivateBus(.session)
    let logind = try ChildProcess([Rig.python, Rig.file("logind.py"), bus.address, "\(user)", state])
    try eventually("logind is running: \(logind.standardError)") { logind.standardOutput.hasPrefix("ready") }
    let found = try problems(on: bus, as: 65534)["session"]
    #expect(finding.map { found?.contains($0) == true } ?? (found == nil), "\(found ?? "nothing")")
  }

  @Test(.enabled(if: Rig.isRoot, "must mount a separate root")) func `doctor reports that it runs in a sandbox`() throws
  {
    // The file that marks a Flatpak sandbox, mounted over this machine's root.
    let script = """
      mount -t tmpfs none "$1" && mkdir "$1/upper" "$1/work" "$1/root"
      mount -t overlay none -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
      touch "$1/root/.flatpak-info"
      mount --rbind /proc "$1/root/proc"
      exec chroot "$1/root" "$2" --address unix:path=/nonexistent doctor --json
      """
    // The program and its libraries are on the root file system, even if the package is built elsewhere.
    let program = Rig.product("geopublicist")
    let result = try run(["unshare", "--mount", "sh", "-ec", script, "-", directory.path, program])
    let found = JSON.lines(result.standardOutput)
    let sandbox = found.first { $0["Subject"] == "sandbox" }
    #expect(sandbox?["Outcome"] == "problem", "\(result.standardError)")
  }

  @Test func `doctor reports an unreachable location server`() throws {
    let machine = try CommandFixture()
    let settings = "[wifi]\nenable=true\nurl=http://127.0.0.1:9/v1/geolocate\n"
    let found = try problems(on: machine.bus, settings: settings)
    #expect(found["server"]?.contains("cannot be reached") == true)
    #expect(found["fix"] == nil)
  }
}
