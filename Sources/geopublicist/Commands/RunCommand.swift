// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class RunCommand: Command {
  static let name = "run"
  static let summary = tr("Run a command at a place, or at a time of the sun")
  static let operands: String? = "[PLACE] -- COMMAND..."

  static func operandWords(after operands: [String]) -> [String] { PlaceFile().names }

  static func declareOptions(_ parser: OptionParser) {
    parser.addText(
      "when", "w", tr("Run each time PLACE is entered, exited or dwelled in"), value: "EVENT", words: PlaceEvent.borders
    )
    parser.addText("confirm", nil, tr("How long a change must persist (default 20s)"), value: "TIME")
    parser.addText("dwell", nil, tr("How long a stay must last for a dwelled event (default 10min)"), value: "TIME")
    parser.addText(
      "at", nil, tr("Run every day at this time of the sun, such as sunset-30min"), value: "TIME",
      words: SunMoment.Event.allCases.map(\.rawValue))
    parser.addSwitch("hooks", nil, tr("Run the files in ~/.config/geopublicist/hooks.d at every event"))
    parser.addSwitch("once", "1", tr("Run once, and exit with the command's status"))
    parser.addSwitch("with-location", nil, tr("Put the coordinates into the environment of commands for places"))
  }

  static let examples: Examples = [
    ("run --when exited home -- notify-send 'Windows closed?'", tr("Remind me each time I leave.")),
    (
      "run --when entered home -- nmcli radio wifi on",
      tr("Turn Wi-Fi on when I come home, but not if I am already there.")
    ),
    ("run --at sunset-30min -- lights on", tr("Turn the lights on before it gets dark, every day.")),
  ]

  private enum Trigger {
    case border(String, of: String)
    case sun(SunMoment)
    case hooks
  }

  let invocation: Invocation
  private let trigger: Trigger
  private let command: [String]
  private let queue = CommandQueue()
  private var regions: [(place: Place, region: ServiceRegion)] = []
  private var places: FolderWatch?
  private var outages: PropertyWatch?
  private let confirm: Duration?
  private let dwell: Duration?
  private var sun: SunClock?
  /// With `--once`, whether the event has happened, and the first status other than 0.
  private var once = (hasHappened: false, status: ExitStatus.success)
  private var isOnce: Bool { invocation.parser.isSet("once") }

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    let (parser, words) = (invocation.parser, invocation.operands)
    confirm = try parser.time("confirm")
    dwell = try parser.duration("dwell")
    switch (try parser.word("when"), parser.text("at"), parser.isSet("hooks")) {
    case (let event?, nil, false):
      guard words.count > 1 else { throw .init(tr("run --when requires a PLACE and a COMMAND")) }
      trigger = .border(event, of: words[0])
      command = Array(words.dropFirst())
    case (nil, let time?, false):
      guard let moment = SunMoment(time) else {
        throw .init(
          tr(
            "--at requires dawn, sunrise, noon, sunset or dusk, or a time relative to it such as sunset-30min, "
              + "not '\(time)'"))
      }
      guard !words.isEmpty else { throw .init(tr("run --at requires a COMMAND")) }
      guard invocation.operandsBeforeDashes == 0 else { throw .init(tr("run --at cannot be combined with a PLACE")) }
      trigger = .sun(moment)
      command = words
    case (nil, nil, true):
      guard words.isEmpty else { throw .init(tr("run --hooks cannot be combined with a COMMAND")) }
      trigger = .hooks
      command = []
    default: throw .init(tr("run requires --when, --at or --hooks"))
    }
  }

  func begin() {
    if let program = command.first, !Program.exists(program) {
      return invocation.fail(tr("There is no program '\(program)'"))
    }
    if case .sun = trigger, let time = invocation.parser.text("at"), time.last?.isNumber == true {
      invocation.complain(tr("--at \(time) is in seconds; for minutes write \(time)min"))
    }
    if case .hooks = trigger {
      for complaint in Hooks.complaints() { invocation.complain(complaint) }
      if isOnce, Hooks.files().isEmpty {
        return invocation.fail(tr("No hook in \(Hooks.folder) can run"))
      }
    }
    queue.onFailure = { [weak self, invocation] message in
      invocation.complain(message, repeats: true)
      self?.ended(ExitStatus.failure)
    }
    queue.onEnd = { [weak self, invocation] job, status in
      self?.ended(status)
      if self?.isOnce == false, status != 0 {
        invocation.complain(tr("\(job.words[0]) ended with status \(status)"), repeats: true)
      }
    }
    invocation.output.whenEnding { [queue] in queue.end() }
    invocation.attempt {
      let known = try PlaceFile().read()
      guard let service = invocation.connect() else { return }
      if case .sun = trigger {} else { outages = invocation.followOutages(of: service) }
      switch trigger {
      case .sun(let moment): follow([moment], service)
      case .border(_, let name):
        guard known.contains(where: { $0.name == name }) else {
          return invocation.fail(tr("There is no place '\(name)'; add it with: geopublicist place add \(name) --here"))
        }
        followPlaces(service)
      case .hooks:
        followPlaces(service)
        follow(SunMoment.Event.allCases.map { SunMoment($0) }, service)
      }
    }
  }

  func interrupted() {
    invocation.finish(isOnce ? ExitStatus.interrupted : ExitStatus.success)
  }

  /// With `--once`, ends the program when the last command of the event has ended.
  private func ended(_ status: Int32) {
    guard isOnce else { return }
    if once.status == ExitStatus.success { once.status = status }
    if queue.isIdle { invocation.finish(once.status) }
  }

  /// Monitors the places that the trigger names, also after a change of the file.
  private func followPlaces(_ service: ServiceConnection) {
    places = FolderWatch([UserFile.folder]) { [weak self] in self?.readPlaces(service) }
    readPlaces(service)
  }

  private func readPlaces(_ service: ServiceConnection) {
    do throws(KeyFile.FileError) {
      monitor(try PlaceFile().read(), service)
    } catch { invocation.complain(error.description) }
  }

  private func monitor(_ known: [Place], _ service: ServiceConnection) {
    let wanted = if case .border(_, let name) = trigger { known.filter { $0.name == name } } else { known }
    regions.removeAll { !wanted.contains($0.place) }
    for place in wanted where !regions.contains(where: { $0.place == place }) {
      regions.append((place, region(of: place, service)))
    }
  }

  private func region(of place: Place, _ service: ServiceConnection) -> ServiceRegion {
    var options = ClientOptions()
    options.region.latitude = place.latitude
    options.region.longitude = place.longitude
    options.region.radius = place.radius
    options.region.dwell = dwell ?? .seconds(600)
    options.region.includesLocation = invocation.parser.isSet("with-location")
    if let confirm { options.region.confirm = confirm }
    return ServiceRegion(on: service, options) { [weak self] event in self?.handle(event, of: place) }
  }

  private func handle(_ event: ServiceRegion.Event, of place: Place) {
    switch event {
    case .update(let change): happened(change.event.kind.rawValue, place.name, change.event.location)
    case .authorization(let authorization): invocation.complain(about: authorization)
    // The region is monitored again when the reason no longer applies.
    case .refused(let error), .failure(let error): failed(error)
    case .failed(let error, let isFinal): if isFinal { invocation.fail(error) } else { failed(error) }
    case .interrupted, .resumed, .closed: break
    }
  }

  private func follow(_ moments: [SunMoment], _ service: ServiceConnection) {
    sun = SunClock(
      on: service, moments,
      onMoment: { [weak self] moment in self?.happened(moment.event.rawValue, PlaceEvent.sun, nil) },
      onFailure: { [weak self] in self?.failed($0) })
  }

  private func happened(_ event: String, _ place: String, _ location: Location?) {
    let environment = Self.environment(event, place, location)
    switch trigger {
    case .border(let wanted, _): guard event == wanted else { return }
    case .sun: break
    case .hooks:
      guard place == PlaceEvent.sun || PlaceEvent.borders.contains(event) else { return }
    }
    let commands = commands(place, event)
    guard !commands.isEmpty, !once.hasHappened else { return }
    once.hasHappened = isOnce
    queue.add(commands.map { .init(words: $0, environment: environment) })
  }

  private func commands(_ place: String, _ event: String) -> [[String]] {
    if case .hooks = trigger { Hooks.files().map { [$0, place, event] } } else { [command] }
  }

  /// The environment of a command; the coordinates are in it only with `--with-location`.
  static func environment(_ event: String, _ place: String, _ location: Location?) -> [(String, String)] {
    var variables = [("GEOPUBLICIST_EVENT", event), ("GEOPUBLICIST_PLACE", place)]
    if let location {
      variables.append(("GEOPUBLICIST_LATITUDE", Number.fixed(location.latitude, LocationText.digits)))
      variables.append(("GEOPUBLICIST_LONGITUDE", Number.fixed(location.longitude, LocationText.digits)))
      if let accuracy = location.accuracy { variables.append(("GEOPUBLICIST_ACCURACY", Number.short(accuracy, 1))) }
    }
    return variables
  }

  /// Reports a failure and continues, since the service may appear and a refusal may be withdrawn; ends the program if
  /// trying again would change nothing.
  private func failed(_ error: DBusError) {
    switch error.name {
    case .invalidOption, .unknownMethod: invocation.fail(error)
    default: invocation.fail(error, unless: true)
    }
  }
}
