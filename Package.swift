// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
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
    .library(name: "Combine", targets: ["Combine"]),
    .library(name: "MainLoop", targets: ["MainLoop"]),
    .library(name: "MainLoopTasks", targets: ["MainLoopTasks"]),
    .library(name: "DBus", targets: ["DBus"]),
    .library(name: "Publicist", targets: ["Publicist"]),
    .library(name: "GeoClue", targets: ["GeoClue"]),
    .library(name: "GeopublicistClient", targets: ["GeopublicistClient"]),
    .executable(name: "geopublicistd", targets: ["geopublicistd"]),
    .executable(name: "geopublicist", targets: ["geopublicist"]),
  ],
  // Target names are global in a package graph: those that are no products carry the prefix `Geopublicist`.
  targets: [
    // C libraries
    .systemLibrary(
      name: "GeopublicistCDBus", path: "Sources/CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(
      name: "GeopublicistCGLib", path: "Sources/CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),

    .systemLibrary(name: "GeopublicistCDispatch", path: "Sources/CDispatch"),

    // Each target knows only those above it
    .target(name: "Publishing", swiftSettings: strict),
    // `import Combine` for code written for Combine; for programs only, as it starts tasks.
    .target(name: "Combine", dependencies: ["Publishing"], swiftSettings: strict),
    .target(name: "GeopublicistLocationModel", path: "Sources/LocationModel", swiftSettings: strict),
    .target(name: "MainLoop", dependencies: ["GeopublicistCGLib"], swiftSettings: onMainLoop),
    .target(name: "DBus", dependencies: ["GeopublicistCDBus", "MainLoop"], swiftSettings: onMainLoop),
    // The names and types of the contract, for the service and for its clients.
    .target(
      name: "GeopublicistContract", dependencies: ["DBus", "GeopublicistLocationModel"], path: "Sources/Contract",
      swiftSettings: onMainLoop),
    .target(
      name: "Publicist", dependencies: ["GeopublicistLocationModel", "MainLoop", "Publishing"],
      swiftSettings: onMainLoop),
    .target(
      name: "GeopublicistProcessSupport", dependencies: ["GeopublicistCGLib"], path: "Sources/ProcessSupport",
      swiftSettings: onMainLoop),
    .target(
      name: "GeoClue",
      dependencies: ["DBus", "GeopublicistLocationModel", "GeopublicistProcessSupport", "MainLoop"],
      swiftSettings: onMainLoop),
    .target(
      name: "GeopublicistClient",
      dependencies: ["DBus", "GeopublicistContract", "GeopublicistLocationModel", "MainLoop"],
      swiftSettings: onMainLoop),
    // The only target, beside `Combine`, that starts tasks; the service links neither.
    .target(
      name: "MainLoopTasks", dependencies: ["DBus", "GeopublicistCDispatch", "MainLoop", "Publicist"],
      swiftSettings: onMainLoop),
    .target(
      name: "GeopublicistReplay", dependencies: ["GeopublicistCGLib", "GeopublicistLocationModel", "MainLoop"],
      path: "Sources/Replay", swiftSettings: onMainLoop),
    .target(
      name: "GeopublicistGatekeeper",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistCGLib", "GeopublicistContract", "GeopublicistLocationModel",
        "GeopublicistProcessSupport", "MainLoop",
      ],
      path: "Sources/Gatekeeper", swiftSettings: onMainLoop),
    .target(
      name: "GeopublicistService",
      dependencies: [
        "DBus", "GeopublicistCGLib", "GeopublicistContract", "GeopublicistGatekeeper", "GeopublicistLocationModel",
        "GeopublicistProcessSupport", "MainLoop", "Publicist", "Publishing",
      ],
      path: "Sources/LocationService", swiftSettings: onMainLoop),
    .executableTarget(
      name: "geopublicistd",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistContract", "GeopublicistLocationModel", "GeopublicistProcessSupport",
        "GeopublicistReplay", "GeopublicistService", "MainLoop", "Publicist",
      ],
      swiftSettings: onMainLoop),
    .executableTarget(
      name: "geopublicist",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistCGLib", "GeopublicistClient", "GeopublicistLocationModel",
        "GeopublicistProcessSupport", "GeopublicistReplay", "MainLoop",
      ],
      swiftSettings: onMainLoop),

    // Tests: one target for each of the sources, and the whole way end to end
    .target(name: "GeopublicistTestSupport", path: "Tests/TestSupport", swiftSettings: onMainLoop),
    .target(
      name: "GeopublicistPublishingTestSupport", dependencies: ["Publishing"], path: "Tests/PublishingTestSupport",
      swiftSettings: strict),
    .target(
      name: "GeopublicistMainLoopTestSupport", dependencies: ["GeopublicistTestSupport", "MainLoop"],
      path: "Tests/MainLoopTestSupport", swiftSettings: onMainLoop),
    .target(
      name: "GeopublicistGeoClueSimulation", dependencies: ["GeoClue", "GeopublicistLocationModel"],
      path: "Tests/GeoClueSimulation", swiftSettings: onMainLoop),
    .testTarget(
      name: "PublishingTests",
      dependencies: ["GeopublicistPublishingTestSupport", "GeopublicistTestSupport", "Publishing"],
      swiftSettings: strict),
    // Code written for Combine, in language mode 5 as such code is, and what of Combine is part of Foundation.
    .target(
      name: "GeopublicistCombineFoundation", dependencies: ["Combine"], path: "Tests/CombineFoundation",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "CombineExamplesTests",
      dependencies: ["Combine", "GeopublicistCombineFoundation", "GeopublicistPublishingTestSupport"],
      swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "MainLoopTasksTests",
      dependencies: [
        "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport", "GeopublicistTasksBenchmark", "MainLoop",
        "MainLoopTasks", "geopublicistd", "tasks-example",
      ],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "LocationModelTests", dependencies: ["GeopublicistLocationModel", "GeopublicistTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "MainLoopTests", dependencies: ["GeopublicistMainLoopTestSupport", "GeopublicistTestSupport", "MainLoop"],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "ProcessSupportTests", dependencies: ["GeopublicistProcessSupport", "GeopublicistTestSupport"],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "DBusTests",
      dependencies: ["DBus", "GeopublicistCDBus", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport"],
      exclude: ["huge-sender.py", "raw-peer.py"], swiftSettings: onMainLoop),
    .testTarget(
      name: "GeoClueTests",
      dependencies: [
        "GeoClue", "GeopublicistGeoClueSimulation", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport",
      ],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "GeopublicistClientTests",
      dependencies: [
        "DBus", "GeopublicistClient", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport", "MainLoop",
        "Publicist", "geopublicistd",
      ],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "ReplayTests", dependencies: ["GeopublicistReplay", "GeopublicistTestSupport", "geopublicistd"],
      swiftSettings: onMainLoop),
    .executableTarget(
      name: "location-example", dependencies: ["DBus", "GeoClue", "MainLoop", "MainLoopTasks", "Publicist"],
      path: "Examples/swift", swiftSettings: onMainLoop),
    .executableTarget(
      name: "tasks-example", dependencies: ["MainLoop", "MainLoopTasks", "Publishing"], path: "Examples/tasks",
      swiftSettings: onMainLoop),
    // What the articles of the documentation show.
    .executableTarget(
      name: "whereami-example", dependencies: ["DBus", "GeopublicistClient", "MainLoop", "MainLoopTasks"],
      path: "Examples/whereami", swiftSettings: onMainLoop),
    .executableTarget(
      name: "articles-example", dependencies: ["Combine", "DBus", "MainLoop", "MainLoopTasks", "Publicist"],
      path: "Examples/articles", swiftSettings: onMainLoop),
    // The program that the README shows.
    .executableTarget(
      name: "follow-example", dependencies: ["DBus", "GeopublicistClient", "MainLoop", "Publicist"],
      path: "Examples/short", exclude: ["follow.js", "follow.py"], swiftSettings: onMainLoop),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "Combine", "GeopublicistTestSupport", "MainLoopTasks", "articles-example", "follow-example", "geopublicist",
        "geopublicistd", "location-example", "whereami-example",
      ],
      exclude: ["Idioms"], swiftSettings: onMainLoop),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "DBus", "GeopublicistClient", "GeopublicistLocationModel", "GeopublicistProcessSupport",
        "GeopublicistTestSupport", "geopublicist",
        "geopublicistd",
      ],
      exclude: ["gpx-1.1.xsd"], swiftSettings: onMainLoop),
    .testTarget(
      name: "PublicistTests",
      dependencies: [
        "GeopublicistMainLoopTestSupport", "GeopublicistPublishingTestSupport", "GeopublicistTestSupport", "MainLoop",
        "Publicist",
      ],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "GatekeeperTests",
      dependencies: ["GeopublicistGatekeeper", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport"],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "LocationServiceTests",
      dependencies: ["GeopublicistMainLoopTestSupport", "GeopublicistService", "GeopublicistTestSupport"],
      swiftSettings: onMainLoop),
    .testTarget(
      name: "EndToEndTests", dependencies: ["GeopublicistTestSupport", "geopublicist", "geopublicistd"],
      swiftSettings: onMainLoop),

    // Benchmarks
    .executableTarget(
      name: "GeopublicistPublishingBenchmark", dependencies: ["GeopublicistPublishingTestSupport", "Publishing"],
      path: "Benchmarks/Publishing", swiftSettings: strict),
    .executableTarget(
      name: "GeopublicistTasksBenchmark", dependencies: ["MainLoop", "MainLoopTasks"], path: "Benchmarks/Tasks",
      swiftSettings: onMainLoop),
  ]
)

// What libFuzzer calls, built only with its runtime (Tests/Rig/fuzz.sh): without that it has no `main`.
if Context.environment["GEOPUBLICIST_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistCDBus", "GeopublicistGatekeeper", "GeopublicistGeoClueSimulation",
        "GeopublicistLocationModel", "GeopublicistProcessSupport", "GeopublicistReplay", "GeopublicistService",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: onMainLoop))
}
