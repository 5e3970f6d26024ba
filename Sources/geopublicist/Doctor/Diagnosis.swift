// SPDX-License-Identifier: Apache-2.0
/// What the doctor says about one subject.
nonisolated struct Diagnosis: Equatable {
  enum Outcome: String {
    case good = "ok"
    /// Nothing to worry about alone, but worth knowing.
    case hint = "hint"
    case problem = "problem"
  }

  /// One word for the subject.
  let subject: String
  /// What was found, in one word; with the subject it is a name that stays the same in all versions.
  let kind: String
  let outcome: Outcome
  /// One sentence: what is so.
  let finding: String
  /// The command or the setting that fixes it; empty if there is nothing to fix.
  let remedy: String

  /// The name of the finding, for programs.
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
