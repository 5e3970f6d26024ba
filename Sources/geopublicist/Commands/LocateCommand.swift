// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// `geopublicist locate`: one fix.
final class LocateCommand: Command {
  static let name = "locate"
  static let summary = "Show where this machine is, once"

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("accuracy", "a", "country, city, neighborhood, street or exact (default)", value: "LEVEL")
    parser.addText("timeout", "t", "Wait no longer than this (default 20s, at most 2min)", value: "TIME")
    parser.addText("maximum-age", nil, "Accept a cached location up to this old (default 30s)", value: "TIME")
    LocationTemplate.declare(parser)
    parser.addText("desktop-id", nil, "The desktop file's name of the program that asks", value: "ID")
  }

  static let examples = [
    (line: "locate", meaning: "Show the location and everything that is known about it."),
    (line: "locate --format '{latitude:.4},{longitude:.4}'", meaning: "Print two numbers for another program."),
    (line: "locate -a city --timeout 5s --json", meaning: "Get an approximate location, as one JSON object."),
  ]

  private let invocation: Invocation
  private let template: LocationTemplate?
  private let options: [(String, Value)]
  private let timeout: UInt32
  private var bridge: Bridge?
  private var ticks: LoopSource?
  /// It has been said already why nothing may come.
  private var hasSaidWhy = false

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    self.invocation = invocation
    let parser = invocation.parser
    var options: [(String, Value)] = []
    if let level = try parser.level("accuracy") { options.append(("accuracy", .string(level))) }
    if let age = try parser.milliseconds("maximum-age") { options.append(("maximum-age", .uint32(age))) }
    if let id = parser.text("desktop-id") { options.append(("desktop-id", .string(id))) }
    timeout = try parser.duration("timeout", atMost: 120_000) ?? 20_000
    template = try LocationTemplate.read(parser)
    options.append(("timeout", .uint32(timeout)))
    self.options = options
  }

  func begin() {
    do throws(DBusError) {
      let bridge = try Bridge(on: invocation.bus)
      self.bridge = bridge
      showProgress()
      sayWhatItWaitsFor(bridge)
      // The bridge's own answer to the timeout comes first, and says more than libdbus would.
      let patience = CallTimeout.milliseconds(Int32(clamping: Int64(timeout) + 10_000))
      bridge.call("GetLocation", [.options(options)], timeout: patience, expecting: .variantDictionary) {
        [weak self, invocation] result in
        invocation.output.clearProgress()
        switch result {
        case .success(let values): self?.show(values.first ?? .options([]))
        case .failure(let error) where error.name == .contractNotAuthorized && self?.hasSaidWhy == true:
          invocation.finish(ExitStatus.notAuthorized)
        case .failure(let error): invocation.fail(error)
        }
      }
    } catch {
      invocation.fail(error)
    }
  }

  func interrupted() { invocation.finish(ExitStatus.interrupted) }

  private func showProgress() {
    let dots = Text.isUnicode ? "…" : "..."
    var seconds = 0
    invocation.output.showProgress("Waiting for a fix\(dots)")
    ticks = MainLoop.main.every(microseconds: 1_000_000) { [invocation] in
      seconds += 1
      invocation.output.showProgress("Waiting for a fix\(dots) \(seconds) s (Ctrl-C ends it)")
    }
  }

  /// The bridge waits for a decision as long as for a fix; whoever could bring it about should know at once.
  private func sayWhatItWaitsFor(_ bridge: Bridge) {
    bridge.readProperties { [weak self] result in
      guard let self, let word = (try? result.get())?.properties?["AuthorizationReason"]?.string else { return }
      let reason = AuthorizationReason(rawValue: word)
      guard reason == .authorizationRequired || reason == .noAgent else { return }
      invocation.complain(Sentences.authorization(reason: word))
      hasSaidWhy = true
    }
  }

  private func show(_ value: Value) {
    guard let reading = LocationReading(value) else {
      invocation.complain("The service answered without a location")
      return invocation.finish(ExitStatus.failure)
    }
    let output = invocation.output
    if let template {
      output.line(template.text(reading))
    } else if invocation.isJSON {
      output.line(JSONText.location(reading))
    } else {
      for line in LocationText.rows(reading).lines(for: output) { output.line(line) }
      output.line(LocationText.uri(reading.location))
    }
    invocation.finish(ExitStatus.success)
  }
}
