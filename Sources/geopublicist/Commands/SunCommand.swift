// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import GeopublicistProcessSupport
import MainLoop

/// `geopublicist sun`: dawn, sunrise, noon, sunset and dusk, without anyone having to know the exact place.
final class SunCommand: Command {
  static let name = "sun"
  static let summary = "Show sunrise, sunset and twilight at the current place"

  static func declareOptions(_ parser: OptionParser) {
    parser.addSwitch("follow", "F", "Show the phase now and at each change")
    parser.addText("format", "f", "A text with fields, such as '{phase} until {next-time}'", value: "TEXT")
    parser.addText("at", nil, "Compute for this place and leave the location alone", value: "LAT,LON")
    parser.addText("accuracy", "a", "country, city (default), neighborhood, street or exact", value: "LEVEL")
  }

  static let examples = [
    (line: "sun", meaning: "Show today's times; 15 km of uncertainty are less than a minute."),
    (line: "sun --format '{phase}'", meaning: "Print night, dawn, day or dusk, for a theme switcher."),
    (line: "sun --follow --json", meaning: "Print one object now and one at each change."),
  ]

  private let invocation: Invocation
  private let template: Template?
  private let level: AccuracyLevel
  private let fixedPlace: Location?
  private var service: ServiceConnection?
  private var timer: LoopSource?
  private var shown: SunReport?

  /// The wall clock may be set, and timers stand still while the machine sleeps: look at least this often, milliseconds.
  private static let longestWait: Int64 = 60_000

  init(_ invocation: Invocation) throws(OptionParser.UsageError) {
    self.invocation = invocation
    let parser = invocation.parser
    template = try parser.text("format").map { text throws(OptionParser.UsageError) in
      try Template(text, fields: SunReport.fields)
    }
    level = try parser.level("accuracy").flatMap(AccuracyLevel.init) ?? .city
    fixedPlace = try parser.text("at").map(Self.place)
  }

  func begin() {
    if let fixedPlace { return show(fixedPlace) }
    guard let service = invocation.connect() else { return }
    self.service = service
    locate(service)
  }

  func interrupted() {
    invocation.finish(invocation.parser.isSet("follow") ? ExitStatus.success : ExitStatus.interrupted)
  }

  private func locate(_ service: ServiceConnection) {
    var options = ClientOptions()
    options.accuracy = level
    // A town is still the same town after an hour.
    options.maximumAge = 3_600_000
    service.location(options) { [weak self] result in
      switch result {
      case .success(let reading): self?.show(reading.location)
      case .failure(let error): self?.invocation.fail(error)
      }
    }
  }

  private func show(_ place: Location) {
    let now = Double(Moment.now.microsecondsSinceEpoch) / 1_000_000
    let report = SunReport(place, at: now)
    if report.phase != shown?.phase || report.next?.event != shown?.next?.event { write(report) }
    shown = report
    guard invocation.parser.isSet("follow") else { return invocation.finish(ExitStatus.success) }
    let remaining = report.next.map { Int64(clamping: Int(($0.time - now) * 1_000) + 100) } ?? Self.longestWait
    timer = MainLoop.main.after(milliseconds: min(max(remaining, 0), Self.longestWait)) { [weak self] in
      guard let self else { return }
      // The machine may have travelled since the last change.
      let isChange = report.next.map { $0.time <= Double(Moment.now.seconds) } ?? false
      if isChange, let service { locate(service) } else { show(place) }
    }
  }

  private func write(_ report: SunReport) {
    let output = invocation.output
    if let template {
      output.line(template.text(report.value))
    } else if invocation.isJSON {
      output.line(report.json)
    } else if invocation.parser.isSet("follow") {
      output.line(report.line)
    } else {
      for line in report.rows.lines(for: output) { output.line(line) }
    }
  }

  /// Reads "52.5,13.4".
  nonisolated static func place(_ text: String) throws(OptionParser.UsageError) -> Location {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1], abs(latitude) <= 90,
      abs(longitude) <= 180
    else {
      throw .init(message: "--at takes degrees of latitude and longitude such as 52.5,13.4, not '\(text)'")
    }
    return Location(latitude: latitude, longitude: longitude)
  }
}
