// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

final class SunCommand: Command {
  static let name = "sun"
  static let summary = tr("Show sunrise, sunset and twilight where this computer is")

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("follow", "F", tr("Show the phase now and at each change"))
    parser.addText("format", "f", tr("Print this text, such as '{phase} until {next-time}'"), value: "TEXT")
    parser.addText(
      "at", nil, tr("Compute the times for these coordinates, without using the location"), value: "LAT,LON")
    parser.addText(
      "accuracy", "a", tr("country, city (default), neighborhood, street or exact"), value: "LEVEL",
      words: AccuracyLevel.words)
  }

  static let examples: Examples = [
    ("sun", tr("Show the times of today.")),
    ("sun --format '{phase}'", tr("Print night, dawn, day or dusk, for a theme switcher.")),
    ("sun --follow --json", tr("Print one object now and one at each change.")),
  ]

  let invocation: Invocation
  private let template: Template?
  private let level: AccuracyLevel
  private let fixedPlace: Location?
  private var timer: LoopSource?
  private var shown: SunReport?
  /// Where the machine was last.
  private var place: Location?

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    let parser = invocation.parser
    template = try parser.format().map { text throws(UsageError) in try Template(text, fields: SunReport.fields) }
    level = try parser.word("accuracy").flatMap(AccuracyLevel.init(contractName:)) ?? .city
    fixedPlace = try parser.place("at")
  }

  func begin() {
    if let fixedPlace { return show(fixedPlace) }
    if let service = invocation.connect() { locate(service) }
  }

  func interrupted() {
    invocation.finish(invocation.parser.isSet("follow") ? ExitStatus.success : ExitStatus.interrupted)
  }

  private func locate(_ service: ServiceConnection) {
    var options = ClientOptions()
    options.accuracy = level
    // An hour's drive moves sunrise by a few minutes at most.
    options.maximumAge = .seconds(3_600)
    service.location(options) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let reading): show(reading.location)
      case .failure(let failure):
        // The last place shows the phase to within minutes.
        guard let place else { return invocation.fail(failure) }
        invocation.complain(Failure(failure, on: invocation.busName).message)
        show(place)
      }
    }
  }

  private func show(_ place: Location) {
    self.place = place
    let report = SunReport(place, at: Moment.seconds)
    // After a sleep, the next change may be the same one of a later day.
    let isLater = (report.next?.time ?? 0) - (shown?.next?.time ?? 0) > 43_200
    if report.phase != shown?.phase || report.next?.event != shown?.next?.event || isLater { write(report) }
    shown = report
    guard invocation.parser.isSet("follow") else { return invocation.finish(ExitStatus.success) }
    timer = MainLoop.main.after(Moment.wait(until: report.next?.time)) { [weak self] in
      guard let self else { return }
      // The machine may have travelled since the last change.
      let isChange = report.next.map { $0.time <= Moment.seconds } ?? false
      if isChange, let service = invocation.service { locate(service) } else { show(place) }
    }
  }

  private func write(_ report: SunReport) {
    let lines = invocation.parser.isSet("follow") ? [report.line] : report.rows.lines(for: invocation.output)
    invocation.show(template.map { [$0.text(report.value)] } ?? lines, orJSON: [report.json])
  }
}
