// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackagePlugin

/// Runs the generator in the package's folder: `swift package generate-dbus FILE.xml FILE.swift`.
@main struct GenerateDBus: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    let generator = Process()
    generator.executableURL = try context.tool(named: "generate-dbus").url
    generator.currentDirectoryURL = context.package.directoryURL
    generator.arguments = arguments
    try generator.run()
    generator.waitUntilExit()
    if generator.terminationStatus != 0 { Diagnostics.error("generate-dbus has written nothing") }
  }
}
