// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class LocateCommand: Command {
  static let name = "locate"
  static let summary = tr("Show where this computer is, once")

  static func declareOptions(_ parser: OptionParser) {
    SubscriptionArguments.declare(parser, ClientOption.ofRequest)
    parser.addText("timeout", "t", tr("Wait no longer than this (default 20s, at most 2min)"), value: "TIME")
    parser.addText("maximum-age", nil, tr("Accept a cached location of at most this age (default 30s)"), value: "TIME")
    AuthorizationPrompt.declare(parser, letter: "i")
    LocationTemplate.declare(parser)
  }

  static let examples: Examples = [
    ("locate", tr("Show the location and everything that is known about it.")),
    ("locate --format '{latitude:.4},{longitude:.4}'", tr("Print two numbers for another program.")),
    ("locate -a city --timeout 5s --json", tr("Get an approximate location, as one JSON object.")),
  ]

  let invocation: Invocation
  private let template: LocationTemplate?
  private let options: ClientOptions
  private var ticks: LoopSource?
  /// Whether the reason why no location may arrive has been reported to the user.
  private var hasSaidWhy = false

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    let parser = invocation.parser
    var options = try SubscriptionArguments.read(ClientOption.ofRequest, parser)
    if let age = try parser.time("maximum-age") { options.maximumAge = age }
    if let timeout = try parser.duration("timeout", atMost: .seconds(120)) { options.timeout = timeout }
    template = try LocationTemplate.read(parser)
    self.options = options
  }

  func begin() {
    invocation.authorize(options) { [weak self] service in self?.locate(service) }
  }

  private func locate(_ service: ServiceConnection) {
    showProgress(service)
    sayWhatItWaitsFor(service, [.authorizationRequired])
    service.location(options) { [weak self, invocation] result in
      invocation.output.clearProgress()
      if case .failure(.refused(let error)) = result, error.name == .notAuthorized, !invocation.isJSON,
        let line = self?.template?.text(refusal: error.message)
      {
        invocation.output.line(line)
      }
      switch result {
      case .success(let reading): self?.show(reading)
      case .failure(.refused(let error)) where error.name == .notAuthorized && self?.hasSaidWhy == true:
        invocation.finish(ExitStatus.notAuthorized)
      case .failure(let error): invocation.fail(error)
      }
    }
  }

  private func showProgress(_ service: ServiceConnection) {
    let dots = Text.isUnicode ? "…" : "..."
    var seconds = 0
    invocation.output.showProgress(tr("Waiting for a location\(dots)"))
    ticks = MainLoop.main.every(.seconds(1)) { [weak self, invocation] in
      seconds += 1
      // An agent registers within a second after GeoClue has started, if there is one.
      if seconds >= 2 { self?.sayWhatItWaitsFor(service, [.authorizationRequired, .noAgent]) }
      invocation.output.showProgress(tr("Waiting for a location\(dots) \(seconds) s (Ctrl-C stops)"))
    }
  }

  /// Informs the user about a decision for which the service waits, if the decision has one of these reasons.
  private func sayWhatItWaitsFor(_ service: ServiceConnection, _ reasons: [AuthorizationReason]) {
    guard !hasSaidWhy else { return }
    service.manager.getAll { [weak self] result in
      guard let self, !hasSaidWhy, let properties = try? result.get() else { return }
      // On the session bus GeoClue decides, and `StateReason` shows what it waits for.
      let words = ["AuthorizationReason", "StateReason"].compactMap { properties[$0]?.string }
      guard let reason = reasons.first(where: { words.contains($0.rawValue) }) else { return }
      invocation.complain(Sentences.authorization(reason: reason.rawValue))
      hasSaidWhy = true
    }
  }

  private func show(_ reading: ServiceLocation) {
    let rows = LocationText.rows(reading).lines(for: invocation.output)
    invocation.show(
      template.map { [$0.text(reading)] } ?? rows + [LocationText.uri(reading.location)],
      orJSON: [JSONText.location(reading)])
    invocation.finish(ExitStatus.success)
  }
}
