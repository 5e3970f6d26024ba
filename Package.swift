// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// What every target has in common: Swift 6 throughout, and the two upcoming features that make default isolation pleasant.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "geopublicist",
  products: [
    .library(name: "Publishing", targets: ["Publishing"]),
    .library(name: "PublishingTesting", targets: ["PublishingTesting"]),
    .library(name: "Combine", targets: ["Combine"]),
    .library(name: "MainLoop", targets: ["MainLoop"]),
    .library(name: "MainLoopTasks", targets: ["MainLoopTasks"]),
    .library(name: "DBus", targets: ["DBus"]),
    .library(name: "DBusPublishing", targets: ["DBusPublishing"]),
    .library(name: "Publicist", targets: ["Publicist"]),
    .library(name: "PublicistTesting", targets: ["PublicistTesting"]),
    .library(name: "GeoClue", targets: ["GeoClue"]),
    .library(name: "GeopublicistClient", targets: ["GeopublicistClient"]),
    .plugin(name: "GenerateDBus", targets: ["GenerateDBus"]),
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
    .target(name: "PublishingTesting", dependencies: ["Publishing"], swiftSettings: strict),
    // `import Combine` for code written for Combine; for programs only, as it needs Foundation and starts tasks.
    .target(name: "Combine", dependencies: ["Publishing"], swiftSettings: strict),
    // Points in time, one type for each clock, without C.
    .target(name: "GeopublicistInstants", path: "Sources/Instants", swiftSettings: strict),
    .target(
      name: "GeopublicistLocationModel", dependencies: ["GeopublicistInstants"], path: "Sources/LocationModel",
      swiftSettings: strict),
    .target(name: "MainLoop", dependencies: ["GeopublicistCGLib", "GeopublicistInstants"]),
    .target(name: "DBus", dependencies: ["GeopublicistCDBus", "MainLoop"]),
    .target(name: "DBusPublishing", dependencies: ["DBus", "Publishing"]),
    // Writes code from introspection XML.
    .executableTarget(name: "generate-dbus"),
    .plugin(
      name: "GenerateDBus",
      capability: .command(
        intent: .custom(verb: "generate-dbus", description: "Write Swift code for the interfaces of a D-Bus XML file"),
        permissions: [.writeToPackageDirectory(reason: "to write the generated code")]),
      dependencies: ["generate-dbus"]),
    // The names and types of the contract, for the service and for its clients.
    .target(
      name: "GeopublicistContract", dependencies: ["DBus", "GeopublicistLocationModel"], path: "Sources/Contract"),
    .target(name: "Publicist", dependencies: ["GeopublicistLocationModel", "MainLoop", "Publishing"]),
    .target(name: "PublicistTesting", dependencies: ["MainLoop", "Publicist", "PublishingTesting"]),
    .target(name: "GeopublicistProcessSupport", dependencies: ["GeopublicistCGLib"], path: "Sources/ProcessSupport"),
    .target(
      name: "GeoClue",
      dependencies: ["DBus", "GeopublicistLocationModel", "GeopublicistProcessSupport", "MainLoop"]),
    .target(
      name: "GeopublicistClient",
      dependencies: ["DBus", "GeopublicistContract", "GeopublicistLocationModel", "MainLoop"]),
    // The only target, beside `Combine`, that starts tasks; the service links neither.
    .target(
      name: "MainLoopTasks",
      dependencies: [
        "DBus", "DBusPublishing", "GeopublicistCDispatch", "GeopublicistClient", "MainLoop", "Publicist",
      ]),
    .target(
      name: "GeopublicistReplay", dependencies: ["GeopublicistCGLib", "GeopublicistLocationModel", "MainLoop"],
      path: "Sources/Replay"),
    .target(
      name: "GeopublicistGatekeeper",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistCGLib", "GeopublicistContract", "GeopublicistLocationModel",
        "GeopublicistProcessSupport", "MainLoop",
      ],
      path: "Sources/Gatekeeper"),
    .target(
      name: "GeopublicistService",
      dependencies: [
        "DBus", "GeopublicistCGLib", "GeopublicistContract", "GeopublicistGatekeeper", "GeopublicistLocationModel",
        "GeopublicistProcessSupport", "MainLoop", "Publicist", "Publishing",
      ],
      path: "Sources/LocationService"),
    .target(
      name: "GeopublicistWiring",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistContract", "GeopublicistLocationModel", "GeopublicistProcessSupport",
        "GeopublicistReplay", "GeopublicistService", "MainLoop", "Publicist",
      ],
      path: "Sources/Wiring"),
    .executableTarget(
      name: "geopublicistd",
      dependencies: [
        "DBus", "GeopublicistProcessSupport", "GeopublicistReplay", "GeopublicistService", "GeopublicistWiring",
      ]),
    .executableTarget(
      name: "geopublicist",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistCGLib", "GeopublicistClient", "GeopublicistLocationModel",
        "GeopublicistProcessSupport", "GeopublicistReplay", "MainLoop",
      ]),

    // Tests: one target for each of the sources, and the whole way end to end
    .target(name: "GeopublicistTestSupport", dependencies: ["GeopublicistInstants"], path: "Tests/TestSupport"),
    .target(
      name: "GeopublicistPublishingTestSupport", dependencies: ["Publishing", "PublishingTesting"],
      path: "Tests/PublishingTestSupport", swiftSettings: strict),
    .target(
      name: "GeopublicistMainLoopTestSupport", dependencies: ["GeopublicistTestSupport", "MainLoop"],
      path: "Tests/MainLoopTestSupport"),
    .target(
      name: "GeopublicistGeoClueSimulation", dependencies: ["GeoClue", "GeopublicistLocationModel"],
      path: "Tests/GeoClueSimulation"),
    .testTarget(
      name: "PublishingTests",
      dependencies: ["GeopublicistPublishingTestSupport", "GeopublicistTestSupport", "Publishing"],
      swiftSettings: strict),
    // Code written for Combine, in language mode 5 as such code is.
    .testTarget(
      name: "CombineExamplesTests", dependencies: ["Combine"], swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "MainLoopTasksTests",
      dependencies: [
        "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport", "GeopublicistTasksBenchmark", "MainLoop",
        "MainLoopTasks", "PublicistTesting", "geopublicistd", "tasks-example",
      ]),
    .testTarget(
      name: "LocationModelTests", dependencies: ["GeopublicistLocationModel", "GeopublicistTestSupport"],
      exclude: ["Almanac/sun.txt"],
      swiftSettings: strict),
    .testTarget(
      name: "MainLoopTests", dependencies: ["GeopublicistMainLoopTestSupport", "GeopublicistTestSupport", "MainLoop"]),
    .testTarget(name: "ProcessSupportTests", dependencies: ["GeopublicistProcessSupport", "GeopublicistTestSupport"]),
    .testTarget(
      name: "DBusTests",
      dependencies: ["DBus", "GeopublicistCDBus", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport"],
      exclude: ["Generated/awkward.xml", "descriptor-peer.py", "huge-sender.py", "raw-peer.py"]),
    .testTarget(
      name: "GeoClueTests",
      dependencies: [
        "GeoClue", "GeopublicistGeoClueSimulation", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport",
        "PublicistTesting",
      ]),
    .testTarget(
      name: "GeopublicistClientTests",
      dependencies: [
        "DBus", "GeopublicistClient", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport", "MainLoop",
        "Publicist", "geopublicistd",
      ]),
    .testTarget(
      name: "ReplayTests",
      dependencies: [
        "GeopublicistMainLoopTestSupport", "GeopublicistReplay", "GeopublicistTestSupport", "geopublicistd",
      ]),
    .executableTarget(
      name: "location-example", dependencies: ["DBus", "GeoClue", "MainLoop", "MainLoopTasks", "Publicist"],
      path: "Examples/swift"),
    .executableTarget(
      name: "tasks-example", dependencies: ["MainLoop", "MainLoopTasks", "Publishing"], path: "Examples/tasks"),
    // What the articles of the documentation show.
    .executableTarget(
      name: "whereami-example", dependencies: ["MainLoopTasks"], path: "Examples/whereami/Sources"),
    .executableTarget(
      name: "articles-example", dependencies: ["Combine", "DBus", "MainLoop", "MainLoopTasks", "Publicist"],
      path: "Examples/articles", exclude: ["counter.xml"]),
    // The test that the article on testing shows.
    .testTarget(
      name: "TestingExampleTests", dependencies: ["PublicistTesting"], path: "Examples/testing"),
    // Programs written for Combine.
    .executableTarget(name: "combine-example", dependencies: ["Combine"], path: "Examples/combine"),
    // The program that the README shows.
    .executableTarget(
      name: "follow-example", dependencies: ["DBus", "GeopublicistClient", "MainLoop", "Publicist"],
      path: "Examples/short", exclude: ["almanac.py", "follow.js", "follow.py"]),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "Combine", "GeopublicistTestSupport", "MainLoopTasks", "articles-example", "combine-example", "follow-example",
        "generate-dbus", "geopublicist", "geopublicistd", "location-example", "whereami-example",
      ],
      exclude: ["Idioms"]),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "DBus", "GeopublicistClient", "GeopublicistLocationModel", "GeopublicistProcessSupport",
        "GeopublicistTestSupport", "geopublicist",
        "geopublicistd",
      ],
      exclude: ["gpx-1.1.xsd"]),
    .testTarget(
      name: "PublicistTests",
      dependencies: [
        "GeopublicistMainLoopTestSupport", "GeopublicistPublishingTestSupport", "GeopublicistTestSupport", "MainLoop",
        "Publicist", "PublicistTesting",
      ]),
    .testTarget(
      name: "GatekeeperTests",
      dependencies: ["GeopublicistGatekeeper", "GeopublicistMainLoopTestSupport", "GeopublicistTestSupport"]),
    .testTarget(
      name: "LocationServiceTests",
      dependencies: [
        "GeopublicistGatekeeper", "GeopublicistMainLoopTestSupport", "GeopublicistService", "GeopublicistTestSupport",
        "PublicistTesting",
      ]),
    .testTarget(name: "EndToEndTests", dependencies: ["GeopublicistTestSupport", "geopublicist", "geopublicistd"]),

    // The whole service in one process, in a simulated world and in virtual time
    .target(name: "GeopublicistSimulatedKernel", path: "Tests/Simulation/Kernel"),
    .executableTarget(
      name: "simulate",
      dependencies: [
        "DBus", "GeopublicistCDBus", "GeopublicistCGLib", "GeopublicistClient", "GeopublicistLocationModel",
        "GeopublicistProcessSupport", "GeopublicistService", "GeopublicistSimulatedKernel", "GeopublicistWiring",
        "MainLoop", "Publicist",
      ],
      path: "Tests/Simulation/Program"),
    .testTarget(
      // Not on `simulate`, which it runs: that would link the simulated kernel into the program of all tests.
      name: "SimulationTests", dependencies: ["GeopublicistTestSupport"], path: "Tests/Simulation/Tests"),

    // Benchmarks
    .executableTarget(
      name: "GeopublicistPublishingBenchmark", dependencies: ["Publishing", "PublishingTesting"],
      path: "Benchmarks/Publishing", swiftSettings: strict),
    .executableTarget(
      name: "GeopublicistTasksBenchmark", dependencies: ["MainLoop", "MainLoopTasks"], path: "Benchmarks/Tasks"),
  ]
)

// What libFuzzer calls, built only with its runtime (Tools/fuzz.sh): without that it has no `main`.
if Context.environment["GEOPUBLICIST_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "DBus", "GeoClue", "GeopublicistCDBus", "GeopublicistGatekeeper", "GeopublicistGeoClueSimulation",
        "GeopublicistLocationModel", "GeopublicistProcessSupport", "GeopublicistReplay", "GeopublicistService",
      ],
      path: "Tests/Fuzz/Targets"))
}

// Targets without settings live on the one thread of the main loop.
for target in package.targets where ![.plugin, .system].contains(target.type) && target.swiftSettings == nil {
  target.swiftSettings = strict + [.defaultIsolation(MainActor.self)]
}
