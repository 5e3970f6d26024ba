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
  let outcome: Outcome
  /// One sentence: what is so.
  let finding: String
  /// The command or the setting that mends it; empty if there is nothing to mend.
  let remedy: String

  static func good(_ subject: String, _ finding: String) -> Diagnosis {
    Diagnosis(subject: subject, outcome: .good, finding: finding, remedy: "")
  }

  static func hint(_ subject: String, _ finding: String, _ remedy: String = "") -> Diagnosis {
    Diagnosis(subject: subject, outcome: .hint, finding: finding, remedy: remedy)
  }

  static func problem(_ subject: String, _ finding: String, _ remedy: String) -> Diagnosis {
    Diagnosis(subject: subject, outcome: .problem, finding: finding, remedy: remedy)
  }
}
