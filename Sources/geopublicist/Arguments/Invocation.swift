// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// One run of the program: the bus, the form of the output, and the options and operands of the subcommand.
final class Invocation {
  let parser: OptionParser
  /// The arguments that are not options, without the subcommand's name.
  let operands: [String]
  /// How many operands precede `--`; zero without it.
  let operandsBeforeDashes: Int
  let output: StandardOutput
  let bus: Connection.Bus
  let busName: String
  let isJSON: Bool
  /// The connection to the service, from ``connect()`` on.
  private(set) var service: ServiceConnection?
  private(set) var prompt: AuthorizationPrompt?
  /// The last signal that this process has received.
  var signal: Int32?
  private var lastComplaint = ""
  /// Whether access has been allowed since it was last refused.
  private var wasAllowed = false

  private static let addressOption = "address"

  /// Separates the subcommand from the other arguments, even if options precede it; nil if there is none.
  static func split(_ arguments: [String]) -> (command: String, rest: [String])? {
    let parsers = Geopublicist.commands.map { parser(of: $0) }
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      if parsers.contains(where: { $0.optionAwaitingValue(argument) != nil }),
        // A letter can also be a switch of the command that follows.
        arguments.dropFirst(index + 1).first.map({ !isSwitch(argument, ofCommand: $0) }) ?? true
      {
        index += 2
      } else if argument.hasPrefix("-") {
        index += 1
      } else {
        return (argument, Array(arguments[..<index] + arguments[(index + 1)...]))
      }
    }
    return nil
  }

  private static func isSwitch(_ argument: String, ofCommand word: String) -> Bool {
    guard case .found(let name) = Suggestion.match(word, among: Geopublicist.names),
      let command = Geopublicist.commands.first(where: { $0.name == name })
    else { return false }
    return parser(of: command).isSwitch(argument)
  }

  static func parser(of command: any Command.Type) -> OptionParser {
    let parser = OptionParser(
      "geopublicist \(command.name)", summary: command.summary + ".", arguments: command.operands,
      footer: command.helpFooter)
    command.declareOptions(parser)
    declareCommonOptions(parser, onSessionBusOnly: command.needsSessionBus)
    return parser
  }

  static func declareCommonOptions(_ parser: OptionParser, onSessionBusOnly: Bool = false) {
    if !onSessionBusOnly { parser.addSwitch("system", nil, tr("Use the system bus (default)")) }
    parser.addSwitch("session", nil, onSessionBusOnly ? tr("Use the session bus (default)") : tr("Use the session bus"))
    parser.addText(addressOption, nil, tr("Use the bus at this D-Bus address"), value: "ADDRESS")
    parser.addSwitch("json", "j", tr("Print one JSON object per line"))
  }

  init(of command: any Command.Type, _ arguments: [String]) throws(UsageError) {
    parser = Self.parser(of: command)
    operands = try parser.parse(arguments)
    let dashes = arguments.firstIndex(of: "--")
    operandsBeforeDashes =
      try dashes.map { end throws(UsageError) in
        try Self.parser(of: command).parse(Array(arguments[..<end])).count
      } ?? 0
    if command.operands == nil, let first = operands.first {
      throw UsageError(tr("Unexpected argument '\(first)'"))
    }
    isJSON = parser.isSet("json")
    output = StandardOutput()
    // Output into a pipe or in a chosen form is read by programs.
    if isJSON || !output.isOnTerminal || parser.text("format") != nil { Translations.close() }
    let address = parser.text(Self.addressOption)
    let isSession = parser.isSet("session")
    guard [parser.isSet("system"), isSession, address != nil].count(where: \.self) < 2 else {
      throw UsageError(tr("--system, --session and --address cannot be combined"))
    }
    if let address {
      (bus, busName) = (.address(address), tr("this bus"))
    } else if isSession || command.needsSessionBus {
      (bus, busName) = (.session, tr("the session bus"))
    } else {
      (bus, busName) = (.system, tr("the system bus"))
    }
  }

  /// Ends the program when the reader of its output has exited, or when the output cannot be written.
  func followOutput() {
    // Weak, since the invocation owns the output.
    output.onEnd = { [weak self] reason in
      guard let self else { return }
      if let reason { fail(tr("The output cannot be written: \(reason)")) } else { finish(ExitStatus.success) }
    }
  }

  /// Prints a result in the form that the user has chosen: lines of text, or objects.
  func show(_ lines: @autoclosure () -> [String], orJSON objects: @autoclosure () -> [String]) {
    for line in isJSON ? objects() : lines() { output.line(line) }
  }

  /// Does a piece of work; if it fails, reports why and ends the program.
  func attempt(_ work: () throws -> Void) {
    do { try work() } catch { fail("\(error)") }
  }

  func finish(_ status: Int32) {
    output.endProgress()
    MainLoop.main.quit(status: status)
  }

  func fail(_ message: String, _ status: Int32 = ExitStatus.failure) {
    complain(message)
    finish(status)
  }

  /// Ends the program with the message and the status that a D-Bus error calls for.
  func fail(_ error: DBusError) {
    let failure = Failure(error, on: busName, presence: presence(after: error))
    fail(failure.message, failure.status)
  }

  /// Ends the program because a call has no result.
  func fail(_ failure: CallFailure) {
    let failure = Failure(failure, on: busName, presence: presence(after: failure.error))
    fail(failure.message, failure.status)
  }

  /// Returns whether the service runs or can be started, if that explains an error. Asks on a new connection, since the
  /// present one may be delivering the error.
  private func presence(after error: DBusError) -> DoctorFacts.Service? {
    guard [.noReply, .serviceUnknown, .nameHasNoOwner].contains(error.name) else { return nil }
    return (try? BusQuestions(bus))?.presence(of: ServiceContract.service)
  }

  /// Ends the program because of a D-Bus error, or only reports it: at the start the error is the answer, later the
  /// service may return.
  func fail(_ error: DBusError, unless mayRecover: Bool) {
    guard mayRecover else { return fail(error) }
    let message = Failure(error, on: busName).message
    // The authorization, which follows, says the same.
    if error.name == .notAuthorized { refused(message) } else { complain(message) }
  }

  /// Returns a handler that passes an answer on, and ends the program because of an error.
  func unlessFailed<Answer>(_ action: @escaping (Answer) -> Void) -> (Result<Answer, CallFailure>) -> Void {
    { [self] result in
      switch result {
      case .success(let answer): action(answer)
      case .failure(let error): fail(error)
      }
    }
  }

  /// Reports an event of the service to a program that reads the output, with `--json` also as an object.
  func report(_ event: String, _ message: String) {
    if event == "Resumed" { recovered(message) } else { complain(message) }
    if isJSON { output.line(JSONText.event(event, [("Message", .string(message))])) }
  }

  /// Reports that access to the location is refused, also if it was refused for the same reason before it was allowed;
  /// does nothing while it is undecided.
  func complain(about authorization: Authorization) {
    guard authorization.reason != .undecided else { return }
    if authorization.isAuthorized { wasAllowed = true } else { refused(Sentences.authorization(authorization)) }
  }

  private func refused(_ sentence: String) {
    if wasAllowed, sentence == lastComplaint { lastComplaint = "" }
    wasAllowed = false
    complain(sentence)
  }

  /// Reports the end of a problem, so that the same problem is reported again if it returns. Does nothing without one.
  func recovered(_ message: String) {
    guard !lastComplaint.isEmpty else { return }
    complain(message)
    lastComplaint = ""
  }

  /// Reports each outage of the source and its end, for objects that report none themselves.
  func followOutages(of service: ServiceConnection) -> PropertyWatch {
    var (state, reason, isOut) = ("", "", false)
    return service.onProperties { [weak self] properties in
      state = properties["State"]?.string ?? state
      reason = properties["StateReason"]?.string ?? reason
      switch SourceState(rawValue: state) {
      // A refusal by GeoClue is reported as the authorization.
      case .unavailable where !isOut && AuthorizationReason(rawValue: reason) == nil:
        isOut = true
        self?.complain(Sentences.source(state: state, reason: reason))
      case .running where isOut:
        isOut = false
        self?.recovered(tr("Receiving locations again"))
      default: break
      }
    }
  }

  /// Reports a problem on standard error, and continues.
  ///
  /// - Parameter repeats: Whether the same message is reported twice in succession, since each concerns another event.
  func complain(_ message: String, repeats: Bool = false) {
    guard repeats || message != lastComplaint else { return }
    lastComplaint = message
    output.clearProgress()
    StandardError.write("geopublicist: \(message)\n")
  }
}

extension Invocation {
  /// Connects to the chosen bus; if that fails, reports why, ends the program and returns nil.
  func connect() -> ServiceConnection? {
    do throws(DBusError) {
      let service = try ServiceConnection(to: bus)
      service.connection.onDisconnected = { [weak self] in
        self?.fail(tr("Lost the connection to the message bus"), ExitStatus.unavailable)
      }
      self.service = service
      return service
    } catch  where error.name == .badAddress || error.name == .accessDenied {
      fail(error)
    } catch {
      // libdbus has many names for a missing bus: no address, no socket, no X11 server to ask.
      fail(DBusError(.noServer, error.withoutAutolaunch.printable))
    }
    return nil
  }

  /// Returns how this connection asks for its authorization.
  func makePrompt(on service: ServiceConnection) -> AuthorizationPrompt {
    let prompt = AuthorizationPrompt(self, on: service)
    self.prompt = prompt
    return prompt
  }

  /// Connects to the service, lets the user be asked if `--interactive` is given, and continues unless access is
  /// refused.
  func authorize(_ options: ClientOptions, then action: @escaping (ServiceConnection) -> Void) {
    guard let service = service ?? connect() else { return }
    makePrompt(on: service).obtain(options) { action(service) }
  }
}

nonisolated extension DBusError {
  /// The message, but without libdbus's advice about X11 if there is no session bus.
  var withoutAutolaunch: String {
    message.hasPart("autolaunch")
      ? tr(
        "this login has no bus; log in to a desktop session, or start a bus for one program: dbus-run-session -- PROGRAM"
      )
      : message
  }
}
