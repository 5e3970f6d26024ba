// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// `geopublicist place add --static`, in a private copy of /etc.
@Suite(.serialized) struct StaticPlaceTests {
  private let folder = TemporaryDirectory()
  private var file: String { folder.file("etc/geolocation") }

  private func add(_ arguments: [String]) throws -> CommandResult {
    try run(
      [
        Rig.file("with-mounts.sh"), "\(folder.file("etc"))=/etc", "--", Rig.product("geopublicist"), "place", "add",
        "desk", "--static",
      ] + arguments, environment: ["XDG_CONFIG_HOME": folder.path], within: .seconds(30))
  }

  private func copyConfiguration() throws {
    try FileManager.default.createDirectory(atPath: folder.file("etc"), withIntermediateDirectories: true)
    for name in ["passwd", "group", "nsswitch.conf", "geoclue", "dbus-1", "ld.so.cache"] {
      try FileManager.default.copyItem(atPath: "/etc/\(name)", toPath: folder.file("etc/\(name)"))
    }
  }

  @Test(.enabled(if: Rig.isRoot, "writes for GeoClue"))
  func `a static file is complete, readable only by GeoClue's user, and replaced only with --force`() throws {
    try copyConfiguration()
    #expect(try add(["--at", "40.689,-74.0445", "--radius", "60m"]).succeeded)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let numbers = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
    #expect(numbers.map { Double($0) } == [40.689, -74.0445, -.greatestFiniteMagnitude, 60], "\(text)")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(attributes[.ownerAccountName] as? String == "geoclue")
    let again = try add(["--at", "41,-74"])
    #expect(again.exit == .status(1) && again.standardError.contains("already exists; --force replaces it"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    #expect(try add(["--at", "41,-74", "--force"]).succeeded)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\n41.0  # latitude\n"))
    try FileManager.default.removeItem(atPath: file)
    #expect(symlink("elsewhere", file) == 0)
    #expect(try add(["--at", "41,-74"]).exit == .status(1), "a dangling link counts as a file")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("etc"))
    #expect(names.filter { $0.hasPrefix("geolocation") } == ["geolocation"])
    #expect(!FileManager.default.fileExists(atPath: folder.file("geopublicist/places.conf")))
  }

  @Test(.enabled(if: Rig.isRoot, "becomes another user"))
  func `without root, place add --static fails and shows the command with sudo`() throws {
    let command = [Rig.product("geopublicist"), "place", "add", "desk", "--at", "52.5,13.4", "--static"]
    let process = try ChildProcess(command, as: 65534)
    #expect(try process.waitForExit() == .status(3))
    let shown = "sudo geopublicist place add desk --at 52.5,13.4 --radius 150m --static\n"
    #expect(process.standardError.hasSuffix(shown), "\(process.standardError)")
    for wrong in [["list", "--static"], ["add", "desk", "--static"], ["add", "desk", "--at", "91,0", "--static"]] {
      #expect(try run([Rig.product("geopublicist"), "place"] + wrong).exit == .status(2))
    }
  }

  /// GeoClue 2.7 and later read the file.
  private nonisolated static let hasStaticSource = ["/usr/libexec/geoclue", "/usr/lib/geoclue-2.0/geoclue"]
    .compactMap { FileManager.default.contents(atPath: $0) }
    .contains { $0.range(of: Data("/etc/geolocation".utf8)) != nil }

  @Test(.enabled(if: Rig.isRoot && hasStaticSource, "needs GeoClue 2.7"))
  func `GeoClue uses the static file, and the service reports its place`() throws {
    try copyConfiguration()
    let bus = try PrivateBus(.system)
    let geoclue = try ChildProcess([
      Rig.file("with-mounts.sh"), "\(folder.file("etc"))=/etc", "--", Rig.file("geoclue.sh"), bus.address, "/nowhere",
    ])
    try waitForOwner(of: geoClueName, on: bus, by: geoclue)
    let service = try Service(.system, on: bus)
    #expect(try add(["--at", "40.689,-74.0445", "--radius", "60m"]).succeeded)
    let located = try CommandRun.finished(["locate", "--json"], on: bus)
    let location = try #require(located.objects.first, "\(located.standardError)\(geoclue.output)\(service.log)")
    #expect(location["Latitude"] == 40.689 && location["Longitude"] == -74.0445 && location["Accuracy"] == 60)
    #expect(location["Altitude"] == nil && location["Source"] == "static")
  }
}
