// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// `geopublicist watch`: each location, redrawn in place on a terminal, otherwise as a line.
final class WatchCommand: Command {
  static let name = "watch"
  static let summary = "Show where this machine is, continuously"

  static func declareOptions(_ parser: OptionParser) {
    SubscriptionArguments.declareSubscription(parser)
    AuthorizationPrompt.declare(parser)
    LocationTemplate.declare(parser)
  }

  static let examples: Examples = [
    ("watch", "Follow the location on the terminal until q or Ctrl-C."),
    ("watch --distance 50m --json", "Print one JSON object whenever this machine has moved 50 m."),
    ("watch --format waybar", "Feed a waybar module."),
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

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    let parser = invocation.parser
    var options = try SubscriptionArguments.read(ClientOption.ofSubscription, parser)
    options.maximumUpdates = try parser.count("count") ?? 0
    options.duration = try parser.duration("duration") ?? 0
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
    sourceWatch = service.manager.onProperties { [weak self] properties in
      self?.state.sourceChanged(properties)
      self?.draw()
    }
  }

  func interrupted() { invocation.finish(ExitStatus.success) }

  private func handle(_ event: ServiceSubscription.Event) {
    state.handle(event)
    switch event {
    case .update(let reading):
      if region == nil { invocation.recovered("Locations arrive again") }
      if let template {
        invocation.output.line(template.text(reading))
      } else if invocation.isJSON {
        invocation.output.line(JSONText.location(reading))
      } else if region == nil {
        invocation.output.line(LocationText.line(reading))
      }
    case .authorization(let authorization): if state.isRefused { say(Sentences.authorization(authorization)) }
    case .failure(let error): say(error.message)
    case .interrupted: report("Interrupted", "The service has gone; the locations continue when it is back")
    case .resumed: report("Resumed", "The service is back")
    case .closed:
      draw()
      if let complaint = state.lack { invocation.complain(complaint) }
      invocation.finish(state.exitStatus)
    case .refused(let error): invocation.fail(error)
    case .failed(let error, let isFinal):
      if isFinal || !state.hasBegun { return invocation.fail(error) }
      say(Failure(error, on: invocation.busName).message)
    }
    draw()
  }

  /// Reports a problem, which a drawing shows itself.
  private func say(_ message: String) { if region == nil { invocation.complain(message) } }

  /// Reports what a program that reads the output needs to know, with `--json` also as an object among the locations.
  private func report(_ event: String, _ message: String) {
    if event == "Resumed", region == nil { invocation.recovered(message) } else { say(message) }
    if invocation.isJSON { invocation.output.line(JSONText.event(event, [("Message", .string(message))])) }
  }
}

/// On a terminal.
extension WatchCommand {
  private func readKeys() {
    keyboard = Keyboard { [weak self] key in if key == UInt8(ascii: "q") { self?.interrupted() } }
    if let keyboard { invocation.output.whenEnding { keyboard.restore() } }
  }

  private func beginDrawing() {
    region = LiveRegion(on: invocation.output)
    // Keeps the age of the last location current.
    ticks = MainLoop.main.every(microseconds: 1_000_000) { [weak self] in self?.draw() }
  }

  private func draw() {
    guard let region else { return }
    region.draw(state.lines(for: invocation.output, fitting: invocation.output.rows - 1))
  }
}
