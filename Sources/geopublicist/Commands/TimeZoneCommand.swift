// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class TimeZoneCommand: Command, MachineShell {
  static let name = "timezone"
  static let summary = tr("Show the time zone where this computer is, or set the clock to it")

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("follow", "F", tr("Show the time zone now and at each change, and set the clock to it"))
    parser.addText(
      "after", nil, tr("With --follow: set the clock after the zone has been the same for this long (default 10min)"),
      value: "TIME")
    AuthorizationPrompt.declare(parser)
  }

  static let examples: Examples = [
    ("timezone", tr("Print the time zone, such as Europe/Berlin.")),
    (
      "timezone --follow",
      tr("Set the clock's time zone to that of the current place, as root or with polkit's permission.")
    ),
  ]

  private static let usualPatience = Duration.seconds(600)

  let invocation: Invocation
  private let isFollowing: Bool
  private let file = StateFolder.path.map { $0 + "/zone" }
  var host: MachineHost<TimeZoneMachine>
  private var almanac: ServiceAlmanac?
  private var hasBegun = false
  private var clock: Proxy?
  private var consent: ConsentQuestions?
  private var shown: String?
  private var isUncertain = false

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    isFollowing = invocation.parser.isSet("follow")
    let patience = try invocation.parser.duration("after") ?? Self.usualPatience
    let settled = file.flatMap { try? TextFile.contents(of: $0) }?.split(separator: "\n").first.map(String.init)
    host = MachineHost(TimeZoneMachine(patience: patience, settled: settled))
  }

  func begin() {
    var options = ClientOptions()
    options.accuracy = .city
    invocation.authorize(options) { [weak self] service in
      guard let self else { return }
      if isFollowing { prepare(service, options) } else { request(service, options) }
    }
  }

  func interrupted() { invocation.finish(isFollowing ? ExitStatus.success : ExitStatus.interrupted) }

  private func request(_ service: ServiceConnection, _ options: ClientOptions) {
    invocation.requestAlmanac(
      options, on: service,
      invocation.unlessFailed { [invocation] almanac in
        guard let zone = almanac.timeZone else { return invocation.fail(Self.undecided, ExitStatus.unavailable) }
        invocation.show([zone], orJSON: [Self.json(almanac)])
        invocation.finish(ExitStatus.success)
      })
  }

  private static var undecided: String { tr("The time zone is uncertain, because a border is near") }

  private static func json(_ almanac: Almanac) -> String {
    let zone = almanac.timeZone.map { [("TimeZone", Value.string($0))] } ?? []
    let remembered = almanac.isRemembered ? [("Remembered", Value.boolean(true))] : []
    return JSONText.object(zone + [("Approximate", .boolean(almanac.isApproximate))] + remembered)
  }
}

extension TimeZoneCommand {
  /// Begins if timedated is available and no desktop sets the clock.
  private func prepare(_ service: ServiceConnection, _ options: ClientOptions) {
    invocation.attempt {
      // A service on the session bus has its clock on the system bus.
      let connection = invocation.bus == .session ? try Connection(to: .system) : service.connection
      consent = ConsentQuestions(invocation.bus, logindOn: connection)
      clock = Proxy(
        on: connection, destination: "org.freedesktop.timedate1", path: "/org/freedesktop/timedate1",
        interface: "org.freedesktop.timedate1")
    }
    readClock { [weak self] zone in
      guard let self else { return }
      guard zone != nil else { return invocation.finish(ExitStatus.unavailable) }
      consent?.ask { [weak self] consent in
        guard let self else { return }
        if case .desktop = consent, let complaint = consent.complaint { return invocation.fail(complaint) }
        almanac = ServiceAlmanac(on: service, options) { [weak self] event in self?.received(event) }
      }
    }
  }

  private func received(_ event: ServiceAlmanac.Event) {
    switch event {
    case .update(let almanac):
      let zone = almanac.timeZone
      if let zone, zone != shown { invocation.show([zone], orJSON: [Self.json(almanac)]) }
      if zone == nil {
        invocation.complain(Self.undecided)
      } else if isUncertain {
        invocation.recovered(tr("The time zone is certain again"))
      }
      (shown, isUncertain) = (zone, zone == nil)
      // A zone that is merely likely changes nothing.
      handle(.computed(almanac.isApproximate || almanac.isRemembered ? nil : zone))
    case .authorization(let authorization):
      hasBegun = true
      invocation.complain(about: authorization)
      if !authorization.isAuthorized { handle(.computed(nil)) }
    case .failure(let error): invocation.complain(tr(received: error.message))
    case .interrupted:
      invocation.report("Interrupted", tr("The service stopped; the time zone is followed again when it is back"))
    case .resumed: invocation.report("Resumed", tr("The service is back"))
    case .closed: invocation.finish(ExitStatus.unavailable)
    case .refused(let error): invocation.fail(error, unless: hasBegun)
    case .failed(let error, let isFinal): invocation.fail(error, unless: !isFinal)
    }
  }

  func perform(_ action: TimeZoneMachine.Action) {
    switch action {
    case .readClock: readClock { [weak self] zone in self?.handle(.clock(zone)) }
    case .check:
      consent?.ask { [weak self] consent in
        if let complaint = consent.complaint { self?.invocation.complain(complaint) }
        self?.readClock { [weak self] zone in self?.handle(.checked(zone, mayBeSet: consent == .given)) }
      }
    case .set(let zone):
      // Not interactive, because no user could answer.
      clock?.call("SetTimezone", .string(zone), .boolean(false), expecting: "") { [weak self] result in
        switch result {
        case .success:
          self?.invocation.report("Set", tr("The clock's time zone is \(zone) now"))
          self?.handle(.wasSet(true))
        case .failure(let failure):
          self?.complain(failure.error)
          self?.handle(.wasSet(false))
        }
      }
    case .settle(let zone):
      guard let file else { return }
      do { try TextFile.replace(file, with: zone + "\n", mode: 0o600) } catch { invocation.complain(error.description) }
    }
  }

  private func readClock(_ handler: @escaping (String?) -> Void) {
    clock?.get("Timezone") { [weak self] result in
      if case .failure(let failure) = result { self?.complain(failure.error) }
      handler((try? result.get())?.string)
    }
  }

  private func complain(_ error: DBusError) {
    switch error.name {
    case .serviceUnknown, .nameHasNoOwner:
      invocation.complain(tr("The clock cannot be set: systemd-timedated is not installed"))
    case .interactiveAuthorizationRequired, .accessDenied:
      invocation.complain(
        tr("polkit does not allow this user to set the time zone (org.freedesktop.timedate1.set-timezone)"))
    default: invocation.complain(tr("systemd-timedated did not set the time zone: \(error.message.printable)"))
    }
  }
}
