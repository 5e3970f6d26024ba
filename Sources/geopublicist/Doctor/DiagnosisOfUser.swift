// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Findings about this user: polkit, the session, the agent and its switch.
nonisolated extension Diagnosis {
  static func polkit(_ facts: DoctorFacts) -> Diagnosis? {
    guard !facts.isSession, let polkit = facts.polkit else { return nil }
    if facts.userID == 0 { return good("polkit", tr("root needs no permission from polkit")) }
    let decides = tr("polkit, which decides whether this user may access the location,")
    switch polkit {
    // A policy that denies only this user access to polkit does not matter, because it is the service that asks polkit.
    case .running, .activatable, .refused: break
    case .missing: return problem("polkit", "missing", tr("\(decides) is not installed"), tr("Install polkit"))
    case .silent:
      return problem(
        "polkit", "silent", tr("\(decides) does not answer"), "sudo systemctl restart polkit; journalctl -u polkit")
    case .failed(let message):
      return problem(
        "polkit", "failed", tr("\(decides) does not start: \(message)"),
        message.hasPart("masked") ? "sudo systemctl unmask polkit" : "systemctl status polkit; journalctl -u polkit")
    case .stopped(let stop): return stopped("polkit", decides, stop, unit: "polkit")
    }
    if facts.policyAnswer == .unknownAction {
      return problem(
        "polkit", "no-action", tr("The service's actions are not registered with polkit, so polkit refuses them"),
        tr("Reinstall the package geopublicist; sudo systemctl restart polkit"))
    }
    switch facts.authorizationReason.flatMap(AuthorizationReason.init) {
    case .disallowedByPolicy:
      return problem(
        "polkit", "denied",
        tr("polkit does not allow this user to access the location: a rule forbids it, or the session is a remote one"),
        facts.ruleForServices)
    case .authorizationRequired:
      return problem(
        "polkit", "asks", tr("polkit asks for permission for each program that requests the location"),
        tr("Use --interactive, or ask an administrator for a rule that returns polkit.Result.YES"))
    case .rejectedByAgent:
      return problem(
        "polkit", "rejected", tr("Permission was denied in polkit's dialog, or the password was wrong"),
        tr("To be asked again, run: geopublicist authorize --interactive"))
    case .policyUnavailable:
      return problem(
        "polkit", "unavailable",
        facts.policyAnswer == nil
          ? tr("The service cannot ask polkit whether this user may access the location")
          : tr("polkit answers this user, but not the service"),
        facts.policyAnswer == nil
          ? "systemctl status polkit; journalctl -u polkit"
          : tr(
            "Reinstall the packages polkitd and geopublicist; sudo systemctl reload dbus; journalctl -u geopublicist"))
    case .reducedAccuracy where facts.policyAnswer == .no:
      return problem(
        "polkit", "approximate", tr("polkit allows this user only approximate locations: a rule forbids the exact one"),
        tr(
          "Ask the administrator to change the rule in /etc/polkit-1/rules.d or /usr/share/polkit-1/rules.d that "
            + "forbids org.geopublicist.location1.access-precise"))
    case .reducedAccuracy where facts.policyAnswer == .asks:
      return problem(
        "polkit", "asks-precise", tr("polkit asks for permission before it allows the exact location"),
        tr("Use --interactive, or ask an administrator for a rule that returns polkit.Result.YES"))
    default: return good("polkit", tr("polkit is available"))
    }
  }

  static func session(_ facts: DoctorFacts) -> Diagnosis? {
    guard !facts.isSession, let session = facts.session else { return nil }
    if facts.userID == 0 { return good("session", tr("root needs no session")) }
    switch session {
    case .state("active") where facts.authorizationReason == AuthorizationReason.sessionInactive.rawValue:
      return problem(
        "session", "unknown-to-service",
        tr("This user's session is the active one, but the service cannot ask systemd-logind about it"),
        tr("Reinstall the package geopublicist; sudo systemctl reload dbus; journalctl -u geopublicist"))
    case .state("active"): return good("session", tr("This user's session is the active one"))
    // Programs of the user run, but the user is not logged in.
    case .state("lingering"), .state("closing"), .state("offline"), .none:
      return problem(
        "session", "none", tr("This user has no session"),
        tr(
          "Log in on this computer, not with su or sudo; loginctl list-sessions shows sessions. For ssh and cron: "
            + "\(facts.ruleForServices)"))
    case .state(let state):
      return problem(
        "session", "inactive", tr("This user's session is not the active one (\(state))"),
        tr(
          "Switch to the session: loginctl list-sessions; sudo loginctl activate SESSION. For ssh and cron: "
            + "\(facts.ruleForServices)"))
    case .silent:
      return problem(
        "session", "silent", tr("systemd-logind, which tracks who is logged in, does not answer"),
        "sudo systemctl restart systemd-logind; journalctl -u systemd-logind")
    case .noManager(let message):
      return problem(
        "session", "no-logind", tr("systemd-logind, which tracks who is logged in, is not available: \(message)"),
        message.hasPart("masked")
          ? "sudo systemctl unmask systemd-logind; sudo systemctl start systemd-logind"
          : "systemctl status systemd-logind; journalctl -u systemd-logind")
    }
  }

  static func agent(_ facts: DoctorFacts) -> Diagnosis? {
    if let remedy = facts.linePermittingAgent, !facts.isSession {
      return problem(
        "agent", "service-not-allowed",
        tr("GeoClue's configuration does not accept the service's own agent, so the service gets no location"), remedy)
    }
    let isBlamed = facts.authorizationReason == AuthorizationReason.noAgent.rawValue
    let isFree = AuthorizationStatus(rawValue: facts.authorizationStatus ?? "")?.isAuthorized ?? false
    guard isBlamed || facts.probe == .noAgent || facts.probe == .allowed else { return nil }
    if facts.userID == 0, !facts.isSession { return good("agent", "not-needed", tr("root needs no agent")) }
    guard isBlamed || (facts.probe == .noAgent && !isFree) else {
      return facts.probe == .noAgent
        ? good("agent", "not-needed", tr("This user has no agent, and needs none"))
        : good("agent", tr("An agent decides for this user"))
    }
    // GNOME's agent runs even if it has given up.
    if let silent = facts.agents?.first(where: {
      $0.isSilent || facts.probe == .noAgent && $0.level == nil && facts.desktop != .gnome
    }) {
      return problem(
        "agent", "silent", tr("The agent of this user, \(silent.name), does not answer"),
        silent.isOwn
          ? "systemctl --user restart geopublicist-agent"
          : tr("End it, and log out and in again: kill \(silent.process)"))
    }
    // GeoClue accepts an agent in a sandbox, and the service does not.
    if isBlamed, facts.probe == .allowed, let agent = facts.agents?.first {
      return problem(
        "agent", "confined",
        tr("The service does not accept \(agent.name), because it runs in a sandbox or a container"),
        tr("Run an agent outside the sandbox or container: geopublicist switch on"))
    }
    if let remedy = facts.linePermittingAgent, facts.configuration?.agents?.contains("gnome-shell") == false {
      return problem(
        "agent", "not-allowed", tr("GeoClue's configuration accepts none of the agents that this user could have"),
        remedy)
    }
    if facts.desktop == .gnome {
      return problem(
        "agent", "gave-up", tr("GNOME's agent is not registered with GeoClue; it does not try again after a failure"),
        Desktop.gnome.startingAgent)
    }
    if facts.isAgentMasked {
      return problem(
        "agent", "masked",
        tr("No location agent is running for this user, and the unit of geopublicist agent is masked"),
        "systemctl --user unmask geopublicist-agent; geopublicist switch on")
    }
    let both = facts.isSession ? "" : tr(", which the service on the system bus also follows")
    return problem(
      "agent", "missing", tr("No location agent is running for this user\(both)"), facts.desktop.startingAgent)
  }

  static func locationSwitch(_ facts: DoctorFacts) -> Diagnosis? {
    if facts.isRefused(for: .disabledByUser) {
      return problem(
        "switch", "off", tr("Location is turned off for this user"),
        facts.limitingAgent.flatMap { $0.level == AccuracyLevel.none ? $0.setting(.exact, on: facts.desktop) : nil }
          ?? facts.desktop.turningOn)
    }
    return facts.probe == .allowed ? good("switch", "on", tr("Location is turned on for this user")) : nil
  }

  static func accuracy(_ facts: DoctorFacts) -> Diagnosis? {
    let isReduced = facts.authorizationReason == AuthorizationReason.reducedAccuracy.rawValue
    let permitted = facts.limitingAgent?.level ?? facts.desktopLevel
    let isLimited = permitted.map { $0 < .exact && $0 != .none } ?? false
    // polkit may be the cause, and then has its own finding.
    guard isLimited || (isReduced && ![.no, .asks].contains(facts.policyAnswer)) else { return nil }
    let level = isLimited ? permitted.map { " (level \($0.contractName))" } ?? "" : ""
    return problem(
      "accuracy", "limited", tr("Only approximate locations are allowed for this user\(level)"),
      isLimited
        ? facts.limitingAgent?.setting(.exact, on: facts.desktop) ?? facts.desktop.allowingExact
        : facts.desktop.allowingExact)
  }

  /// Several agents of this user: the service applies the coarsest level, and GeoClue the one that registered last.
  static func agents(_ facts: DoctorFacts) -> Diagnosis? {
    let agents = (facts.agents ?? []).filter { !$0.isSilent }
    guard agents.count > 1 else { return nil }
    let list = agents.map(\.description).joined(separator: ", ")
    let finding = tr("This user has \(agents.count) location agents, and the coarsest level applies: \(list)")
    let remedy =
      agents.contains { $0.isOwn }
      ? tr("Use only one agent: systemctl --user disable --now geopublicist-agent, or end the other one")
      : tr("Use only one agent, and end the others")
    return Set(agents.compactMap(\.level)).count < 2
      ? hint("agents", "several", finding, remedy) : problem("agents", "several", finding, remedy)
  }
}

nonisolated extension DoctorFacts {
  /// The agent that allows the least; nil if none answers.
  fileprivate var limitingAgent: AgentProgram? {
    (agents ?? []).filter { $0.level != nil }.min { ($0.level ?? .none) < ($1.level ?? .none) }
  }

  /// How to allow the location to programs outside a session.
  fileprivate var ruleForServices: String { tr("copy \(ruleFile) to /etc/polkit-1/rules.d and name the user in it") }
}
