// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistLocationModel

nonisolated extension DoctorFacts {
  /// Whether the service or GeoClue refuses for a reason.
  func isRefused(for reason: AuthorizationReason) -> Bool {
    if authorizationReason == reason.rawValue { return true }
    guard case .refused(let message) = probe else { return false }
    return GeoClueRefusal.reason(in: message) == reason
  }

  /// Which line of GeoClue's configuration would permit the agent of the service and of `geopublicist agent`; nil if
  /// nothing is to be changed.
  var linePermittingAgent: String? {
    guard let configuration, let agents = configuration.agents, !agents.contains(GeoClueNames.agentID) else {
      return nil
    }
    let line = (agents + [GeoClueNames.agentID]).joined(separator: ";")
    return "Set whitelist=\(line) under [agent] in \(configuration.agentsFile ?? "/etc/geoclue/geoclue.conf"); "
      + "sudo systemctl restart geoclue"
  }

  /// Everything that is to be said, in the order in which it is best fixed; of what is not known yet, nothing.
  var diagnoses: [Diagnosis] {
    let causes = [
      Diagnosis.bus, Diagnosis.sandbox, Diagnosis.service, Diagnosis.polkit, Diagnosis.session, Diagnosis.geoclue,
      Diagnosis.agent, Diagnosis.locationSwitch, Diagnosis.accuracy, Diagnosis.configuration, Diagnosis.sources,
      Diagnosis.server, Diagnosis.privacy,
    ].compactMap { $0(self) }
    guard let fix = Diagnosis.fix(self) else { return causes }
    // A client that gets a location may have it, and something has measured it, whatever looks odd on the way there.
    if case .fix = attempt { return causes.map { $0.isAboutTheWay ? $0.asHint : $0 } + [fix] }
    // That no fix comes is a problem of its own only where no cause has been found.
    let isExplained = fix.outcome == .problem && causes.contains { $0.outcome == .problem }
    return causes + [isExplained ? .hint(fix.subject, fix.kind, fix.finding) : fix]
  }
}

nonisolated extension Diagnosis {
  /// It is about what a location needs to come to this user, and not about what brings it.
  fileprivate var isAboutTheWay: Bool { !["bus", "service", "policy", "geoclue"].contains(subject) }

  fileprivate var asHint: Diagnosis {
    let outcome = outcome == .problem ? Outcome.hint : outcome
    return Diagnosis(subject: subject, kind: kind, outcome: outcome, finding: finding, remedy: remedy)
  }
}
