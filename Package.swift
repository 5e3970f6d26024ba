// swift-tools-version: 6.2
import PackageDescription

/// What every target has in common: Swift 6 throughout, and the two upcoming features that make default isolation pleasant.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

/// Targets that live on the one thread of the main loop.
let onMainLoop: [SwiftSetting] = strict + [.defaultIsolation(MainActor.self)]

let package = Package(
  name: "geopublicist",
  products: [
    .library(name: "Publishing", targets: ["Publishing"]),
    .library(name: "MainLoop", targets: ["MainLoop"]),
    .library(name: "DBus", targets: ["DBus"]),
    .library(name: "Publicist", targets: ["Publicist"]),
    .executable(name: "geopublicistd", targets: ["geopublicistd"]),
    .executable(name: "geopublicist", targets: ["geopublicist"]),
  ],
  targets: [
    // C libraries
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),

    // Each target knows only those above it
    .target(name: "Publishing", swiftSettings: strict),
    .target(name: "LocationModel", swiftSettings: strict),
    .target(name: "MainLoop", dependencies: ["CGLib", "Publishing"], swiftSettings: onMainLoop),
    .target(name: "DBus", dependencies: ["CDBus", "MainLoop"], swiftSettings: onMainLoop),
    .target(name: "Program", dependencies: ["CGLib"], swiftSettings: onMainLoop),
    .target(name: "GeoClue", dependencies: ["DBus", "LocationModel", "MainLoop"], swiftSettings: onMainLoop),
    .target(
      name: "Replay", dependencies: ["CGLib", "GeoClue", "LocationModel", "MainLoop"], swiftSettings: onMainLoop),
    .target(name: "Publicist", dependencies: ["GeoClue", "LocationModel", "Publishing"], swiftSettings: onMainLoop),
    .target(
      name: "LocationService",
      dependencies: ["DBus", "GeoClue", "LocationModel", "MainLoop", "Program", "Publicist", "Publishing"],
      swiftSettings: onMainLoop),
    .executableTarget(
      name: "geopublicistd",
      dependencies: ["DBus", "LocationService", "MainLoop", "Program", "Publicist", "Replay"],
      swiftSettings: onMainLoop),
    .executableTarget(
      name: "geopublicist", dependencies: ["CGLib", "DBus", "LocationModel", "MainLoop", "Program"],
      swiftSettings: onMainLoop),

    // Tests: one target for each of the sources, and the whole way end to end
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: onMainLoop),
    .target(
      name: "PublishingTestSupport", dependencies: ["Publishing"], path: "Tests/PublishingTestSupport",
      swiftSettings: strict),
    .target(
      name: "MainLoopTestSupport", dependencies: ["MainLoop", "TestSupport"], path: "Tests/MainLoopTestSupport",
      swiftSettings: onMainLoop),
    .testTarget(
      name: "PublishingTests", dependencies: ["Publishing", "PublishingTestSupport"], swiftSettings: strict),
    // `import Combine` for code written for Combine: the layer and Foundation's part of it; in language mode 5, as such
    // code is.
    .target(
      name: "Combine", dependencies: ["Publishing"], path: "Tests/Combine", swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "CombineExamplesTests", dependencies: ["Combine", "PublishingTestSupport"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(name: "LocationModelTests", dependencies: ["LocationModel"], swiftSettings: strict),
    .testTarget(
      name: "MainLoopTests", dependencies: ["MainLoop", "MainLoopTestSupport", "TestSupport"],
      swiftSettings: onMainLoop),
    .testTarget(name: "ProgramTests", dependencies: ["Program", "TestSupport"], swiftSettings: onMainLoop),
    .testTarget(
      name: "DBusTests", dependencies: ["CDBus", "DBus", "MainLoopTestSupport", "TestSupport"],
      exclude: ["raw-peer.py"], swiftSettings: onMainLoop),
    .testTarget(
      name: "GeoClueTests", dependencies: ["GeoClue", "MainLoopTestSupport", "TestSupport"],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "ReplayTests", dependencies: ["Replay", "TestSupport", "geopublicistd"], swiftSettings: onMainLoop),
    .executableTarget(
      name: "location-example", dependencies: ["DBus", "MainLoop", "Publicist"], path: "Tests/Examples/swift",
      swiftSettings: onMainLoop),
    // The program that the README shows.
    .executableTarget(
      name: "follow-example", dependencies: ["DBus", "MainLoop", "Publicist"], path: "Tests/Examples/short",
      exclude: ["follow.js", "follow.py"], swiftSettings: onMainLoop),
    .testTarget(
      name: "ExampleTests",
      dependencies: ["TestSupport", "follow-example", "geopublicist", "geopublicistd", "location-example"],
      path: "Tests/Examples", exclude: ["c", "javascript", "python", "scenario.json", "shell", "short", "swift"],
      sources: ["ExampleTests.swift"], swiftSettings: onMainLoop),
    .testTarget(
      name: "CommandTests", dependencies: ["geopublicist", "geopublicistd", "DBus", "LocationModel", "TestSupport"],
      exclude: ["gpx-1.1.xsd"], swiftSettings: onMainLoop),
    .testTarget(
      name: "PublicistTests",
      dependencies: ["MainLoop", "MainLoopTestSupport", "Publicist", "PublishingTestSupport", "TestSupport"],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "LocationServiceTests", dependencies: ["LocationService", "MainLoopTestSupport", "TestSupport"],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "EndToEndTests", dependencies: ["TestSupport", "geopublicist", "geopublicistd"], swiftSettings: onMainLoop),

    // Benchmarks
    .executableTarget(
      name: "PublishingBenchmark", dependencies: ["Publishing"], path: "Benchmarks/Publishing", swiftSettings: strict),
  ]
)

// What libFuzzer calls, built only with its runtime (Tests/Rig/fuzz.sh): without that it has no `main`.
if Context.environment["GEOPUBLICIST_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: ["CDBus", "DBus", "GeoClue", "LocationModel", "LocationService", "Program", "Replay"],
      path: "Tests/Fuzz/Targets", swiftSettings: onMainLoop))
}
