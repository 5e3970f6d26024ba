// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel
import GeopublicistProcessSupport
import Glibc

final class DoctorCommand: Command {
  static let name = "doctor"
  static let summary = tr("Find out why location fails, and how to fix it")
  static let examples: Examples = [
    ("doctor", tr("Check everything that locations depend on.")),
    ("doctor --json", tr("Print one JSON object for each finding, with a stable Id.")),
  ]

  static func declareOptions(_ parser: OptionParser) {
    parser.addText(
      "geoclue-config", nil,
      tr("Read GeoClue's configuration from this folder instead of \(GeoClueConfiguration.folder)"),
      value: "FOLDER")
  }

  let invocation: Invocation

  private let configurationFolder: String

  init(_ invocation: Invocation) throws(UsageError) {
    self.invocation = invocation
    configurationFolder = invocation.parser.text("geoclue-config") ?? GeoClueConfiguration.folder
    guard invocation.parser.text("geoclue-config") == nil || TextFile.exists(configurationFolder) else {
      throw UsageError(tr("--geoclue-config: There is no folder \(configurationFolder)"))
    }
  }

  /// Runs the whole examination: each question runs the main loop until its answer arrives.
  func begin() {
    let output = invocation.output
    let region = output.isTerminal && !invocation.isJSON ? LiveRegion(on: output) : nil
    var gatherer = FactGatherer(
      invocation.bus, named: invocation.busName,
      configurationFolder: configurationFolder
    ) { [weak self] step, facts in
      let progress = "\(step)\(Text.isUnicode ? "…" : "...")"
      guard let self, let region else { return output.showProgress(progress) }
      region.draw(facts.diagnoses.flatMap { self.lines(of: $0) } + [progress])
    }
    let diagnoses = gatherer.gather().diagnoses
    region?.draw([])
    output.clearProgress()
    for diagnosis in diagnoses { show(diagnosis) }
    let problems = diagnoses.count { $0.outcome == .problem }
    if !invocation.isJSON {
      output.line(
        problems == 0
          ? tr("Nothing is wrong.") : tr("\(problems) problem found.", "\(problems) problems found.", count: problems))
    }
    invocation.finish(problems == 0 ? ExitStatus.success : ExitStatus.failure)
  }

  /// Exits immediately, since a question may take seconds and its turns of the main loop are not ended by `finish`.
  func interrupted() {
    invocation.output.restore()
    exit(ExitStatus.interrupted)
  }

  private func show(_ diagnosis: Diagnosis) {
    let object = JSONText.object([
      ("Id", .string(diagnosis.id)), ("Subject", .string(diagnosis.subject)),
      ("Outcome", .string(diagnosis.outcome.rawValue)), ("Finding", .string(diagnosis.finding)),
      ("Remedy", .string(diagnosis.remedy)),
    ])
    invocation.show(lines(of: diagnosis), orJSON: [object])
  }

  private func lines(of diagnosis: Diagnosis) -> [String] {
    let output = invocation.output
    let (mark, emphasis) = Self.mark(diagnosis.outcome)
    let indent = String(repeating: " ", count: mark.count + 15)
    func wrapped(_ text: String) -> [String] {
      let plain = text.printable
      return output.isTerminal ? Text.wrapped(plain, to: max(12, output.columns - indent.count)) : [plain]
    }
    let finding = wrapped(diagnosis.finding)
    let head = "\(emphasis.around(mark, output.hasColors)) \(Text.padded(diagnosis.subject, to: 13)) "
    let remedy = diagnosis.remedy.isEmpty ? [] : wrapped("-> \(diagnosis.remedy)")
    let rest = finding.dropFirst() + remedy.prefix(1) + remedy.dropFirst().map { "   \($0)" }
    return [head + (finding.first ?? "")] + rest.map { indent + $0 }
  }

  private static func mark(_ outcome: Diagnosis.Outcome) -> (String, Emphasis) {
    switch outcome {
    case .good: (Text.padded(tr("ok"), to: 7), .good)
    case .hint: (Text.padded(tr("hint"), to: 7), .doubtful)
    case .problem: (Text.padded(tr("PROBLEM"), to: 7), .bad)
    }
  }
}
