// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistProcessSupport
import Glibc

/// `geopublicist replay`: the service with a recorded track on the session bus, as long as something watches.
final class ReplayCommand: Command {
  static let name = "replay"
  static let summary = "Play a recorded track on the session bus, for trying programs"
  static let operands: String? = "FILE [-- COMMAND...]"

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("speed", nil, "Play this many times faster, such as 10 or 0.5", value: "NUMBER")
    parser.addSwitch("loop", nil, "Play from the beginning after the end")
  }

  static let examples = [
    (line: "replay walk.gpx --speed 10", meaning: "Publish the track and show where it is."),
    (line: "replay walk.gpx -- gnome-maps", meaning: "Publish it while a program runs."),
  ]

  private let invocation: Invocation
  private let file: String
  private let command: [String]
  private var service: RunningProgram?
  private var program: RunningProgram?
  private var watch: (command: WatchCommand, invocation: Invocation)?
  private var connection: ServiceConnection?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    self.invocation = invocation
    guard let file = invocation.operands.first else { throw .init(message: "replay takes a FILE") }
    guard !invocation.parser.isSet("system") else { throw .init(message: "A track is played on the session bus only") }
    self.file = file
    command = Array(invocation.operands.dropFirst())
  }

  func begin() {
    do {
      // Before anything is started: the service would say it to nobody.
      _ = try RecordedTrack.read(file)
      guard let service = Self.serviceProgram else {
        invocation.complain("geopublicistd is not installed beside this program")
        return invocation.finish(ExitStatus.failure)
      }
      let name = invocation.bus == .system ? "the session bus" : invocation.busName
      guard let connection = invocation.connect(to: bus, called: name) else { return }
      self.connection = connection
      let daemon = Proxy(on: connection.connection, destination: .bus, path: .bus, interface: .bus)
      daemon.call("GetNameOwner", .string(ServiceContract.service.rawValue)) {
        [weak self] result in
        if case .success = result {
          self?.fail("The service runs on the session bus already; end it first")
        } else {
          self?.start(service)
        }
      }
    } catch {
      fail("\(error)")
    }
  }

  func interrupted() {
    if let watch { return watch.command.interrupted() }
    invocation.finish(program == nil ? ExitStatus.interrupted : ExitStatus.success)
  }

  private var bus: Connection.Bus { invocation.bus == .system ? .session : invocation.bus }

  private func start(_ program: String) {
    let parser = invocation.parser
    var words = [program, "--session", "--replay", file]
    if case .address(let address) = bus { words += ["--address", address] }
    if let speed = parser.text("speed") { words += ["--speed", speed] }
    if parser.isSet("loop") { words.append("--loop") }
    service = RunningProgram(words, isQuiet: true) { [weak self] status in
      self?.fail(
        "geopublicistd has ended with status \(status); run it by hand to see why: \(words.joined(separator: " "))")
    }
    guard let service else { return fail("\(program): \(String(cString: strerror(errno)))") }
    invocation.output.whenEnding { [weak self] in
      service.end()
      self?.watch?.invocation.output.restore()
    }
    connection?.onPresence = { [weak self] isThere in
      if isThere { self?.use() }
    }
  }

  private func use() {
    connection?.onPresence = nil
    guard command.isEmpty else { return run() }
    do throws(OptionParser.UsageError) {
      var arguments = invocation.isJSON ? ["--json"] : []
      if case .address(let address) = bus {
        arguments += ["--address", address]
      } else {
        arguments.append("--session")
      }
      let invocation = try Invocation(of: WatchCommand.self, arguments)
      let command = try WatchCommand(invocation)
      watch = (command, invocation)
      invocation.followOutput()
      command.begin()
    } catch {
      fail(error.message)
    }
  }

  private func run() {
    var environment: [(String, String)] = []
    if case .address(let address) = bus { environment = [("DBUS_SESSION_BUS_ADDRESS", address)] }
    program = RunningProgram(command, environment: environment) { [invocation] in invocation.finish($0) }
    if program == nil { fail("\(command[0]): \(String(cString: strerror(errno)))") }
  }

  private func fail(_ message: String) {
    invocation.complain(message)
    invocation.finish(ExitStatus.failure)
  }

  /// The service's program where this one is installed, or where both were built.
  private static var serviceProgram: String? {
    guard let own = Processes.executable(of: UInt32(getpid())), let slash = own.lastIndex(of: "/") else { return nil }
    let folder = own[..<slash]
    return ["\(folder)/../libexec/geopublicistd", "\(folder)/geopublicistd", "/usr/libexec/geopublicistd"]
      .first { g_file_test($0, G_FILE_TEST_IS_EXECUTABLE) != 0 }
  }
}
