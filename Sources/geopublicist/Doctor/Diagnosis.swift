// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// A finding of `doctor` about one subject.
nonisolated struct Diagnosis: Equatable {
  enum Outcome: String {
    case good = "ok"
    /// Worth knowing, but not a problem on its own.
    case hint = "hint"
    case problem = "problem"
  }

  let subject: String
  /// The finding in one word that never changes.
  let kind: String
  let outcome: Outcome
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

nonisolated extension DoctorFacts {
  /// Whether the service or GeoClue refuses for the given reason.
  func isRefused(for reason: AuthorizationReason) -> Bool {
    if authorizationReason == reason.rawValue { return true }
    guard case .refused(let message) = probe else { return false }
    return GeoClueRefusal.reason(in: message) == reason
  }

  /// The line of GeoClue's configuration that would permit the agent of the service and of `geopublicist agent`; nil if
  /// they are permitted.
  var linePermittingAgent: String? {
    guard let configuration, let agents = configuration.agents, !agents.contains(GeoClueNames.agentID) else {
      return nil
    }
    let line = (agents + [GeoClueNames.agentID]).joined(separator: ";")
    return tr(
      "Set whitelist=\(line) under [agent] in \(configuration.agentsFile ?? "/etc/geoclue/geoclue.conf"); "
        + "sudo systemctl restart geoclue")
  }

  /// The findings so far, in the order in which problems are best fixed.
  var diagnoses: [Diagnosis] {
    let causes = [
      Diagnosis.bus, Diagnosis.sandbox, Diagnosis.service, Diagnosis.settings, Diagnosis.clock, Diagnosis.polkit,
      Diagnosis.session, Diagnosis.geoclue, Diagnosis.agent, Diagnosis.agents, Diagnosis.locationSwitch,
      Diagnosis.accuracy, Diagnosis.configuration, Diagnosis.sources, Diagnosis.staticFile, Diagnosis.server,
      Diagnosis.privacy,
    ].compactMap { $0(self) }.withoutConsequences
    guard let fix = Diagnosis.fix(self) else { return causes }
    // This user has a location, so what looks like a problem does not prevent it.
    if case .fix = attempt { return causes.map { $0.isCondition ? $0.asHint : $0 } + [fix] }
    // A missing location is a problem only if no cause has been found.
    let isExplained = fix.outcome == .problem && causes.contains { $0.outcome == .problem }
    return causes + [isExplained ? .hint(fix.subject, fix.kind, fix.finding) : fix]
  }
}

nonisolated extension Diagnosis {
  /// Whether the subject is a condition for locations, rather than a program that delivers them.
  fileprivate var isCondition: Bool { !["bus", "service", "settings", "geoclue"].contains(subject) }

  fileprivate var asHint: Diagnosis {
    let outcome = outcome == .problem ? Outcome.hint : outcome
    return Diagnosis(subject: subject, kind: kind, outcome: outcome, finding: finding, remedy: remedy)
  }
}

nonisolated extension [Diagnosis] {
  /// The findings, in which problems that do not matter until another one is solved have become hints.
  fileprivate var withoutConsequences: [Diagnosis] {
    let problems = filter { $0.outcome == .problem }
    func has(_ subjects: String...) -> Bool { problems.contains { subjects.contains($0.subject) } }
    func has(id: String) -> Bool { problems.contains { $0.id == id } }
    var consequences: [String] = []
    // The service does not ask for an agent where the sandbox, polkit or the session forbids access.
    let forbidding = ["polkit-denied", "session-inactive", "session-none", "session-silent"]
    if has("sandbox") || forbidding.contains(where: has(id:)) {
      consequences += ["agent", "agents", "switch", "accuracy"]
    }
    // GeoClue has the sources that its configuration and the file permit.
    if has("configuration", "static", "policy") || has(id: "agent-service-not-allowed") {
      consequences += ["sources", "server"]
    }
    let isOnForeignBus = has(id: "bus-variable")
    return map { consequences.contains($0.subject) || isOnForeignBus && $0.subject != "bus" ? $0.asHint : $0 }
  }
}
