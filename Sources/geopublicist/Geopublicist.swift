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
  static let commands: [any Command.Type] = [
    StatusCommand.self, LocateCommand.self, WatchCommand.self, RecordCommand.self, RegionCommand.self, ListCommand.self,
    AuthorizeCommand.self, SunCommand.self, MonitorCommand.self, DoctorCommand.self, AgentCommand.self,
    SwitchCommand.self, ReplayCommand.self, PlaceCommand.self, RunCommand.self,
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
      guard let (name, rest) = Invocation.split(arguments, commands: commands) else {
        return try runWithoutCommand(arguments)
      }
      switch name {
      case "help": return try runWithoutCommand(rest.first.map { [$0, "--help"] } ?? ["--help"])
      case "version": return try runWithoutCommand(["--version"])
      default: return try run(command(named: name), rest)
      }
    } catch {
      StandardError.write("geopublicist: \(error.message)\n")
      return ExitStatus.usage
    }
  }

  private static func run(_ type: any Command.Type, _ arguments: [String]) throws(OptionParser.UsageError) -> Int32 {
    let invocation = try Invocation(of: type, arguments)
    return serve(try type.init(invocation), invocation)
  }

  private static func command(named word: String) throws(OptionParser.UsageError) -> any Command.Type {
    switch Suggestion.match(word, among: commands.map { $0.name }) {
    case .found(let name):
      if let command = commands.first(where: { $0.name == name }) { return command }
      fallthrough
    case .unknown(nil):
      throw OptionParser.UsageError(message: "There is no command '\(word)'; see geopublicist help")
    case .unknown(let nearest?):
      throw OptionParser.UsageError(message: "There is no command '\(word)'; did you mean '\(nearest)'?")
    case .ambiguous(let names):
      throw OptionParser.UsageError(message: "'\(word)' could be \(Suggestion.alternatives(names))")
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

  /// `--help`, `--version`, or nothing but common options: then the status, and what else there is.
  private static func runWithoutCommand(_ arguments: [String]) throws(OptionParser.UsageError) -> Int32 {
    if let name = arguments.first, !name.hasPrefix("-") {
      return try run(command(named: name), Array(arguments.dropFirst()))
    }
    g_set_prgname("geopublicist")
    let parser = OptionParser(
      summary: "Shows where this machine is, and who may know it.\n\n\(commandList)", arguments: "COMMAND",
      footer: "geopublicist help COMMAND shows more about a command.")
    Invocation.declareCommonOptions(parser)
    parser.addSwitch("version", "V", "Show the version")
    _ = try parser.parse(["geopublicist"] + arguments)
    guard parser.isSet("version") else { return try runOverview(arguments) }
    let output = StandardOutput()
    let isWritten = output.write("geopublicist \(ProgramVersion.current)\n")
    return withExtendedLifetime(output) { isWritten ? ExitStatus.success : ExitStatus.failure }
  }

  private static func runOverview(_ arguments: [String]) throws(OptionParser.UsageError) -> Int32 {
    let invocation = try Invocation(of: StatusCommand.self, arguments)
    let status = serve(try StatusCommand(invocation), invocation)
    if !invocation.isJSON { invocation.output.line("\n\(commandList)\n\ngeopublicist help COMMAND shows more.") }
    return status
  }

  private static var commandList: String {
    let width = commands.map { $0.name.count }.max() ?? 0
    return "Commands:\n"
      + commands.map { "  \(Text.padded($0.name, to: width))  \($0.summary)" }.joined(separator: "\n")
  }
}
