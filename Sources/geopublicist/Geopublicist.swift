// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import GeopublicistProcessSupport
import Glibc
import MainLoop

/// The entry point, by the name that SwiftPM gives the `main` of this module.
@_cdecl("geopublicist_main")
func enter(_ count: Int32, _ vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
  Geopublicist.main(ProgramArguments.strings(count, vector))
}

/// The command: a D-Bus client of the published contract.
struct Geopublicist {
  nonisolated static let version = "1.0.0"

  static let commands: [any Command.Type] = [
    StatusCommand.self, LocateCommand.self, WatchCommand.self, RecordCommand.self, ListCommand.self,
    AuthorizeCommand.self, MonitorCommand.self, DoctorCommand.self,
  ]

  static func main(_ arguments: [String]) -> Int32 {
    openStandardStreams()
    // The characters of the terminal, for GLib's help text and for ours.
    setlocale(LC_CTYPE, "")
    setenv("DBUS_FATAL_WARNINGS", "0", 0)
    // A reader that goes away is told by the write that fails.
    signal(SIGPIPE, SIG_IGN)
    return run(Array(arguments.dropFirst()))
  }

  /// Whoever calls a program may have closed them. What is opened next would take their place, the connection to the bus
  /// for one, and get the text that was meant for a person.
  private static func openStandardStreams() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
      // For reading alone, so that nothing seems to have been written.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  private static func run(_ arguments: [String]) -> Int32 {
    do throws(OptionParser.UsageError) {
      guard let (name, rest) = Invocation.split(arguments) else { return try runWithoutCommand(arguments) }
      guard let type = commands.first(where: { $0.name == name }) else {
        throw OptionParser.UsageError(message: "There is no command '\(name)'; see geopublicist --help")
      }
      let invocation = try Invocation(of: type, rest)
      return serve(try type.init(invocation), invocation)
    } catch {
      StandardError.write("geopublicist: \(error.message)\n")
      return ExitStatus.usage
    }
  }

  private static func serve(_ command: any Command, _ invocation: Invocation) -> Int32 {
    // Before the connection, which must not be between a signal and its handler.
    let signals = UnixSignals([SIGINT, SIGTERM, SIGHUP]) { _ in command.interrupted() }
    invocation.followOutput()
    command.begin()
    let status = MainLoop.main.run()
    invocation.output.restore()
    withExtendedLifetime((signals, command)) {}
    return status
  }

  /// `--help`, `--version`, or nothing, which is a mistake.
  private static func runWithoutCommand(_ arguments: [String]) throws(OptionParser.UsageError) -> Int32 {
    let width = commands.map { $0.name.count }.max() ?? 0
    let list = commands.map { "  \(Text.padded($0.name, to: width))  \($0.summary)" }.joined(separator: "\n")
    g_set_prgname("geopublicist")
    let parser = OptionParser(
      summary: """
        Says where this machine is, and who may know it.

        Commands:
        \(list)

        geopublicist COMMAND --help tells more about each.
        """, arguments: "COMMAND")
    Invocation.declareCommonOptions(parser)
    parser.addSwitch("version", nil, "Print the version and exit")
    _ = try parser.parse(["geopublicist"] + arguments)
    guard parser.isSet("version") else {
      throw OptionParser.UsageError(message: "No command is given; see geopublicist --help")
    }
    let output = StandardOutput()
    let isWritten = output.write("geopublicist \(version)\n")
    return withExtendedLifetime(output) { isWritten ? ExitStatus.success : ExitStatus.failure }
  }
}
