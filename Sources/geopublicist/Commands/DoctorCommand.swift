// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport
import Glibc

/// `geopublicist doctor`: what makes location fail here, and what mends it.
final class DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "Find out what makes location fail, and what mends it"

  static func declareOptions(_ parser: OptionParser) {
    parser.addText(
      "geoclue-config", nil, "Read GeoClue's settings in this folder, not \(GeoClueSettingsReader.folder)",
      value: "FOLDER")
  }

  private let invocation: Invocation

  init(_ invocation: Invocation) throws(OptionParser.UsageError) { self.invocation = invocation }

  // Before the loop runs: the questions serve it themselves, each until its answer.
  func begin() { examine() }

  /// It asks one question after the other, and each may take its time: gone at once is what is wanted.
  func interrupted() {
    invocation.output.restore()
    exit(ExitStatus.interrupted)
  }

  private func examine() {
    let output = invocation.output
    var gatherer = FactGatherer(
      invocation.bus, named: invocation.busName,
      configurationFolder: invocation.parser.text("geoclue-config") ?? GeoClueSettingsReader.folder
    ) { output.showProgress("\($0)\(Text.isUnicode ? "…" : "...")") }
    let diagnoses = gatherer.gather().diagnoses
    output.clearProgress()
    for diagnosis in diagnoses { show(diagnosis) }
    let problems = diagnoses.count { $0.outcome == .problem }
    if !invocation.isJSON {
      output.line(problems == 0 ? "Nothing is wrong." : "\(problems) problem\(problems == 1 ? "" : "s") found.")
    }
    invocation.finish(problems == 0 ? ExitStatus.success : ExitStatus.failure)
  }

  private func show(_ diagnosis: Diagnosis) {
    let output = invocation.output
    guard !invocation.isJSON else {
      return output.line(
        JSONText.object([
          ("Subject", .string(diagnosis.subject)), ("Outcome", .string(diagnosis.outcome.rawValue)),
          ("Finding", .string(diagnosis.finding)), ("Remedy", .string(diagnosis.remedy)),
        ]))
    }
    let (mark, emphasis) = Self.mark(diagnosis.outcome)
    let indent = String(repeating: " ", count: mark.count + 15)
    func lines(_ text: String) -> [String] {
      let plain = Text.plain(text)
      return output.isTerminal ? Text.wrapped(plain, to: max(20, output.columns - indent.count)) : [plain]
    }
    let finding = lines(diagnosis.finding).joined(separator: "\n\(indent)")
    output.line("\(emphasis.around(mark, output.hasColors)) \(Text.padded(diagnosis.subject, to: 13)) \(finding)")
    guard !diagnosis.remedy.isEmpty else { return }
    output.line(indent + lines("-> \(diagnosis.remedy)").joined(separator: "\n\(indent)   "))
  }

  private static func mark(_ outcome: Diagnosis.Outcome) -> (String, Emphasis) {
    switch outcome {
    case .good: ("ok     ", .good)
    case .hint: ("hint   ", .doubtful)
    case .problem: ("PROBLEM", .bad)
    }
  }
}
