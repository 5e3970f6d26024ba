// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Generic D-Bus programs: busctl and gdbus. `ExampleTests` covers the languages.
@Suite(.serialized) struct ToolsTests {
  private static let standard = [
    "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer", busProperties,
  ]

  @Test func `busctl tree shows the service's objects`() throws {
    let machine = try ServiceFixture(.system)
    let tree = try busctl(["tree", "--list", Service.name], on: machine.bus)
    #expect(tree.succeeded)
    #expect(tree.standardError == "")
    let paths = tree.standardOutput.split(separator: "\n").map(String.init)
    #expect(paths.contains(Service.path))
    #expect(!paths.contains { $0.contains("subscription/") })

    // The tree lists the caller's subscriptions only.
    let client = try machine.client()
    let subscription = try client.subscribe()
    let again = try busctl(["tree", "--list", Service.name], on: machine.bus)
    #expect(!again.standardOutput.contains(subscription))
  }

  @Test func `busctl introspect shows the manager's members`() throws {
    let machine = try ServiceFixture(.system)
    let shown = try busctl(["introspect", Service.name, Service.path], on: machine.bus)
    #expect(shown.succeeded)
    #expect(shown.standardError == "")
    for line in [
      #/\.GetLocation +method +a\{sv\} +a\{sv\} +-/#, #/\.CreateSubscription +method +a\{sv\} +o +-/#,
      #/\.ListSubscriptions +method +- +aa\{sv\} +-/#, #/\.RequestAuthorization +method +a\{sv\} +ss +-/#,
      #/\.State +property +s +"idle" +emits-change/#, #/\.InUse +property +b +false +emits-change/#,
      #/\.Version +property +s +"[0-9.]+" +const/#, #/\.Limits +property +a\{su\} +15 .* emits-change/#,
      #/\.AuthorizationStatus +property +s +"authorized-always" +-/#,
    ] {
      #expect(shown.standardOutput.contains(line))
    }
  }

  @Test func `busctl call GetLocation prints a location`() throws {
    let machine = try ServiceFixture(.system)
    let call = try ChildProcess([
      "/usr/bin/busctl", "--address=\(machine.bus.address)", "call", Service.name, Service.path, Service.name,
      "GetLocation", "a{sv}", "0",
    ])
    try machine.receiver.write(.berlin)
    #expect(try call.waitForExit() == .status(0))
    #expect(call.standardOutput.hasPrefix("a{sv} "))
    #expect(call.standardOutput.contains("\"Latitude\" d 52.5163"))
    #expect(call.standardOutput.contains("\"Age\" u "))
    try eventually("there is no subscriber") { try machine.geoclue.clients().isEmpty }
  }

  @Test func `busctl can pass options to a method`() throws {
    let machine = try ServiceFixture(.system)
    let options = ["2", "timeout", "u", "300", "accuracy", "s", "exact"]
    let call = try busctl(
      ["call", Service.name, Service.path, Service.name, "GetLocation", "a{sv}"] + options, on: machine.bus)
    #expect(!call.succeeded)
    #expect(!call.standardError.isEmpty)
  }

  @Test func `gdbus introspect shows the manager's members`() throws {
    let machine = try ServiceFixture(.system)
    let shown = try gdbus("introspect", ["--dest", Service.name, "--object-path", Service.path], on: machine.bus)
    #expect(shown.succeeded)
    #expect(shown.standardOutput.contains("interface \(Service.name) {"))
    #expect(shown.standardOutput.contains("GetLocation(in  a{sv} options,"))
    #expect(shown.standardOutput.contains("readonly s State = 'idle';"))
  }

  @Test func `gdbus monitor shows state changes`() throws {
    let machine = try ServiceFixture(.system)
    let monitor = try ChildProcess([
      "/usr/bin/gdbus", "monitor", "--address", machine.bus.address, "--dest", Service.name,
    ])
    try eventually("it monitors") { monitor.standardOutput.contains("is owned by") }
    let client = try machine.client()
    let path = try client.subscribeAndStart()
    try machine.deliver([.berlin], to: client, at: path)
    try eventually("running and in use") {
      monitor.standardOutput.contains("'State': <'running'>") && monitor.standardOutput.contains("'InUse': <true>")
    }
    #expect(!monitor.standardOutput.contains("52.5"))
    #expect(!monitor.standardOutput.contains("subscription/"))
  }

  @Test(arguments: [Service.name, Service.subscription, Service.region])
  func `the service's introspection matches the published XML`(_ interface: String) throws {
    let machine = try ServiceFixture(.system)
    let client = try machine.client()
    let path = try object(interface, of: client)
    func introspect(_ path: String, of client: ServiceClient) throws -> String? {
      try client.connection.reply("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path)[0].string
    }
    let live = try #require(try introspect(path, of: client))
    let published = try String(contentsOfFile: Rig.sourceFile("dbus/\(interface).xml"), encoding: .utf8)
    #expect(members(of: interface, in: live) == members(of: interface, in: published))
    #expect(
      live.matches(of: #/<interface name="(.+)">/#).map { String($0.1) }.sorted()
        == (Self.standard + [interface]).sorted())
    #expect(try introspect(path, of: client) == live)
    let anotherRun = try ServiceFixture(.system)
    let other = try anotherRun.client()
    let otherPath = try object(interface, of: other)
    #expect((otherPath == path) == (interface == Service.name), "the number of an object is never reused")
    #expect(try introspect(otherPath, of: other) == live, "another run prints the same")
  }

  @Test(arguments: [Service.name, Service.subscription, Service.region])
  func `the published XML is valid`(_ interface: String) throws {
    let file = Rig.sourceFile("dbus/\(interface).xml")
    let checked = try run([
      "xmllint", "--noout", "--nonet", "--dtdvalid", "/usr/share/xml/dbus-1/introspect.dtd", file,
    ])
    #expect(checked.succeeded, "\(checked.standardError)")
    let output = TemporaryDirectory()
    let generated = try run([
      "/usr/bin/python3", "/usr/bin/gdbus-codegen", "--output-directory", output.path, "--generate-c-code", "code",
      file,
    ])
    #expect(generated.succeeded, "\(generated.standardError)")
  }

  private func object(_ interface: String, of client: ServiceClient) throws -> String {
    switch interface {
    case Service.name: Service.path
    case Service.region: try client.region(ServiceClient.circle(52, 13))
    default: try client.subscribe()
    }
  }

  /// An interface's members, sorted, without comments and annotations for Qt's code generator.
  private func members(of interface: String, in xml: String) -> [String] {
    let body = xml.components(separatedBy: "<interface name=\"\(interface)\">").last?.components(
      separatedBy: "</interface>")
    let element = #/<(?:method|signal|property|arg|annotation name="org\.freedesktop)[^>]*?(?=\s*\/?>)/#
    return (body?.first ?? "").matches(of: element).map { String($0.output) }.sorted()
  }
}
