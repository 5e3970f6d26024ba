// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistLocationModel

/// Findings about this user: polkit, the session, the agent and its switch.
nonisolated extension Diagnosis {
  static func polkit(_ facts: DoctorFacts) -> Diagnosis? {
    guard !facts.isSession, let polkit = facts.polkit else { return nil }
    if facts.userID == 0 { return good("polkit", "polkit is not asked about root") }
    switch polkit {
    case .running, .activatable: break
    default:
      return problem(
        "polkit", "missing", "polkit, which decides whether this user may have the location, is not installed",
        "Install polkit")
    }
    switch facts.authorizationReason.flatMap(AuthorizationReason.init) {
    case .disallowedByPolicy:
      return problem(
        "polkit", "denied",
        "polkit does not allow this user to have the location: a rule forbids it, or the session is a remote one",
        facts.ruleForServices)
    case .authorizationRequired:
      return problem(
        "polkit", "asks", "polkit requires that the user is asked for each program that wants the location",
        "Use --interactive; or let an administrator's rule return polkit.Result.YES")
    case .rejectedByAgent:
      return problem(
        "polkit", "rejected", "The answer to polkit's question was no, or the password was wrong",
        "To be asked again: geopublicist authorize --interactive")
    case .policyUnavailable:
      return problem(
        "polkit", "unavailable", "polkit could not be asked whether this user may have the location",
        "sudo systemctl start polkit")
    default: return good("polkit", "polkit is available")
    }
  }

  static func session(_ facts: DoctorFacts) -> Diagnosis? {
    guard !facts.isSession, let session = facts.session else { return nil }
    if facts.userID == 0 { return good("session", "root needs no session") }
    switch session {
    case .state("active"): return good("session", "This user's session is the active one")
    case .state(let state):
      return problem(
        "session", "inactive", "This user's session is not the active one (\(state))",
        "Switch to the session: loginctl list-sessions; sudo loginctl activate SESSION. For ssh and cron: "
          + facts.ruleForServices)
    case .none:
      return problem(
        "session", "none", "This user has no session",
        "Log in on this machine, not with su or sudo; loginctl list-sessions shows sessions. For ssh and cron: "
          + facts.ruleForServices)
    case .noManager:
      return problem(
        "session", "no-logind", "systemd-logind, which knows who is logged in, is not available",
        "systemctl status systemd-logind")
    }
  }

  static func agent(_ facts: DoctorFacts) -> Diagnosis? {
    if let remedy = facts.linePermittingAgent, !facts.isSession {
      return problem(
        "agent", "service-not-allowed",
        "GeoClue's configuration does not accept the service's own agent, so the service gets no location", remedy)
    }
    let isBlamed = facts.authorizationReason == AuthorizationReason.noAgent.rawValue
    let isFree = AuthorizationStatus(rawValue: facts.authorizationStatus ?? "")?.isAuthorized ?? false
    guard isBlamed || facts.probe == .noAgent || facts.probe == .allowed else { return nil }
    if facts.userID == 0, !facts.isSession { return good("agent", "not-needed", "root needs no agent") }
    guard isBlamed || (facts.probe == .noAgent && !isFree) else {
      return facts.probe == .noAgent
        ? good("agent", "not-needed", "This user has no agent, and needs none")
        : good("agent", "An agent decides for this user")
    }
    if let remedy = facts.linePermittingAgent, facts.configuration?.agents?.contains("gnome-shell") == false {
      return problem(
        "agent", "not-allowed", "GeoClue's configuration accepts none of the agents that this user could have", remedy)
    }
    if facts.desktop == .gnome {
      return problem(
        "agent", "gave-up", "GNOME's agent is not registered with GeoClue; it does not try again after a failure",
        Desktop.gnome.startingAgent)
    }
    let both = facts.isSession ? "" : ", which the service on the system bus also follows"
    return problem("agent", "missing", "No location agent is running for this user\(both)", facts.desktop.startingAgent)
  }

  static func locationSwitch(_ facts: DoctorFacts) -> Diagnosis? {
    if facts.isRefused(for: .disabledByUser) {
      return problem(
        "switch", "off", "Location is turned off for this user",
        facts.hasOwnAgent ? "geopublicist switch on" : facts.desktop.turningOn)
    }
    return facts.probe == .allowed ? good("switch", "on", "Location is turned on for this user") : nil
  }

  static func accuracy(_ facts: DoctorFacts) -> Diagnosis? {
    let isReduced = facts.authorizationReason == AuthorizationReason.reducedAccuracy.rawValue
    guard isReduced || facts.permittedLevel.map({ $0 < .exact && $0 != .none }) == true else { return nil }
    let level = facts.permittedLevel.map { " (level \($0.contractName))" } ?? ""
    return problem(
      "accuracy", "limited", "Only approximate locations are allowed for this user\(level)",
      facts.hasOwnAgent ? "geopublicist switch exact" : facts.desktop.allowingExact)
  }
}

nonisolated extension DoctorFacts {
  /// How to allow the location to programs outside a session.
  fileprivate var ruleForServices: String { "copy \(ruleFile) to /etc/polkit-1/rules.d and name the user in it" }
}
