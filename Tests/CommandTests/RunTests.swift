// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicist place` and `geopublicist run`.
@Suite(.serialized) struct RunTests {
  private let folder = TemporaryDirectory()
  private var environment: [String: String] { ["XDG_CONFIG_HOME": folder.path] }

  private func command(_ arguments: [String], on bus: PrivateBus? = nil) throws -> CommandResult {
    try run(
      [Rig.product("geopublicist")] + (bus.map { ["--address", $0.address] } ?? []) + arguments,
      environment: environment, within: .seconds(30))
  }

  @Test func `places are kept for the user alone`() throws {
    #expect(try command(["place", "add", "home", "--at", "52.5,13.4", "--radius", "200m"]).succeeded)
    #expect(try command(["place", "add", "work", "--at", "52.6,-13.4"]).succeeded)
    #expect(try command(["place", "add", "home", "--at", "52.55,13.4"]).succeeded)
    let listed = try command(["place", "list", "--json"])
    #expect(
      listed.standardOutput == """
        {"Name":"work","Latitude":52.6,"Longitude":-13.4,"Radius":150}
        {"Name":"home","Latitude":52.55,"Longitude":13.4,"Radius":150}

        """)
    let file = try FileManager.default.attributesOfItem(atPath: folder.file("geopublicist/places.conf"))
    #expect(file[.posixPermissions] as? Int == 0o600)
    #expect(try command(["place", "remove", "work"]).succeeded)
    #expect(try command(["place", "remove", "work"]).exit == .status(1))
    #expect(try command(["place", "list"]).standardOutput.split(separator: "\n").count == 2)
  }

  @Test func `a place is where this machine is`() throws {
    let bus = try PrivateBus(.session)
    let daemon = try Daemon(.session, on: bus, options: ["--at", "52.5,13.4"])
    let result = try command(["place", "add", "here", "--here"], on: bus)
    #expect(result.succeeded, "\(result.standardError)")
    #expect(try command(["place", "list"]).standardOutput.contains("here\t52.5\t13.4\t150 m\n"))
    #expect(daemon.isRunning)
  }

  @Test(arguments: [
    ["run"], ["run", "--when", "near", "home", "--", "true"], ["run", "--at", "evening", "--", "true"],
    ["run", "--at", "sunset"], ["run", "--when", "entered", "home"], ["run", "--hooks", "--at", "noon", "--", "true"],
    ["place"], ["place", "add", "home"], ["place", "add", "a b", "--here"],
    ["place", "add", "x", "--at", "52,13", "--radius", "10m"],
  ]) func `incorrect usage is explained`(arguments: [String]) throws {
    let result = try command(arguments)
    #expect(result.exit == .status(2) && result.standardError.hasPrefix("geopublicist: "), "\(result.standardError)")
  }

  @Test func `an unknown place is named`() throws {
    let bus = try PrivateBus(.session)
    let result = try command(["run", "--when", "entered", "home", "--", "true"], on: bus)
    #expect(result.exit == .status(1) && result.standardError.contains("there is no place 'home'"))
  }
}
