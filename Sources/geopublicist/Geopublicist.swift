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

/// The command-line program: a D-Bus client of the published contract.
struct Geopublicist {
  static let commands: [any Command.Type] = [
    StatusCommand.self, LocateCommand.self, WatchCommand.self, RecordCommand.self, RegionCommand.self, ListCommand.self,
    AuthorizeCommand.self, AlmanacCommand.self, TimeZoneCommand.self, SunCommand.self, MonitorCommand.self,
    DoctorCommand.self, AgentCommand.self, SwitchCommand.self, ReplayCommand.self, PlaceCommand.self, RunCommand.self,
  ]

  static func main(_ arguments: [String]) -> Int32 {
    openStandardStreams()
    // The terminal's character set, for GLib's help text and for ours.
    setlocale(LC_CTYPE, "")
    Translations.open()
    setenv("DBUS_FATAL_WARNINGS", "0", 0)
    // Writing to a closed pipe must fail, not end the program.
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(arguments.dropFirst())
    // Asked by a shell when the Tab key is pressed.
    if arguments.first == "--complete" { return print(Completion.lines(Array(arguments.dropFirst()))) }
    return run(arguments)
  }

  /// Opens the standard streams that the caller has closed. Otherwise the next file opened, such as the connection to the
  /// bus, would take the place of a standard stream and receive text that is meant for the user.
  private static func openStandardStreams() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
      // Read-only, so that writing fails and is reported.
      _ = open("/dev/null", O_RDONLY)
    }
  }

  private static func run(_ arguments: [String]) -> Int32 {
    do throws(UsageError) {
      return try dispatch(arguments)
    } catch {
      if let help = error.help { return print(help) }
      StandardError.write("geopublicist: \(error.message)\n")
      return ExitStatus.usage
    }
  }

  private static func dispatch(_ arguments: [String]) throws(UsageError) -> Int32 {
    guard let (word, rest) = Invocation.split(arguments) else {
      return try runWithoutCommand(arguments)
    }
    let name = try name(meantBy: word)
    guard let type = commands.first(where: { $0.name == name }) else {
      return try name == "version" ? runWithoutCommand(["--version"]) : dispatch(rest.prefix(1) + ["--help"])
    }
    let invocation = try Invocation(of: type, rest)
    return serve(try type.init(invocation), invocation)
  }

  static var names: [String] { commands.map { $0.name } }

  private static func name(meantBy word: String) throws(UsageError) -> String {
    switch Suggestion.match(word, among: names + ["help", "version"]) {
    case .found(let name): return name
    case .unknown(nil): throw .init(tr("There is no command '\(word)'; see geopublicist help"))
    case .unknown(let nearest?): throw .init(tr("There is no command '\(word)'; did you mean '\(nearest)'?"))
    case .ambiguous(let names): throw .init(tr("'\(word)' could be \(Suggestion.alternatives(names))"))
    }
  }

  /// Whether the program was started so that it outlives its terminal, as with `nohup`.
  private static var isHangupIgnored: Bool {
    var action = sigaction()
    guard sigaction(SIGHUP, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func serve(_ command: any Command, _ invocation: Invocation) -> Int32 {
    // Signals are handled before the command connects, so that none falls in between.
    let handled = isHangupIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    let signals = UnixSignals(handled) { signal in
      invocation.signal = signal
      invocation.prompt?.interrupted()
      command.interrupted()
    }
    invocation.followOutput()
    command.begin()
    let status = MainLoop.main.run()
    invocation.output.restore()
    withExtendedLifetime((signals, command)) {}
    return status
  }

  /// Handles `--help`, `--version` and a command line without a command, which shows the status and the commands.
  private static func runWithoutCommand(_ arguments: [String]) throws(UsageError) -> Int32 {
    let parser = parserWithoutCommand
    _ = try parser.parse(arguments)
    guard parser.isSet("version") else { return try runOverview(arguments) }
    return print("geopublicist \(ProgramVersion.current)\n")
  }

  static var parserWithoutCommand: OptionParser {
    let parser = OptionParser(
      "geopublicist",
      summary: tr("Shows where this computer is, and which programs may have its location.") + "\n\n" + commandList,
      arguments: "COMMAND", footer: tr("geopublicist help COMMAND shows more about a command."))
    Invocation.declareCommonOptions(parser)
    parser.addSwitch("version", "V", tr("Show the version"))
    return parser
  }

  private static func print(_ text: String) -> Int32 { StandardStream.print(text, as: "geopublicist") }

  private static func runOverview(_ arguments: [String]) throws(UsageError) -> Int32 {
    let invocation = try Invocation(of: StatusCommand.self, arguments)
    let status = serve(try StatusCommand(invocation), invocation)
    if !invocation.isJSON {
      invocation.output.line("\n\(commandList)\n\n" + tr("geopublicist help COMMAND shows more."))
    }
    return status
  }

  private static var commandList: String {
    let width = commands.map { $0.name.count }.max() ?? 0
    return tr("Commands:") + "\n"
      + commands.map { "  \(Text.padded($0.name, to: width))  \($0.summary)" }.joined(separator: "\n")
  }
}
