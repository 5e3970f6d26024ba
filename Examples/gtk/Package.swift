// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A separate package, so that the rest builds without GTK: apt install libgtk-3-dev
let package = Package(
  name: "live-label",
  dependencies: [.package(name: "geopublicist", path: "../..")],
  targets: [
    .systemLibrary(name: "CGtk", pkgConfig: "gtk+-3.0", providers: [.apt(["libgtk-3-dev"])]),
    .executableTarget(
      name: "LiveLabel",
      dependencies: [
        "CGtk", .product(name: "MainLoop", package: "geopublicist"),
        .product(name: "MainLoopTasks", package: "geopublicist"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ]
)
