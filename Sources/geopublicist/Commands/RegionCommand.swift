// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class RegionCommand: Command {
  static let name = "region"
  static let summary = tr("Report when this computer enters or leaves a circle")
  static let operands: String? = "LAT,LON,RADIUS"

  static func declareOptions(_ parser: OptionParser) {
    SubscriptionArguments.declare(parser, ClientOption.ofRegion)
    parser.addText(
      "until", nil, tr("Stop when this computer is inside (entered) or outside (exited)"), value: "EVENT",
      words: ["entered", "exited"])
    parser.addText("exec", "e", tr("Run this command line at each event"), value: "COMMAND")
    AuthorizationPrompt.declare(parser)
  }

  static let examples: Examples = [
    ("region 52.5163,13.3777,200m", tr("Print a line whenever the circle is entered or left.")),
    (
      "region 52.5163,13.3777,1km --until exited && loginctl lock-session",
      tr("Lock the screen when this computer leaves the circle.")
    ),
    ("region --exec 'echo $GEOPUBLICIST_EVENT' -- -33.857,151.215,500m", tr("Run a command at each event.")),
  ]

  let invocation: Invocation
  private let options: ClientOptions
  private let until: RegionState?
  private let commandLine: String?
  private let queue = CommandQueue()
  private var hasBegun = false
  private var isOver = false
  private var region: ServiceRegion?
  private var outages: PropertyWatch?

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    let parser = invocation.parser
    var options = try SubscriptionArguments.read(ClientOption.ofRegion, parser)
    guard invocation.operands.count == 1, let text = invocation.operands.first else {
      throw .init(tr("region requires exactly one LAT,LON,RADIUS"))
    }
    let circle = try Self.circle(text)
    options.region.latitude = circle.latitude
    options.region.longitude = circle.longitude
    options.region.radius = circle.radius
    self.options = options
    until = try parser.word("until").map { $0 == "entered" ? .inside : .outside }
    commandLine = parser.text("exec")
  }

  func begin() {
    queue.onFailure = { [weak self, invocation] message in
      invocation.complain(message, repeats: true)
      self?.finishIfOver()
    }
    queue.onEnd = { [weak self, invocation] _, status in
      if status != 0 { invocation.complain(tr("The command ended with status \(status)"), repeats: true) }
      self?.finishIfOver()
    }
    invocation.output.whenEnding { [queue] in queue.end() }
    invocation.authorize(options) { [weak self] service in
      guard let self else { return }
      region = ServiceRegion(on: service, options) { [weak self] event in self?.handle(event) }
      outages = invocation.followOutages(of: service)
    }
  }

  func interrupted() { invocation.finish(until == nil ? ExitStatus.success : ExitStatus.interrupted) }

  private func handle(_ event: ServiceRegion.Event) {
    guard !isOver else { return }
    switch event {
    case .update(let change): report(change)
    case .authorization(let authorization):
      hasBegun = true
      invocation.complain(about: authorization)
    case .interrupted:
      invocation.report("Interrupted", tr("The service stopped; the region is monitored again when it is back"))
    case .resumed: invocation.report("Resumed", tr("The service is back"))
    case .failure(let error): invocation.complain(tr(received: error.message))
    case .refused(let error): invocation.fail(error, unless: hasBegun)
    case .failed(let error, let isFinal): invocation.fail(error, unless: hasBegun && !isFinal)
    case .closed: invocation.finish(ExitStatus.success)
    }
  }

  private func report(_ change: ServiceRegionEvent) {
    let event = change.event
    invocation.show(
      [RegionText.line(event, isForPeople: invocation.output.isTerminal)], orJSON: [JSONText.region(change)])
    if event.reason == .accuracyLimited {
      invocation.complain(tr("The allowed locations are too coarse for this radius"))
    }
    if let commandLine {
      queue.add([.init(words: ["/bin/sh", "-c", commandLine], environment: Self.environment(event))])
    }
    isOver = event.state == until
    finishIfOver()
  }

  /// Ends the program after the last event, once its command has ended.
  private func finishIfOver() { if isOver, queue.isIdle { invocation.finish(ExitStatus.success) } }

  private static func environment(_ event: RegionEvent) -> [(String, String)] {
    [
      ("GEOPUBLICIST_EVENT", event.kind.rawValue), ("GEOPUBLICIST_STATE", event.state.rawValue),
      ("GEOPUBLICIST_REASON", event.reason.rawValue), ("GEOPUBLICIST_GAP", event.hasGap ? "1" : "0"),
      ("GEOPUBLICIST_TIME", Moment.iso(RegionText.time(event))),
    ]
  }

  /// Reads "52.5,13.4,200m".
  nonisolated static func circle(_ text: String) throws(UsageError) -> CircularRegion {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let center = Location(degrees: "\(parts[0]),\(parts[1])"),
      let radius = Quantity.metres(parts[2]),
      let circle = CircularRegion(latitude: center.latitude, longitude: center.longitude, radius: radius)
    else {
      throw .init(
        tr(
          "region requires degrees of latitude and longitude and a radius from 50m to 1000km, such as "
            + "52.5,13.4,200m, not '\(text)'"))
    }
    return circle
  }
}
