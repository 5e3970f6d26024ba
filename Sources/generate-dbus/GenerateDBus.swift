// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Writes Swift code for the interfaces of an introspection file.
@main struct GenerateDBus {
  private static let usage = """
    usage: generate-dbus FILE.xml … FILE.swift [--parts names,proxy|calls,skeleton] [--access public|package|internal]
        [--async] [--later PROPERTY,…] [--import MODULE,…]
    """

  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      let text = (error as? Problem)?.text ?? error.localizedDescription
      FileHandle.standardError.write(Data("generate-dbus: \(text)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    var (files, options): ([String], [String: String]) = ([], [:])
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--async": options[argument] = ""
      case "--parts", "--access", "--later", "--import": options[argument] = rest.popFirst()
      case _ where argument.hasPrefix("-"): throw Problem(text: usage)
      default: files.append(argument)
      }
    }
    guard files.count > 1, let output = files.popLast() else { throw Problem(text: usage) }
    func list(_ option: String, _ fallback: String) -> Set<String> {
      Set((options[option] ?? fallback).split(separator: ",").map(String.init))
    }
    let parts = list("--parts", "names,proxy,skeleton")
    let access = options["--access"] ?? "internal"
    let isAsync = options["--async"] != nil
    let licence = try String(contentsOfFile: files[0], encoding: .utf8).firstMatch(of: #/SPDX-License-Identifier: \S+/#)
    var code = licence.map { "// \($0.output)\n" } ?? ""
    code += """
      // swift-format-ignore-file
      // Written by: swift package generate-dbus \(arguments.joined(separator: " "))
      import DBus

      """
    for module in list("--import", "").union(isAsync ? ["MainLoopTasks"] : []).sorted() { code += "import \(module)\n" }
    var found: Set<String> = []
    let interfaces = try files.flatMap(InterfaceDescription.read).filter { found.insert($0.name).inserted }
    for interface in interfaces {
      let others = Set(interfaces.filter { $0.name != interface.name }.flatMap(\.typeNames))
      let generator = Generator(
        interface, prefix: interface.typeNames.first { !others.contains($0) } ?? interface.typeNames[0],
        access: access == "internal" ? "" : access + " ", isAsync: isAsync, later: list("--later", ""))
      if parts.contains("names") { code += generator.names() }
      if !parts.isDisjoint(with: ["proxy", "calls"]) { code += generator.proxy(parts.contains("proxy")) }
      if parts.contains("skeleton") { code += generator.skeleton() }
    }
    try code.write(toFile: output, atomically: true, encoding: .utf8)
  }
}
