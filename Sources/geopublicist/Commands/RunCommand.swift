// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// `geopublicist run`: commands for when a place is entered or left, and for times of the sun.
final class RunCommand: Command {
  static let name = "run"
  static let summary = "Run a command when a place is entered or left, or at a time of the sun"
  static let operands: String? = "[PLACE] -- COMMAND..."

  static func declareOptions(_ parser: OptionParser) {
    parser.addText("when", "w", "Run when PLACE is entered, exited or dwelled in", value: "EVENT")
    parser.addText("confirm", nil, "How long a change must persist (default 20s)", value: "TIME")
    parser.addText("dwell", nil, "How long a stay is for dwelled (default 10min)", value: "TIME")
    parser.addText("at", nil, "Run each day at this time, such as sunset-30min", value: "TIME")
    parser.addSwitch("hooks", nil, "Run the files in ~/.config/geopublicist/hooks.d for every place and the sun")
    parser.addSwitch("once", "1", "End with the command's status after the first time")
    parser.addSwitch("with-location", nil, "Put the coordinates into the command's environment")
  }

  static let examples = [
    (line: "run --when exited home -- notify-send 'Windows closed?'", meaning: "Remind me when I leave."),
    (line: "run --at sunset-30min -- lights on", meaning: "Turn the lights on before it gets dark, each day."),
  ]

  private enum Trigger {
    case border(String, of: String)
    case sun(SunMoment)
    case hooks
  }

  private let invocation: Invocation
  private let trigger: Trigger
  private let command: [String]
  private let queue = CommandQueue()
  private var regions: [ServiceRegion] = []
  private let confirm: UInt32?
  private let dwell: UInt32?
  private var sun: SunClock?

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    self.invocation = invocation
    let (parser, words) = (invocation.parser, invocation.operands)
    confirm = try parser.milliseconds("confirm")
    dwell = try parser.duration("dwell")
    switch (parser.text("when"), parser.text("at"), parser.isSet("hooks")) {
    case (let event?, nil, false):
      guard PlaceEvent.borders.contains(event) else {
        throw .init(message: "--when takes entered, exited or dwelled, not '\(event)'")
      }
      guard words.count > 1 else { throw .init(message: "run --when takes a PLACE and a COMMAND") }
      trigger = .border(event, of: words[0])
      command = Array(words.dropFirst())
    case (nil, let time?, false):
      guard let moment = SunMoment(time) else {
        throw .init(
          message: "--at takes dawn, sunrise, noon, sunset or dusk, with a time such as sunset-30min, not '\(time)'")
      }
      guard !words.isEmpty else { throw .init(message: "run --at takes a COMMAND") }
      trigger = .sun(moment)
      command = words
    case (nil, nil, true):
      guard words.isEmpty else { throw .init(message: "run --hooks takes no COMMAND") }
      trigger = .hooks
      command = []
    default: throw .init(message: "run takes one of --when, --at and --hooks")
    }
  }

  func begin() {
    queue.onFailure = { [invocation] message in
      invocation.complain(message)
      if invocation.parser.isSet("once") { invocation.finish(ExitStatus.failure) }
    }
    queue.onEnd = { [invocation] job, status in
      if invocation.parser.isSet("once") { return invocation.finish(status) }
      if status != 0 { invocation.complain("\(job.words[0]) ended with status \(status)") }
    }
    invocation.output.whenEnding { [queue] in queue.end() }
    do throws(KeyFile.FileError) {
      let known = try PlaceFile().read()
      guard let service = invocation.connect() else { return }
      switch trigger {
      case .sun(let moment): follow([moment], service)
      case .border(_, let name):
        guard let place = known.first(where: { $0.name == name }) else {
          throw KeyFile.FileError(
            PlaceFile().path, "there is no place '\(name)'; add it with: geopublicist place add \(name) --here")
        }
        follow(place, service)
      case .hooks:
        for place in known { follow(place, service) }
        follow(SunMoment.Event.allCases.map { SunMoment($0) }, service)
      }
    } catch {
      invocation.complain(error.description)
      invocation.finish(ExitStatus.failure)
    }
  }

  func interrupted() { invocation.finish(ExitStatus.success) }

  private func follow(_ place: Place, _ service: ServiceConnection) {
    var options = ClientOptions()
    options.region.latitude = place.latitude
    options.region.longitude = place.longitude
    options.region.radius = place.radius
    options.region.dwell = dwell ?? 600_000
    options.region.includesLocation = invocation.parser.isSet("with-location")
    if let confirm { options.region.confirm = confirm }
    regions.append(
      ServiceRegion(on: service, options) { [weak self] event in self?.handle(event, of: place) })
  }

  private func handle(_ event: ServiceRegion.Event, of place: Place) {
    switch event {
    case .update(let change): happened(change.event.kind.rawValue, place.name, change.event.location)
    case .authorization(let authorization):
      guard !authorization.isAuthorized, authorization.reason != .undecided else { return }
      invocation.complain(Sentences.authorization(authorization))
    // The region is monitored again when that is over.
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
    let environment = CommandQueue.environment(event, place, location)
    switch trigger {
    case .border(let wanted, _): guard event == wanted else { return }
    case .sun: break
    case .hooks:
      guard place == PlaceEvent.sun || PlaceEvent.borders.contains(event) else { return }
      for file in Hooks.files() { queue.add(.init(words: [file, place, event], environment: environment)) }
      return
    }
    queue.add(.init(words: command, environment: environment))
  }

  /// A service that is not there may come; a refusal may be withdrawn.
  private func failed(_ error: DBusError) {
    switch error.name {
    case .invalidOption, .unknownMethod: invocation.fail(error)
    default: invocation.complain(Failure(error, on: invocation.busName).message)
    }
  }
}
