// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// `geopublicist watch`: every fix, redrawn in place on a terminal, a line each otherwise.
final class WatchCommand: Command {
  static let name = "watch"
  static let summary = "Show where this machine is, all the time"

  static func declareOptions(_ parser: OptionParser) {
    SubscriptionArguments.declare(parser)
    parser.addText("count", "n", "Stop after this many locations", value: "NUMBER")
    parser.addText("duration", nil, "Stop after this time", value: "TIME")
    LocationTemplate.declare(parser)
  }

  static let examples = [
    (line: "watch", meaning: "Follow the location on the terminal; q or Ctrl-C ends it."),
    (line: "watch --distance 50m --json", meaning: "Print one JSON object for each 50 metres moved."),
    (line: "watch --format waybar", meaning: "Feed a panel."),
  ]

  private let invocation: Invocation
  private let options: [(String, Value)]
  private let template: LocationTemplate?
  private var bridge: Bridge?
  private var subscription: SubscriptionClient?
  private var state = WatchState()
  private var region: LiveRegion?
  private var upstream: UpstreamWatch?
  private var ticks: LoopSource?
  private var keyboard: Keyboard?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    self.invocation = invocation
    options = try SubscriptionArguments.options(invocation.parser)
    template = try LocationTemplate.read(invocation.parser)
  }

  func begin() {
    do throws(DBusError) {
      let bridge = try Bridge(on: invocation.bus)
      self.bridge = bridge
      bridge.onPresence = { [weak self] isThere in self?.presenceChanged(isThere) }
      subscription = SubscriptionClient(on: bridge, options) { [weak self] event in self?.handle(event) }
      if invocation.output.isTerminal, !invocation.isJSON, template == nil { beginDrawing() }
      upstream = UpstreamWatch(on: bridge) { [weak self] properties in
        self?.state.upstreamChanged(properties)
        self?.draw()
      }
    } catch {
      invocation.fail(error)
    }
  }

  func interrupted() { invocation.finish(ExitStatus.success) }

  private func handle(_ event: SubscriptionClient.Event) {
    state.handle(event)
    switch event {
    case .location(let reading):
      if let template {
        invocation.output.line(template.text(reading))
      } else if invocation.isJSON {
        invocation.output.line(JSONText.location(reading))
      } else if region == nil {
        invocation.output.line(LocationText.line(reading))
      }
    case .authorization(_, let reason):
      if state.isRefused, region == nil { invocation.complain(Sentences.authorization(reason: reason)) }
    case .error(_, let message):
      if region == nil { invocation.complain(message) }
    case .closed(let reason):
      draw()
      if let complaint = reason == "shutdown" ? "The bridge has ended" : state.lack { invocation.complain(complaint) }
      invocation.finish(state.exitStatus(closedFor: reason))
    case .failed(let error):
      invocation.fail(error)
    }
    draw()
  }

  private func presenceChanged(_ isThere: Bool) {
    guard !isThere, subscription != nil else { return }
    invocation.complain("The bridge has gone")
    invocation.finish(ExitStatus.unavailable)
  }
}

/// On a terminal.
extension WatchCommand {
  private func beginDrawing() {
    region = LiveRegion(on: invocation.output)
    keyboard = Keyboard { [weak self] key in if key == UInt8(ascii: "q") { self?.interrupted() } }
    if let keyboard { invocation.output.whenEnding { keyboard.restore() } }
    // Keeps the age of the last location true.
    ticks = MainLoop.main.every(microseconds: 1_000_000) { [weak self] in self?.draw() }
  }

  private func draw() {
    guard let region else { return }
    region.draw(state.lines(for: invocation.output, fitting: invocation.output.rows - 1))
  }
}
