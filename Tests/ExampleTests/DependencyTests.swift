// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// A package that uses the libraries as described in the README.
@Suite(.serialized) struct DependencyTests {
  private let directory = TemporaryDirectory()

  /// Target names that another package may well use, and that this one used in the past.
  private static let names = [
    "CommandTests", "DBusTests", "Gatekeeper", "LocationModel", "LocationService", "MainLoopTestSupport",
    "ProcessSupport", "Program", "PublishingTestSupport", "Replay", "TestSupport", "fuzz", "location-example",
  ]
  private static let products = [
    "Combine", "DBus", "DBusPublishing", "GeoClue", "GeopublicistClient", "MainLoop", "MainLoopTasks", "Publicist",
    "PublicistTesting", "Publishing", "PublishingTesting",
  ]

  /// Writes the package: a target of each name, one program that uses everything, and the idioms in both isolations.
  private func write(dependency: String) throws {
    func source(_ target: String, _ text: String) throws {
      let folder = directory.file("Sources/\(target)")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try text.write(toFile: "\(folder)/Source.swift", atomically: true, encoding: .utf8)
    }
    for name in Self.names { try source(name, "public let own = \"\(name)\"\n") }
    let idioms = try String(contentsOfFile: Rig.sourceFile("Tests/ExampleTests/Idioms/Idioms.swift"), encoding: .utf8)
    for name in ["Idioms", "IdiomsOnMainActor"] { try source(name, idioms) }
    try source("All", "import Replay\npublic let all = own\n")
    try source("Small", "import MainLoop\nimport Replay\npublic let small = own\n")
    try """
    // swift-tools-version: 6.2
    import PackageDescription
    func product(_ name: String) -> Target.Dependency { .product(name: name, package: "geopublicist") }
    let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    let idioms = ["Combine", "MainLoop", "Publicist"].map(product)
    let package = Package(
      name: "app",
      dependencies: [\(dependency)],
      targets: \(Self.names).map { .target(name: $0) } + [
        .target(name: "All", dependencies: ["Replay"] + \(Self.products).map(product)),
        .target(name: "Small", dependencies: ["Replay", product("MainLoop")]),
        .executableTarget(name: "Idioms", dependencies: idioms, swiftSettings: strict),
        .executableTarget(
          name: "IdiomsOnMainActor", dependencies: idioms,
          swiftSettings: strict + [.defaultIsolation(MainActor.self)]),
      ])
    """.write(toFile: directory.file("Package.swift"), atomically: true, encoding: .utf8)
  }

  @Test func `the manifest that the documentation shows can be resolved`() throws {
    let swift = try run([Rig.sourceFile("Tools/find-swift.sh")])
    let path = swift.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    let result = try run(
      [
        path, "package", "--package-path", Rig.sourceFile("Examples/whereami"), "--cache-path",
        directory.file("cache"), "--scratch-path", directory.file("build"), "show-dependencies",
      ], within: .seconds(60))
    #expect(result.succeeded && result.standardOutput.contains("@unspecified"), "\(result.standardError)")
  }

  private func swift(_ arguments: [String]) throws -> CommandResult {
    let swift = try run([Rig.sourceFile("Tools/find-swift.sh")])
    let path = swift.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    let result = try run(
      [path, arguments[0], "--package-path", directory.path, "--cache-path", directory.file("cache")]
        + arguments.dropFirst(),
      within: .seconds(300))
    #expect(result.succeeded, "\(result.standardOutput)\(result.standardError)")
    return result
  }

  @Test func `common Combine idioms run in a package whose targets have the same names as ours`() throws {
    try write(dependency: ".package(name: \"geopublicist\", path: \"\(Rig.sourceFile("."))\")")
    for program in ["Idioms", "IdiomsOnMainActor"] {
      // Neither a debugger nor an editor is used.
      let options = ["-debug-info-format", "none", "--disable-index-store"]
      #expect(try swift(["run"] + options + [program]).standardOutput.hasSuffix("all idioms work\n"))
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: Rig.sourceFile(".git")), "needs a git repository"))
  func `another package can depend on a tagged version of this one`() throws {
    let repository = directory.file("geopublicist")
    for arguments in [
      ["-c", "safe.directory=*", "clone", "--quiet", "--depth", "1", "file://\(Rig.sourceFile("."))", repository],
      ["-C", repository, "tag", "9.8.7"],
    ] {
      let result = try run(["git"] + arguments)
      try #require(result.succeeded, "\(result.standardError)")
    }
    try write(dependency: ".package(url: \"file://\(repository)\", from: \"9.8.0\")")
    _ = try swift(["build", "--target", "Small"])
  }
}
