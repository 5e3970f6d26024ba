// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// GeoClue, its agent, its settings and its sources: pure functions of what was found out.
nonisolated extension Diagnosis {
  static func geoclue(_ facts: DoctorFacts) -> Diagnosis? {
    guard let geoclue = facts.geoclue else { return nil }
    switch geoclue {
    case .missing: return problem("geoclue", "GeoClue is not installed", "Install GeoClue (package geoclue-2.0)")
    case .failed(let message):
      // systemd's own word, which both message buses pass on.
      return problem(
        "geoclue", "GeoClue does not start: \(message)",
        message.hasPart("masked")
          ? "sudo systemctl unmask geoclue" : "systemctl status geoclue; journalctl -u geoclue")
    case .silent:
      return problem(
        "geoclue", "GeoClue is there, but does not answer", "sudo systemctl restart geoclue; journalctl -u geoclue")
    case .refused(let message):
      return problem(
        "policy", "The rules of the system bus do not let this user talk to GeoClue: \(message)",
        "Install GeoClue again; then sudo systemctl reload dbus")
    case .running, .activatable: break
    }
    if facts.probe == .tooOld {
      return problem(
        "geoclue", "GeoClue is too old: 2.5.2 is the oldest that will do",
        "Install a newer GeoClue; then sudo systemctl restart geoclue")
    }
    return good("geoclue", "GeoClue is there")
  }

  static func agent(_ facts: DoctorFacts) -> Diagnosis? {
    let isBlamed = facts.authorizationReason == AuthorizationReason.noAgent.rawValue
    let isFree = AuthorizationStatus(rawValue: facts.authorizationStatus ?? "")?.isAuthorized ?? false
    guard isBlamed || facts.probe == .noAgent || facts.probe == .allowed else { return nil }
    guard isBlamed || (facts.probe == .noAgent && !isFree) else {
      let finding =
        facts.probe == .noAgent ? "This user has no agent, and needs none" : "An agent decides for this user"
      return good("agent", finding)
    }
    if let agents = facts.configuration?.agents, !agents.contains(GeoClueNames.agentID), !agents.contains("gnome-shell")
    {
      return problem(
        "agent", "Nobody decides about locations for this user, and GeoClue's settings allow none of the usual agents",
        "Add \(GeoClueNames.agentID) to whitelist of [agent] in /etc/geoclue/geoclue.conf; sudo systemctl restart geoclue"
      )
    }
    return problem(
      "agent", "Nobody decides about locations for this user: no agent of GeoClue runs",
      "Log in to a desktop session, or start GeoClue's own agent in this one: "
        + "/usr/libexec/geoclue-2.0/demos/agent")
  }

  static func locationSwitch(_ facts: DoctorFacts) -> Diagnosis? {
    if facts.isRefused(for: .disabledByUser) {
      return problem(
        "switch", "Location is switched off for this user",
        "Settings, Privacy, Location; or gsettings set org.gnome.system.location enabled true")
    }
    return facts.probe == .allowed ? good("switch", "Location is switched on for this user") : nil
  }

  static func configuration(_ facts: DoctorFacts) -> Diagnosis? {
    let group = "[org.geopublicist.Location1] in /etc/geoclue/geoclue.conf or conf.d beside it"
    if let error = facts.configuration?.error {
      return problem("configuration", "GeoClue's settings cannot be read: \(error)", "Mend the file that is named")
    }
    if facts.configuration?.isBridgeAllowed == false {
      return problem(
        "configuration", "GeoClue's settings forbid the bridge to have locations",
        "Set allowed=true under \(group); sudo systemctl restart geoclue")
    }
    if let users = facts.configuration?.bridgeUsers, !users.isEmpty, !users.contains("\(facts.userID)") {
      return problem(
        "configuration", "GeoClue's settings let only some users have locations from the bridge, and not this one",
        "Add \(facts.userID) to users, or empty it, under \(group); sudo systemctl restart geoclue")
    }
    if facts.isRefused(for: .disallowedByConfiguration) {
      return problem(
        "configuration", "GeoClue's settings forbid it",
        "Look for allowed and users under \(group); sudo systemctl restart geoclue")
    }
    return facts.configuration.map { _ in good("configuration", "GeoClue's settings do not forbid it") }
  }

  static func sources(_ facts: DoctorFacts) -> Diagnosis? {
    guard let number = facts.availableAccuracy else { return nil }
    guard number == 0 else {
      return good("sources", "GeoClue's sources reach the level \(AccuracyLevel(rounding: number).contractName)")
    }
    let hint = facts.configuration?.isWiFiEnabled == false ? "; Wi-Fi is switched off in GeoClue's settings" : ""
    return problem(
      "sources", "GeoClue has no source of locations\(hint)",
      "Connect a GPS receiver, or switch Wi-Fi on (nmcli radio wifi on) and set enable=true under [wifi] in "
        + "/etc/geoclue/geoclue.conf")
  }

  static func server(_ facts: DoctorFacts) -> Diagnosis? {
    let url = facts.configuration?.serverURL ?? GeoClueSettings.defaultServer
    let remedy =
      "Set url=\(GeoClueSettings.defaultServer) under [wifi] in /etc/geoclue/geoclue.conf; sudo systemctl restart geoclue"
    // Part by part: the search for a text in a text would bring the whole engine for regular expressions along.
    if url.split(separator: "/").contains(where: { $0 == "location.services.mozilla.com" }) {
      return problem("server", "GeoClue asks Mozilla's location server, which was switched off in 2024", remedy)
    }
    switch facts.server {
    case .reachable?: return good("server", "The location server can be reached")
    case .unknownHost?:
      return problem(
        "server", "The location server has no address: \(url)",
        "Connect to the network: nmcli networking on" + (url == GeoClueSettings.defaultServer ? "" : ". Or: \(remedy)"))
    case .unreachable(let message)?:
      return problem("server", "The location server cannot be reached: \(message): \(url)", remedy)
    case nil: return nil
    }
  }

  static func fix(_ facts: DoctorFacts) -> Diagnosis? {
    switch facts.attempt {
    case .fix(isSimulated: false)?: return good("fix", "The bridge has a location for this user")
    case .fix(isSimulated: true)?:
      return hint(
        "fix", "The bridge has a location for this user, but it is a replayed one", "End geopublicistd --replay")
    case .error(let name, let message)? where name.hasSuffix(".Timeout"):
      return problem(
        "fix", "It is allowed, but no fix came: \(message)", "Take the receiver to a window; journalctl -u geoclue")
    case .error(_, let message)?:
      let user = facts.isSession ? " --user" : ""
      return problem(
        "fix", "The bridge gives no location: \(message)",
        "systemctl\(user) status geopublicist; journalctl\(user) -u geopublicist")
    case nil: return nil
    }
  }
}

nonisolated extension GeoClueSettings {
  /// What Debian's GeoClue asks unless its settings name another one.
  static let defaultServer = "https://api.beacondb.net/v1/geolocate"
}

nonisolated extension DoctorFacts {
  /// Whether the service or GeoClue refuses for a reason.
  func isRefused(for reason: AuthorizationReason) -> Bool {
    if authorizationReason == reason.rawValue { return true }
    guard case .refused(let message) = probe else { return false }
    return GeoClueRefusal.reason(in: message) == reason
  }

  /// Everything that is to be said, in the order in which it is best mended.
  var diagnoses: [Diagnosis] {
    let causes = [
      Diagnosis.bus, Diagnosis.sandbox, Diagnosis.bridge, Diagnosis.polkit, Diagnosis.session, Diagnosis.geoclue,
      Diagnosis.agent, Diagnosis.locationSwitch, Diagnosis.configuration, Diagnosis.sources, Diagnosis.server,
    ].compactMap { $0(self) }
    guard let fix = Diagnosis.fix(self) else { return causes }
    // Whoever has a location may have it, and something has measured it, whatever looks odd on the way there.
    if case .fix = attempt { return causes.map { $0.isAboutTheWay ? $0.asHint : $0 } + [fix] }
    // That no fix comes is a problem of its own only where no cause has been found.
    let isExplained = fix.outcome == .problem && causes.contains { $0.outcome == .problem }
    return causes + [isExplained ? .hint(fix.subject, fix.finding) : fix]
  }
}

nonisolated extension Diagnosis {
  /// It is about what a location needs to come to this user, and not about who brings it.
  fileprivate var isAboutTheWay: Bool { !["bus", "bridge", "policy", "geoclue"].contains(subject) }

  fileprivate var asHint: Diagnosis {
    Diagnosis(subject: subject, outcome: outcome == .problem ? .hint : outcome, finding: finding, remedy: remedy)
  }
}
