// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

final class AlmanacCommand: Command {
  static let name = "almanac"
  static let summary = tr("Show the phase of the day, the time zone and the town, but no coordinates")

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("follow", "F", tr("Show the almanac now and at each change"))
    parser.addText(
      "format", "f", tr("Print this text, such as '{phase} until {next-time}', or the preset waybar"), value: "TEXT",
      words: ["waybar"]
    )
    SubscriptionArguments.declare(parser, ClientOption.ofAlmanac)
    AuthorizationPrompt.declare(parser)
  }

  static let examples: Examples = [
    ("almanac", tr("Show the phase of the day, sunrise and sunset, the time zone and the town.")),
    ("almanac --follow --format '{phase}'", tr("Print the phase now and at each change, for a theme switcher.")),
    ("almanac --format '{zone}'", tr("Print the time zone.")),
  ]

  let invocation: Invocation
  private let form: AlmanacForm
  private var options: ClientOptions
  private var almanac: ServiceAlmanac?
  private var hasBegun = false

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    form = try AlmanacForm(invocation.parser)
    options = try SubscriptionArguments.read(ClientOption.ofAlmanac, invocation.parser)
    options.accuracy = .city
  }

  func begin() {
    invocation.authorize(options) { [weak self] service in
      guard let self else { return }
      if isFollowing { follow(service) } else { request(service) }
    }
  }

  func interrupted() { invocation.finish(isFollowing ? ExitStatus.success : ExitStatus.interrupted) }

  private var isFollowing: Bool { invocation.parser.isSet("follow") }

  private func request(_ service: ServiceConnection) {
    invocation.requestAlmanac(options, on: service) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let almanac):
        invocation.show(form.lines(almanac, invocation.output), orJSON: [JSONText.text(almanac.value)])
        invocation.finish(ExitStatus.success)
      case .failure(let failure):
        if failure.error.name == .notAuthorized { showRefusal(failure.error.message) }
        invocation.fail(failure)
      }
    }
  }

  private func follow(_ service: ServiceConnection) {
    almanac = ServiceAlmanac(on: service, options) { [weak self] event in self?.handle(event) }
  }

  private func handle(_ event: ServiceAlmanac.Event) {
    switch event {
    case .update(let almanac):
      invocation.recovered(tr("The almanac is up to date again"))
      invocation.show([form.line(almanac)], orJSON: [JSONText.text(almanac.value)])
    case .authorization(let authorization):
      hasBegun = true
      invocation.complain(about: authorization)
      if !authorization.isAuthorized, authorization.reason != .undecided {
        showRefusal(Sentences.authorization(authorization))
      }
    case .failure(let error): invocation.complain(tr(received: error.message))
    case .interrupted:
      invocation.report("Interrupted", tr("The service stopped; the almanac continues when it is back"))
    case .resumed: invocation.report("Resumed", tr("The service is back"))
    case .closed: invocation.finish(ExitStatus.unavailable)
    case .refused(let error):
      showRefusal(error.message)
      invocation.fail(error, unless: hasBegun)
    case .failed(let error, let isFinal): invocation.fail(error, unless: !isFinal)
    }
  }

  private func showRefusal(_ sentence: String) {
    if let line = form.refusal(sentence), !invocation.isJSON { invocation.output.line(line) }
  }
}

extension Invocation {
  /// Requests an almanac for a location that is at most a day old, because the times seldom change by more than minutes
  /// in a day; if there is no such location, for an older one.
  func requestAlmanac(
    _ options: ClientOptions, on service: ServiceConnection,
    _ handler: @escaping (Result<Almanac, CallFailure>) -> Void
  ) {
    var options = options
    options.maximumAge = .seconds(86_400)
    service.almanac(options) { result in
      guard case .failure(.refused(let error)) = result,
        [.locationTimeout, .locationUnavailable].contains(error.name)
      else { return handler(result) }
      (options.maximumAge, options.timeout) = (.milliseconds(UInt32.max), .zero)
      service.almanac(options, handler)
    }
  }
}

/// The text of an almanac: rows, a line, a template, or a module of waybar.
nonisolated struct AlmanacForm {
  static let fields = ["phase", "next", "next-time", "sunrise", "sunset", "zone", "place", "country"]

  private let template: Template?
  private let isWaybar: Bool

  @MainActor init(_ parser: OptionParser) throws(UsageError) {
    let format = try parser.format()
    isWaybar = format == "waybar"
    template = try isWaybar ? nil : format.map { text throws(UsageError) in try Template(text, fields: Self.fields) }
  }

  @MainActor func lines(_ almanac: Almanac, _ output: StandardOutput) -> [String] {
    guard template == nil, !isWaybar else { return [line(almanac)] }
    var rows = Rows()
    rows.add(tr("Phase"), almanac.phase.rawValue, .strong)
    rows.add(tr("Next"), almanac.next.map { "\($0.phase.rawValue), \(Moment.local($0.time, Self.minutes))" })
    rows.add(tr("Sunrise"), almanac.sunrise.map { Moment.local($0, "%H:%M") })
    rows.add(tr("Sunset"), almanac.sunset.map { Moment.local($0, "%H:%M") })
    rows.add(tr("Time zone"), almanac.timeZone)
    let country = almanac.country.map { almanac.place == nil ? $0 : " (\($0))" } ?? ""
    if almanac.place != nil || !country.isEmpty { rows.add(tr("Place"), (almanac.place ?? "") + country) }
    return rows.lines(for: output)
  }

  func line(_ almanac: Almanac) -> String {
    if isWaybar {
      return JSONText.object([
        ("text", .string(Self.text(almanac))),
        ("tooltip", .string([almanac.place, almanac.timeZone].compactMap(\.self).joined(separator: "\n"))),
        ("class", .string(almanac.phase.rawValue)), ("alt", .string(almanac.phase.rawValue)),
      ])
    }
    return template.map { $0.text { Self.field($0, of: almanac) } } ?? Self.text(almanac)
  }

  /// Returns the line for a refusal, so that a status bar does not continue to show old values; nil for other forms.
  func refusal(_ sentence: String) -> String? {
    guard isWaybar else { return nil }
    return JSONText.object([("text", .string("")), ("tooltip", .string(sentence)), ("class", .string("denied"))])
  }

  private static let minutes = "%Y-%m-%d %H:%M"

  private static func text(_ almanac: Almanac) -> String {
    almanac.phase.rawValue + (almanac.next.map { " until \(Moment.local($0.time, "%H:%M"))" } ?? "")
  }

  private static func field(_ name: String, of almanac: Almanac) -> Template.Field? {
    let text: String? =
      switch name {
      case "phase": almanac.phase.rawValue
      case "next": almanac.next?.phase.rawValue
      case "next-time": almanac.next.map { Moment.local($0.time, "%H:%M") }
      case "sunrise": almanac.sunrise.map { Moment.local($0, "%H:%M") }
      case "sunset": almanac.sunset.map { Moment.local($0, "%H:%M") }
      case "zone": almanac.timeZone
      case "place": almanac.place
      default: almanac.country
      }
    return text.map { .text($0) }
  }
}
