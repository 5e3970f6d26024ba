// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct AdministrationTests {
  private let directory = TemporaryDirectory()
  private let bus: PrivateBus

  init() throws { bus = try PrivateBus(.system) }

  private func write(_ text: String) throws -> String {
    let file = directory.file("geopublicist.conf")
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  @Test func `a service with an invalid configuration exits with an error that names the mistake`() throws {
    let file = try write("[Limits]\nsubscriptions-per-user=many\n")
    let result = try run([Rig.product("geopublicistd"), "--address", bus.address, "--config", file])
    #expect(result.exit == .status(78))
    for part in [file, "[Limits]", "subscriptions-per-user", "many"] {
      #expect(result.standardError.contains(part), "\(result.standardError)")
    }
  }

  @Test func `--check checks a configuration without starting a service`() throws {
    let check = [Rig.product("geopublicistd"), "--check", "--config"]
    #expect(try run(check + [write("[Limits]\nsubscriptions-per-user=7\n")]).exit == .status(0))
    let result = try run(check + [write("[Limits]\nsubscriptions-per-user=0\nregions=0\n")])
    let lines = result.standardError.split(separator: "\n")
    #expect(result.exit == .status(78) && lines.count == 2)
    #expect(zip(lines, ["subscriptions-per-user", "regions"]).allSatisfy { $0.contains($1) }, "\(lines)")
  }

  @Test func `SIGHUP reloads the configuration`() throws {
    let file = try write("[Limits]\nsubscriptions-per-connection=1\n")
    let service = try Service(.system, on: bus, options: ["--config", file])
    let client = try ServiceClient(on: bus)
    _ = try client.subscribe()
    func create() throws -> String? { try client.createSubscription().errorName }
    #expect(try create() == "\(Service.name).Error.LimitsExceeded")

    _ = try write("[Limits]\nsubscriptions-per-connection=none\n")
    service.signal(SIGHUP)
    try eventually("it prints the problem") { service.log.contains("subscriptions-per-connection: 'none'") }
    #expect(try create() == "\(Service.name).Error.LimitsExceeded", "the old settings remain in force")

    try client.connection.match("type='signal',member='PropertiesChanged'")
    _ = try write("[Limits]\nsubscriptions-per-connection=2\n")
    service.signal(SIGHUP)
    try eventually("the new settings apply", turn: rest) { try create() == nil }
    try eventually("the limits are announced", turn: rest) {
      _ = try client.property("Limits")
      return client.connection.received("PropertiesChanged", from: Service.path).contains { $0[1]["Limits"] != nil }
    }
    #expect(service.isRunning)
  }

  @Test func `only root may change the log level`() throws {
    let service = try Service(.system, on: bus)
    let root = try BusClient(at: bus.address)
    let (interface, path) = ("org.freedesktop.LogControl1", "/org/freedesktop/LogControl1")
    func get(_ property: String, as client: BusClient) throws -> String? {
      try client.get(property, of: interface, at: path).string
    }
    func setLevel(_ level: JSON, as client: BusClient) throws -> String? {
      try client.set("LogLevel", of: interface, at: path, to: .variant("s", level)).errorName
    }
    #expect(try get("LogLevel", as: root) == "debug")
    #expect(try setLevel("err", as: root) == nil)
    #expect(try get("LogLevel", as: root) == "err")
    #expect(try setLevel("loud", as: root) == "org.freedesktop.DBus.Error.InvalidArgs")
    #expect(try get("LogTarget", as: root) == "console")
    #expect(try get("SyslogIdentifier", as: root) == "geopublicist")
    if Rig.isRoot {
      let other = try BusClient(at: bus.address, as: User.games)
      #expect(try get("LogLevel", as: other) == "err")
      #expect(try setLevel("debug", as: other) == "org.freedesktop.DBus.Error.AccessDenied")
    }
    #expect(service.isRunning)
  }
}
