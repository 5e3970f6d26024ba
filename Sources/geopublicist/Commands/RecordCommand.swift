// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// `geopublicist record`: a track in a file that is complete whenever the recording is interrupted.
final class RecordCommand: Command {
  static let name = "record"
  static let summary = "Record a track for maps programs; Ctrl-C ends it"
  static let operands: String? = "FILE"

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("format", "f", "gpx, geojson, nmea or svg; by the file's name unless given", value: "FORMAT")
    parser.addSwitch("append", nil, "Continue a recording that exists")
    parser.addSwitch("force", nil, "Replace a file that exists")
    parser.addSwitch("summary", nil, "Record nothing; print length, duration, speed and climb of FILE")
    SubscriptionArguments.declare(parser)
    AuthorizationPrompt.declare(parser)
    parser.addText("count", "n", "End after this many fixes", value: "NUMBER")
    parser.addText("duration", nil, "End after this time", value: "TIME")
  }

  static let examples = [
    (line: "record walk.gpx", meaning: "Record until Ctrl-C; other formats are .geojson, .nmea and .svg."),
    (line: "record - -f nmea | nc -lk 10110", meaning: "Serve NMEA to a navigation program."),
    (line: "record --append walk.gpx", meaning: "Go on with yesterday's track, as a piece of its own."),
    (line: "record --summary walk.gpx", meaning: "Print how long the way was, and how far up."),
  ]

  private let invocation: Invocation
  private let path: String
  private let formatName: String
  /// The file is standard output.
  private var isStream: Bool { path == "-" }
  private let options: ClientOptions
  private let count: UInt32?
  private let duration: UInt32?

  private var writer: (any TrackSink)?
  private var prompt: AuthorizationPrompt?
  private var subscription: ServiceSubscription?
  private var upstream: PropertyWatch?
  private var timers: [LoopSource] = []
  private var state = WatchState()
  private var metres = 0.0
  private var previous: Location?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    let parser = invocation.parser
    guard invocation.operands.count == 1, let path = invocation.operands.first else {
      throw OptionParser.UsageError(message: "record takes one FILE")
    }
    let named = path == "-" ? "gpx" : TrackFormats.name(forFile: path)
    guard let name = parser.text("format") ?? named else {
      throw OptionParser.UsageError(
        message: "record takes a FILE that ends in .\(TrackFormats.names.joined(separator: ", .")), or --format")
    }
    guard TrackFormats.names.contains(name) else {
      throw OptionParser.UsageError(
        message: "--format takes \(TrackFormats.names.joined(separator: ", ")), not '\(name)'")
    }
    guard !(parser.isSet("append") && parser.isSet("force")) else {
      throw OptionParser.UsageError(message: "--append and --force exclude each other")
    }
    guard !(parser.isSet("append") && (name == "svg" || path == "-")) else {
      throw OptionParser.UsageError(message: "--append cannot continue a picture or standard output")
    }
    guard !(path == "-" && (name == "svg" || invocation.isJSON)) else {
      throw OptionParser.UsageError(message: "Standard output takes neither a picture nor --json")
    }
    self.invocation = invocation
    self.path = path
    formatName = name
    count = try parser.count("count")
    duration = try parser.duration("duration")
    // Both are counted here: the file has to be finished at the end.
    options = try SubscriptionArguments.read(ClientOption.ofSubscription, parser)
  }

  func begin() {
    if invocation.parser.isSet("summary") { return summarize() }
    guard let service = invocation.connect() else { return }
    service.connection.onDisconnected = { [weak self] in
      self?.invocation.complain("The message bus has gone")
      self?.end()
    }
    prompt = AuthorizationPrompt(invocation, on: service)
    prompt?.obtain(options) { [weak self] in self?.record(from: service) }
  }

  private func record(from service: ServiceConnection) {
    do throws(TrackFailure) {
      writer = try sink()
    } catch {
      return fail(error)
    }
    subscription = ServiceSubscription(on: service, options) { [weak self] event in self?.handle(event) }
    upstream = service.manager.onProperties { [weak self] properties in self?.state.upstreamChanged(properties) }
    showProgress()
    timers = [MainLoop.main.every(microseconds: 1_000_000) { [weak self] in self?.showProgress() }]
    if let duration {
      timers.append(MainLoop.main.after(milliseconds: Int64(duration)) { [weak self] in self?.end() })
    }
  }

  private func sink() throws(TrackFailure) -> any TrackSink {
    let parser = invocation.parser
    guard let format = TrackFormats.format(formatName, startingAt: Moment.now) else {
      return try TrackPicture(path, replacing: parser.isSet("force"))
    }
    if isStream { return try TrackStream(format) }
    return try TrackWriter(
      path, format, parser.isSet("append") ? .append : parser.isSet("force") ? .replace : .refuse)
  }

  private func summarize() {
    do {
      let summary = TrackSummary([try RecordedTrack.read(path)])
      if invocation.isJSON {
        invocation.output.line(summary.json(of: path))
      } else {
        for line in summary.rows.lines(for: invocation.output) { invocation.output.line(line) }
      }
      invocation.finish(ExitStatus.success)
    } catch {
      invocation.complain("\(error)")
      invocation.finish(ExitStatus.failure)
    }
  }

  func interrupted() {
    prompt?.interrupted()
    guard writer != nil else { return invocation.finish(ExitStatus.interrupted) }
    end(ExitStatus.success)
  }

  private func handle(_ event: ServiceSubscription.Event) {
    state.handle(event)
    switch event {
    case .update(let reading):
      invocation.recovered("Locations arrive again")
      record(reading.location)
    case .authorization(let authorization):
      guard !state.isAuthorized else { return }
      interrupt()
      if state.isRefused { invocation.complain(Sentences.authorization(authorization)) }
    case .failure(let error): invocation.complain(error.message)
    case .interrupted:
      interrupt()
      invocation.complain("The service has gone; the recording goes on when it is back")
    case .resumed: invocation.recovered("The service is back")
    case .closed: end()
    case .refused(let error): giveUp(error)
    case .failed(let error, let isFinal):
      // At the start it is an answer, later a service that is not back yet.
      if isFinal || !state.hasBegun { return giveUp(error) }
      invocation.complain(Failure(error, on: invocation.busName).message)
    }
  }

  private func giveUp(_ error: DBusError) {
    guard state.count == 0 else { return end() }
    writer?.discard()
    invocation.fail(error)
  }

  private func interrupt() {
    writer?.interrupt()
    previous = nil
  }

  private func record(_ location: Location) {
    do throws(TrackFailure) {
      try writer?.append(location)
    } catch {
      return fail(error)
    }
    metres += previous?.distance(to: location) ?? 0
    previous = location
    showProgress()
    if let count, state.count >= count { end() }
  }

  /// Ends in order; the status says whether there was anything to record unless another one is given.
  private func end(_ status: Int32? = nil) {
    do throws(TrackFailure) {
      try writer?.finish()
      writer = nil
    } catch {
      return fail(error)
    }
    let output = invocation.output
    if status == nil, let lack = state.lack { invocation.complain(lack) }
    if invocation.isJSON {
      output.line(
        JSONText.object([
          ("File", .string(path)), ("Fixes", .uint64(UInt64(state.count))), ("Metres", .double(metres.rounded())),
        ]))
    } else {
      output.clearProgress()
      if isStream { invocation.complain(summary) } else { output.line("\(path): \(summary)") }
    }
    invocation.finish(status ?? state.exitStatus)
  }

  private func fail(_ failure: TrackFailure) {
    guard !failure.isEndOfReader else { return invocation.finish(ExitStatus.success) }
    invocation.complain(failure.message)
    invocation.finish(ExitStatus.failure)
  }

  private var summary: String {
    "\(state.count) fix\(state.count == 1 ? "" : "es"), \(TrackSummary.text(metres: metres))"
  }

  private func showProgress() {
    invocation.output.showProgress("Recording: \(summary) (Ctrl-C ends it)")
  }
}
