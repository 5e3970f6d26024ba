// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistCGLib
import GeopublicistClient
import GeopublicistProcessSupport
import Glibc

final class ReplayCommand: Command {
  static let name = "replay"
  static let summary = tr("Play a recorded track on the session bus, for testing programs")
  static let operands: String? = "FILE [-- COMMAND...]"
  static let needsSessionBus = true

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("speed", nil, tr("Play this many times faster, such as 10 or 0.5"), value: "NUMBER")
    parser.addSwitch("loop", nil, tr("Play the track again from the beginning after its end"))
  }

  static let examples: Examples = [
    ("replay walk.gpx --speed 10", tr("Publish the track ten times faster, and show the location.")),
    (
      "replay walk.gpx -- python3 follow.py",
      tr("Run a program that uses the service, and publish the track until it ends.")
    ),
  ]

  let invocation: Invocation
  private let file: String
  private let command: [String]
  private let speed: String?
  private var service: RunningProgram?
  private var program: RunningProgram?
  private var watch: (command: WatchCommand, invocation: Invocation)?
  private var isEnding = false

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    guard let file = invocation.operands.first, !file.isEmpty else { throw .init(tr("replay requires a FILE")) }
    self.file = file
    command = Array(invocation.operands.dropFirst())
    guard command.isEmpty || invocation.operandsBeforeDashes == 1 else {
      throw .init(tr("replay takes one FILE; write -- before a COMMAND"))
    }
    speed = try invocation.parser.factor("speed")
  }

  func begin() {
    invocation.attempt {
      // The file is read twice, and the other end of a pipe may never write.
      guard Self.isRegular(file) ?? true else {
        return invocation.fail(tr("\(file): replay requires a regular file"))
      }
      // Checked here, since the user does not see the messages of the service.
      _ = try RecordedTrack.read(file)
      guard let service = Self.serviceProgram else {
        return invocation.fail(tr("geopublicistd is not installed beside this program"))
      }
      guard let connection = invocation.connect() else { return }
      let daemon = Proxy(on: connection.connection, destination: .bus, path: .bus, interface: .bus)
      daemon.call("GetNameOwner", .string(ServiceContract.service.rawValue)) { [weak self] result in
        if case .success = result {
          self?.invocation.fail(
            tr("The service is already running on \(self?.invocation.busName ?? ""); stop it first"))
        } else {
          self?.start(service)
        }
      }
    }
  }

  /// Waits for the program, whose status becomes that of this command; a second signal ends both at once.
  func interrupted() {
    if let watch { return watch.command.interrupted() }
    guard let program, !isEnding else { return invocation.finish(ExitStatus.interrupted) }
    isEnding = true
    // The terminal has sent Ctrl-C to the program as well, which may clean up.
    if invocation.signal != SIGINT { program.terminate() }
  }

  private func start(_ program: String) {
    let parser = invocation.parser
    var words = [program, "--session", "--replay", file]
    if case .address(let address) = invocation.bus { words += ["--address", address] }
    if let speed { words += ["--speed", speed] }
    if parser.isSet("loop") { words.append("--loop") }
    service = RunningProgram(words, isApart: true) { [weak self] status in
      self?.invocation.fail(
        tr("geopublicistd ended with status \(status); to see why, run: \(words.joined(separator: " "))"))
    }
    guard let service else { return invocation.fail("\(program): \(String(cString: strerror(errno)))") }
    invocation.output.whenEnding { [weak self] in
      self?.program?.end()
      // The next replay may begin as soon as this process has exited.
      service.endAndWait()
      self?.watch?.invocation.output.restore()
    }
    invocation.service?.onPresence = { [weak self] isThere in if isThere { self?.use() } }
  }

  private func use() {
    invocation.service?.onPresence = nil
    guard command.isEmpty else { return run() }
    do throws(UsageError) {
      var arguments = invocation.isJSON ? ["--json"] : []
      if case .address(let address) = invocation.bus {
        arguments += ["--address", address]
      } else {
        arguments.append("--session")
      }
      let invocation = try Invocation(of: WatchCommand.self, arguments)
      let command = try WatchCommand(invocation)
      watch = (command, invocation)
      invocation.followOutput()
      command.begin()
    } catch { invocation.fail(error.message) }
  }

  private func run() {
    var environment: [(String, String)] = []
    if case .address(let address) = invocation.bus { environment = [("DBUS_SESSION_BUS_ADDRESS", address)] }
    program = RunningProgram(command, environment: environment) { [invocation] in invocation.finish($0) }
    if program == nil { invocation.fail("\(command[0]): \(String(cString: strerror(errno)))") }
  }

  /// Returns nil if there is no such file.
  private static func isRegular(_ path: String) -> Bool? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFREG : nil
  }

  /// The program of the service, installed or built together with this one.
  static var serviceProgram: String? {
    guard let folder = OwnProgram.folder, let prefix = OwnProgram.prefix else { return nil }
    return ["\(prefix)/libexec/geopublicistd", "\(folder)/geopublicistd", "/usr/libexec/geopublicistd"]
      .first { g_file_test($0, cglib_file_test_is_executable) != 0 }
  }
}
