// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
  name: "where-am-i",
  dependencies: [.package(name: "geopublicist", path: "../..")],
  targets: [
    .executableTarget(
      name: "WhereAmI",
      dependencies: [.product(name: "MainLoopTasks", package: "geopublicist")],
      path: "Sources",
      swiftSettings: [.defaultIsolation(MainActor.self)])
  ]
)
