// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// A program of `Examples` that follows the location.
nonisolated enum ExampleProgram: String, CaseIterable, CustomTestStringConvertible {
  case pythonDBus = "python/watch_dbus.py"
  case pythonGLib = "python/watch_gi.py"
  case gjs = "javascript/watch.js"
  case gdbus = "c/watch_gdbus.c"
  case sdbus = "c/watch_sdbus.c"
  case qt = "qt/watch_qt.cpp"
  case command = "shell/watch_command.sh"
  case swift = "swift/Main.swift"
  case swiftObservable = "swift/Main.swift --observable"
  case shortPython = "short/follow.py"
  case shortGJS = "short/follow.js"
  case shortSwift = "short/Follow.swift"

  /// Programs that accept a bus, a level, a distance and a count, and print words as well as numbers.
  static let complete = allCases.filter { !$0.isShort }
  /// The generators of Qt 6.
  static let qtTools = ["/usr/lib/qt6/bin/qdbusxml2cpp", "/usr/lib/qt6/libexec/moc"]
  static let short = allCases.filter(\.isShort)

  var testDescription: String { rawValue }
  var isShort: Bool { rawValue.hasPrefix("short/") }

  /// Calls GeoClue itself instead of the service, and so needs an agent of its user.
  var isInProcess: Bool { self == .swift || self == .swiftObservable }

  /// Prints locations only.
  var isTaciturn: Bool { isShort || self == .command }

  /// Returns the command line that starts it, after compiling it into a folder if it is in C or C++.
  ///
  /// Compilation takes a minute on a busy machine. An idle service would exit in that time, so tests compile first.
  @discardableResult @MainActor func program(in directory: TemporaryDirectory) throws -> [String] {
    let compiled = directory.file("example")
    if FileManager.default.fileExists(atPath: compiled) { return [compiled] }
    let file = Rig.sourceFile("Examples/\(rawValue)")
    let program: [String] =
      switch self {
      case .pythonDBus, .pythonGLib, .shortPython: [Rig.python, file]
      case .gjs, .shortGJS: ["/usr/bin/gjs", file]
      case .command: [file]
      case .gdbus: [try buildWithGDBus(file, in: directory)]
      case .qt: [try buildWithQt(file, in: directory)]
      case .sdbus: [try compile([file], "libsystemd", in: directory)]
      case .swift, .swiftObservable: [Rig.product("location-example")]
      case .shortSwift: ["stdbuf", "-oL", Rig.product("follow-example")]
      }
    return program
  }

  /// Starts it.
  ///
  /// - Parameter arguments: Level, distance and count, for a complete program.
  @MainActor func start(on bus: PrivateBus, _ arguments: [String], in directory: TemporaryDirectory) throws
    -> ChildProcess
  {
    let program = try program(in: directory)
    let programs = (Rig.product("geopublicist") as NSString).deletingLastPathComponent
    let environment = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address, "PATH": "\(programs):/usr/bin:/bin"]
    if isShort { return try ChildProcess(program, environment: environment) }
    return try ChildProcess(
      program + [bus.address] + arguments + (self == .swiftObservable ? ["--observable"] : []), environment: environment
    )
  }

  @MainActor private func buildWithGDBus(_ file: String, in directory: TemporaryDirectory) throws -> String {
    let interfaces = ["org.geopublicist.Location1", "org.geopublicist.Location1.Subscription"]
    try tool(
      [
        "gdbus-codegen", "--interface-prefix", "org.geopublicist.", "--c-namespace", "Geo", "--output-directory",
        directory.path, "--generate-c-code", "location1",
      ] + interfaces.map { Rig.sourceFile("dbus/\($0).xml") })
    return try compile([file, directory.file("location1.c")], "gio-unix-2.0", in: directory)
  }

  @MainActor private func buildWithQt(_ file: String, in directory: TemporaryDirectory) throws -> String {
    let folder = (file as NSString).deletingLastPathComponent
    var sources = [file]
    for (header, interface) in [("location1", ""), ("subscription1", ".Subscription")] {
      let generated = directory.file(header)
      try tool([
        Self.qtTools[0], "-N", "-i", "\(folder)/location_types.h", "-p", generated,
        Rig.sourceFile("dbus/org.geopublicist.Location1\(interface).xml"),
      ])
      try tool([Self.qtTools[1], "\(generated).h", "-o", "\(generated)_moc.cpp"])
      sources += ["\(generated).cpp", "\(generated)_moc.cpp"]
    }
    // The program is one compilation unit, because most of the time is spent on Qt's headers.
    let unit = directory.file("unit.cpp")
    let text = sources.map { "#include \"\($0)\"\n" }.joined()
    try text.write(toFile: unit, atomically: true, encoding: .utf8)
    return try compile([unit], "Qt6DBus", in: directory, with: ["c++", "-std=c++17", "-fPIC", "-I", folder])
  }

  @MainActor private func compile(
    _ files: [String], _ package: String, in directory: TemporaryDirectory, with compiler: [String] = ["cc"]
  )
    throws -> String
  {
    let program = directory.file("example")
    let flags = try run(["pkg-config", "--cflags", "--libs", package]).standardOutput
    try tool(
      compiler + ["-Wall", "-Werror", "-I", directory.path, "-o", program] + files
        + flags.split(whereSeparator: \.isWhitespace).map(String.init))
    return program
  }

  @MainActor private func tool(_ arguments: [String]) throws {
    let result = try run(arguments, within: .seconds(180))
    guard result.succeeded else {
      throw DeadlineExceeded("\(arguments.joined(separator: " "))", within: .zero, seen: result.standardError)
    }
  }
}

/// A bus with the real GeoClue and the service of the system deployment.
final class ExampleFixture {
  let bus: PrivateBus
  let geoclue: RealGeoClue
  private(set) var service: Service

  init(broker: PrivateBus.Broker = .chosen) throws {
    bus = try PrivateBus(.system, broker: broker)
    geoclue = try RealGeoClue(on: bus)
    service = try Service(.system, on: bus)
  }

  /// Makes the receiver report a place whenever GeoClue listens, until a condition holds.
  func stand(
    _ latitude: Double, _ longitude: Double, until awaited: String, _ condition: () throws -> Bool
  ) throws {
    try eventually(awaited, within: .seconds(30)) {
      geoclue.receiver.offer(GGASentence(latitude: latitude, longitude: longitude))
      usleep(50_000)
      return try condition()
    }
  }

  /// Kills the service, and starts it again as the bus would.
  func restartService() throws {
    service.kill()
    service = try Service(.system, on: bus)
  }
}
