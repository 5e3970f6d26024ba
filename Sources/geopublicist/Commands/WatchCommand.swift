// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc
import MainLoop

final class WatchCommand: Command {
  static let name = "watch"
  static let summary = tr("Show where this computer is, continuously")

  static func declareOptions(_ parser: OptionParser) {
    SubscriptionArguments.declareSubscription(parser)
    AuthorizationPrompt.declare(parser)
    LocationTemplate.declare(parser)
  }

  static let examples: Examples = [
    ("watch", tr("Follow the location on the terminal until q or Ctrl-C.")),
    ("watch --distance 50m --json", tr("Print one JSON object whenever this computer has moved 50 m.")),
    ("watch --format waybar", tr("Feed a waybar module.")),
  ]

  let invocation: Invocation
  private let options: ClientOptions
  private let template: LocationTemplate?
  private var subscription: ServiceSubscription?
  private var state = WatchState()
  private var region: LiveRegion?
  private var sourceWatch: PropertyWatch?
  private var ticks: LoopSource?
  private var keyboard: Keyboard?
  private var resumption: UnixSignals?

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    let parser = invocation.parser
    var options = try SubscriptionArguments.read(ClientOption.ofSubscription, parser)
    options.maximumUpdates = try parser.count("count") ?? 0
    options.duration = try parser.duration("duration") ?? .zero
    self.options = options
    template = try LocationTemplate.read(invocation.parser)
  }

  func begin() {
    invocation.authorize(options) { [weak self] service in self?.follow(service) }
  }

  private func follow(_ service: ServiceConnection) {
    subscription = ServiceSubscription(on: service, options) { [weak self] event in self?.handle(event) }
    if invocation.output.isOnTerminal { readKeys() }
    if invocation.output.isTerminal, !invocation.isJSON, template == nil { beginDrawing() }
    sourceWatch = service.onProperties { [weak self] properties in
      self?.state.sourceChanged(properties)
      self?.draw()
    }
  }

  func interrupted() {
    let isAwaited = state.count == 0 && (options.maximumUpdates > 0 || options.duration > .zero)
    invocation.finish(isAwaited ? ExitStatus.interrupted : ExitStatus.success)
  }

  private func handle(_ event: ServiceSubscription.Event) {
    state.handle(event)
    switch event {
    case .update(let reading):
      guard region == nil else { break }
      invocation.recovered(tr("Receiving locations again"))
      invocation.show(
        [template?.text(reading) ?? LocationText.line(reading)], orJSON: [JSONText.location(reading)])
    // A drawing shows problems itself.
    case .authorization(let authorization):
      if region == nil { invocation.complain(about: authorization) }
      if !authorization.isAuthorized, authorization.reason != .undecided {
        showRefusal(Sentences.authorization(authorization))
      }
    case .failure(let error): if region == nil { invocation.complain(tr(received: error.message)) }
    case .interrupted:
      guard region == nil else { break }
      invocation.report("Interrupted", tr("The service stopped; the locations continue when it is back"))
    case .resumed: if region == nil { invocation.report("Resumed", tr("The service is back")) }
    case .closed:
      draw()
      // The message stays below the drawing.
      region = nil
      if let complaint = state.lack { invocation.complain(complaint) }
      invocation.finish(state.exitStatus)
    case .refused(let error):
      showRefusal(error.message)
      failed(error, isFinal: false)
    case .failed(let error, let isFinal): failed(error, isFinal: isFinal)
    }
    draw()
  }

  private func failed(_ error: DBusError, isFinal: Bool) {
    guard !isFinal, state.hasBegun else {
      region = nil
      return invocation.fail(error)
    }
    if region == nil { invocation.fail(error, unless: true) }
  }
}

extension WatchCommand {
  private func showRefusal(_ sentence: String) {
    if let line = template?.text(refusal: sentence), !invocation.isJSON { invocation.output.line(line) }
  }

  private func readKeys() {
    keyboard = Keyboard { [weak self] key in if key == UInt8(ascii: "q") { self?.interrupted() } }
    if let keyboard { invocation.output.whenEnding { keyboard.restore() } }
    // The shell has taken the terminal while this program was stopped.
    resumption = UnixSignals([SIGCONT]) { [weak self] _ in
      self?.keyboard?.resume()
      self?.region?.startAgain()
      self?.draw()
    }
  }

  private func beginDrawing() {
    region = LiveRegion(on: invocation.output)
    // Keeps the age of the last location current.
    ticks = MainLoop.main.every(.seconds(1)) { [weak self] in self?.draw() }
  }

  private func draw() {
    guard let region else { return }
    region.draw(state.lines(for: invocation.output, fitting: invocation.output.rows - 1))
  }
}

/// The state of `watch` and `record` at a moment, and how `watch` shows it on a terminal.
struct WatchState {
  private(set) var last: ServiceLocation?
  private(set) var count = 0
  /// The decision of the service about this program; nil before the first one.
  private var authorization: Authorization?
  private var sourceState = ""
  private var sourceReason = ""
  private var complaint = ""

  var hasBegun: Bool { authorization != nil }

  var isAuthorized: Bool { authorization?.isAuthorized ?? false }

  /// Whether access is denied, rather than not decided yet.
  var isRefused: Bool { !isAuthorized && authorization?.reason != .undecided }

  mutating func handle(_ event: ServiceSubscription.Event) {
    switch event {
    case .update(let reading):
      last = reading
      count += 1
      complaint = ""
    case .authorization(let authorization):
      self.authorization = authorization
      // A location that this program may no longer have must not stay on the screen.
      if !isAuthorized { last = nil }
    case .failure(let error): complaint = tr(received: error.message)
    case .interrupted: complaint = tr("The service stopped")
    case .resumed: complaint = ""
    case .closed, .failed, .refused: break
    }
  }

  mutating func sourceChanged(_ properties: [String: Value]) {
    if let state = properties["State"]?.string { sourceState = state }
    if let reason = properties["StateReason"]?.string { sourceReason = reason }
  }

  /// The exit status when the service has ended the subscription.
  var exitStatus: Int32 {
    if count > 0 { return ExitStatus.success }
    if isRefused, hasBegun { return ExitStatus.notAuthorized }
    if sourceState == SourceState.unavailable.rawValue { return ExitStatus.unavailable }
    return isAuthorized || !hasBegun ? ExitStatus.timeout : ExitStatus.notAuthorized
  }

  /// Why no location arrived; nil if one did, or if the reason has been reported.
  var lack: String? {
    if count > 0 || isRefused { return nil }
    switch SourceState(rawValue: sourceState) {
    case .unavailable, .waiting: return Sentences.source(state: sourceState, reason: sourceReason)
    case .idle, .starting, .running, nil: return tr("No location arrived before the timeout")
    }
  }

  private var sourceDetail: String {
    // The authorization shows the same reason.
    if let reason = authorization?.reason.rawValue, !reason.isEmpty, reason == sourceReason { return "" }
    switch SourceState(rawValue: sourceState) {
    case .running: return ""
    // The sentence, "No subscribers", would be wrong: this program subscribes.
    case .idle where sourceReason.isEmpty:
      return isAuthorized ? "" : tr("GeoClue will be used as soon as access is allowed")
    default: return Sentences.source(state: sourceState, reason: sourceReason)
    }
  }

  /// Returns the lines for a terminal; on a short one the latitude and longitude are the last rows to disappear.
  @MainActor func lines(for output: StandardOutput, fitting height: Int) -> [String] {
    var rows = Rows()
    let (status, reason) = (authorization?.status.rawValue ?? "", authorization?.reason.rawValue ?? "")
    rows.add(
      tr("Authorization"), status.isEmpty ? tr("asking") : status, Sentences.emphasis(status: status),
      detail: status.isEmpty || isAuthorized && reason.isEmpty ? "" : Sentences.authorization(reason: reason))
    rows.add(
      tr("GeoClue"), sourceState.isEmpty ? nil : sourceState, Sentences.emphasis(state: sourceState),
      detail: sourceDetail)
    if !complaint.isEmpty { rows.add(tr("Error"), complaint, .bad) }
    rows.add(tr("Locations"), "\(count)")
    let head = rows.lines(for: output)
    guard let last else { return head }
    let place = LocationText.rows(last).lines(for: output)
    let all = head + [""] + place + [LocationText.uri(last.location)]
    // The location's rows begin with latitude and longitude.
    return all.count <= height ? all : Array(place.prefix(max(1, height)))
  }
}
