// SPDX-License-Identifier: Apache-2.0
/// A finding of `doctor` about one subject.
nonisolated struct Diagnosis: Equatable {
  enum Outcome: String {
    case good = "ok"
    /// Worth knowing, but no problem on its own.
    case hint = "hint"
    case problem = "problem"
  }

  /// The subject, in one word.
  let subject: String
  /// What was found, in a word that never changes.
  let kind: String
  let outcome: Outcome
  /// What was found, in a sentence.
  let finding: String
  /// How to fix it: a command or a setting; empty if nothing is to be fixed.
  let remedy: String

  /// The name of the finding, which programs may rely on.
  var id: String { "\(subject)-\(kind)" }

  static func good(_ subject: String, _ finding: String) -> Diagnosis { good(subject, "ok", finding) }

  static func good(_ subject: String, _ kind: String, _ finding: String) -> Diagnosis {
    Diagnosis(subject: subject, kind: kind, outcome: .good, finding: finding, remedy: "")
  }

  static func hint(_ subject: String, _ kind: String, _ finding: String, _ remedy: String = "") -> Diagnosis {
    Diagnosis(subject: subject, kind: kind, outcome: .hint, finding: finding, remedy: remedy)
  }

  static func problem(_ subject: String, _ kind: String, _ finding: String, _ remedy: String) -> Diagnosis {
    Diagnosis(subject: subject, kind: kind, outcome: .problem, finding: finding, remedy: remedy)
  }
}
