// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class RecordCommand: Command {
  static let name = "record"
  static let summary = tr("Record a track for map programs, until Ctrl-C")
  static let operands: String? = "FILE"

  static func declareOptions(_ parser: OptionParser) {
    parser.addText(
      "format", "f", tr("gpx, geojson, nmea or svg (default: by the name of FILE)"), value: "FORMAT",
      words: TrackFormats.names)
    parser.addSwitch("append", nil, tr("Continue an existing recording"))
    parser.addSwitch("force", nil, tr("Replace an existing file"))
    parser.addSwitch("summary", nil, tr("Record nothing; print the length, duration, speed and climb of FILE"))
    SubscriptionArguments.declareSubscription(parser)
    AuthorizationPrompt.declare(parser)
  }

  static let examples: Examples = [
    ("record walk.gpx", tr("Record as GPX; .geojson, .nmea and .svg are other formats.")),
    ("record - -f nmea | nc -lk 10110", tr("Serve NMEA to navigation programs.")),
    ("record --append walk.gpx", tr("Continue a track with a new segment.")),
    ("record --summary walk.gpx", tr("Print the length, duration, speed and climb of a track.")),
  ]

  let invocation: Invocation
  private let path: String
  private let formatName: String
  private var isStream: Bool { path == "-" }
  private let options: ClientOptions
  private let count: UInt32?
  private let duration: Duration?

  private var writer: (any TrackSink)?
  private var subscription: ServiceSubscription?
  private var sourceWatch: PropertyWatch?
  private var timers: [LoopSource] = []
  private var state = WatchState()
  private var metres = 0.0
  private var previous: Location?
  private var hasEnded = false

  init(_ invocation: Invocation) throws(UsageError) {
    let parser = invocation.parser
    guard invocation.operands.count == 1, let path = invocation.operands.first, !path.isEmpty else {
      throw UsageError(tr("record requires exactly one FILE"))
    }
    let named = path == "-" ? "gpx" : TrackFormats.name(forFile: path)
    guard let name = try parser.word("format") ?? named else {
      throw UsageError(
        tr("record requires a FILE that ends in .\(TrackFormats.names.joined(separator: ", .")), or --format"))
    }
    guard !(parser.isSet("append") && parser.isSet("force")) else {
      throw UsageError(tr("--append and --force cannot be combined"))
    }
    guard !(parser.isSet("append") && (name == "svg" || path == "-")) else {
      throw UsageError(tr("--append cannot continue a picture or standard output"))
    }
    guard !(path == "-" && (name == "svg" || invocation.isJSON)) else {
      throw UsageError(tr("Neither a picture nor --json can be used with standard output"))
    }
    self.invocation = invocation
    self.path = path
    formatName = name
    count = try parser.count("count")
    duration = try parser.duration("duration")
    // Limits are enforced here and not by the service, so that the file is finished at the end.
    options = try SubscriptionArguments.read(ClientOption.ofSubscription, parser)
  }

  func begin() {
    if invocation.parser.isSet("summary") { return summarize() }
    // A recording in a file continues when the reader of the messages exits.
    if !isStream { invocation.output.ignoreReader() }
    guard let service = invocation.connect() else { return }
    service.connection.onDisconnected = { [weak self] in
      self?.invocation.complain(tr("Lost the connection to the message bus"))
      self?.giveUp(ExitStatus.unavailable) { isKept in
        if !isKept { self?.invocation.finish(ExitStatus.unavailable) }
      }
    }
    invocation.authorize(options) { [weak self] service in self?.record(from: service) }
  }

  private func record(from service: ServiceConnection) {
    do throws(TrackFailure) {
      writer = try sink()
    } catch {
      return fail(error)
    }
    subscription = ServiceSubscription(on: service, options) { [weak self] event in self?.handle(event) }
    sourceWatch = service.onProperties { [weak self] properties in self?.state.sourceChanged(properties) }
    showProgress()
    timers = [MainLoop.main.every(.seconds(1)) { [weak self] in self?.showProgress() }]
    if let duration {
      timers.append(MainLoop.main.after(duration) { [weak self] in self?.end() })
    }
  }

  private func sink() throws(TrackFailure) -> any TrackSink {
    let parser = invocation.parser
    guard let format = TrackFormats.format(formatName, startingAt: Moment.now) else {
      return try TrackPicture(path, replacing: parser.isSet("force"))
    }
    if isStream { return try TrackStream(format) }
    return try TrackWriter(path, format, parser.isSet("append") ? .append : parser.isSet("force") ? .replace : .refuse)
  }

  private func summarize() {
    invocation.attempt {
      let summary = TrackSummary(try RecordedTrack.read(path))
      invocation.show(summary.rows.lines(for: invocation.output), orJSON: [summary.json(of: path)])
      invocation.finish(ExitStatus.success)
    }
  }

  func interrupted() {
    guard writer != nil else { return invocation.finish(ExitStatus.interrupted) }
    // Without a fix, a file that was to be replaced is still the old one.
    let isAwaited = count != nil || duration != nil || invocation.parser.isSet("force")
    end(state.count == 0 && isAwaited ? ExitStatus.interrupted : ExitStatus.success)
  }

  private func handle(_ event: ServiceSubscription.Event) {
    state.handle(event)
    switch event {
    case .update(let reading):
      invocation.recovered(tr("Receiving locations again"))
      record(reading.location)
    case .authorization(let authorization):
      if !state.isAuthorized { interrupt() }
      invocation.complain(about: authorization)
    case .failure(let error): invocation.complain(tr(received: error.message))
    case .interrupted:
      interrupt()
      invocation.complain(tr("The service stopped; the recording continues when it is back"))
    case .resumed: invocation.recovered(tr("The service is back"))
    case .closed: end()
    case .refused(let error): failed(error, isFinal: false)
    case .failed(let error, let isFinal): failed(error, isFinal: isFinal)
    }
  }

  private func failed(_ error: DBusError, isFinal: Bool) {
    guard isFinal || !state.hasBegun else { return invocation.fail(error, unless: true) }
    giveUp(Failure(error, on: invocation.busName).status) { isKept in invocation.fail(error, unless: isKept) }
  }

  /// Ends because of a failure, which `report` reports, and keeps the recording so far. Without a fix, `report` also ends
  /// the program.
  private func giveUp(_ status: Int32, _ report: (_ isKept: Bool) -> Void) {
    guard !hasEnded else { return }
    guard state.count == 0 else {
      report(true)
      return end(status)
    }
    hasEnded = true
    writer?.discard()
    writer = nil
    report(false)
  }

  /// Begins a new segment with the next fix.
  private func interrupt() {
    writer?.interrupt()
    previous = nil
  }

  private func record(_ location: Location) {
    guard !hasEnded else { return }
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

  /// Finishes the file and ends; the status, unless given, shows whether anything was recorded.
  private func end(_ status: Int32? = nil) {
    // More events may be handled until the loop ends.
    guard !hasEnded else { return }
    hasEnded = true
    do throws(TrackFailure) {
      try writer?.finish()
      writer = nil
    } catch { return fail(error) }
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
    if failure.isEndOfReader { invocation.finish(ExitStatus.success) } else { invocation.fail(failure.message) }
  }

  private var summary: String {
    let length = TrackSummary.text(metres: metres)
    return tr("\(state.count) fix, \(length)", "\(state.count) fixes, \(length)", count: state.count)
  }

  private func showProgress() { invocation.output.showProgress(tr("Recording: \(summary) (Ctrl-C stops)")) }
}
