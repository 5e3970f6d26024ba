// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// The bus, the bridge on it, and who this user is to it: pure functions of what was found out.
nonisolated extension Diagnosis {
  static func bus(_ facts: DoctorFacts) -> Diagnosis? {
    if let error = facts.busError {
      let remedy =
        facts.isSession
        ? "Log in to a desktop session, or start a bus for one program: dbus-run-session -- PROGRAM"
        : "sudo systemctl start dbus.socket"
      return problem("bus", "There is no connection to \(facts.bus): \(error)", remedy)
    }
    if let error = facts.systemBusError {
      return problem(
        "bus", "There is no connection to the system bus, where GeoClue is: \(error)",
        "sudo systemctl start dbus.socket")
    }
    return good("bus", "The message bus answers")
  }

  static func sandbox(_ facts: DoctorFacts) -> Diagnosis? {
    guard let sandbox = facts.sandbox else { return good("sandbox", "This program is not in a sandbox") }
    return problem(
      "sandbox",
      "This program is in a \(sandbox.rawValue) sandbox, and sandboxed programs get no location from the bridge",
      "Ask the desktop portal: org.freedesktop.portal.Location")
  }

  static func bridge(_ facts: DoctorFacts) -> Diagnosis? {
    guard let bridge = facts.bridge else { return nil }
    switch bridge {
    case .running: return good("bridge", "The bridge \(facts.bridgeVersion ?? "") runs on \(facts.bus)")
    case .activatable: return good("bridge", "The bridge is started on \(facts.bus) when somebody calls it")
    case .missing:
      return problem(
        "bridge", "The bridge is not on \(facts.bus), and nothing starts it there",
        facts.isSession
          ? "Install the package geopublicist, or start geopublicistd --session" : "Install the package geopublicist")
    case .failed(let message):
      return problem(
        "bridge", "The bridge does not start: \(message)",
        message.hasPart("masked")
          ? "\(facts.isSession ? "systemctl --user" : "sudo systemctl") unmask geopublicist"
          : facts.isSession
            ? "systemctl --user status geopublicist; journalctl --user -u geopublicist"
            : "systemctl status geopublicist; journalctl -u geopublicist")
    case .silent:
      return problem(
        "bridge", "The bridge is there, but does not answer",
        facts.isSession
          ? "systemctl --user restart geopublicist; journalctl --user -u geopublicist"
          : "sudo systemctl restart geopublicist; journalctl -u geopublicist")
    case .refused(let message):
      return problem(
        "policy", "The rules of \(facts.bus) do not let this user talk to the bridge: \(message)",
        "Install the package geopublicist again; then sudo systemctl reload dbus")
    }
  }

  static func polkit(_ facts: DoctorFacts) -> Diagnosis? {
    guard !facts.isSession, let polkit = facts.polkit else { return nil }
    if facts.userID == 0 { return good("polkit", "polkit is not asked about root") }
    switch polkit {
    case .running, .activatable: break
    default:
      return problem(
        "polkit", "polkit is not there to decide whether this user may have the location", "Install polkit")
    }
    if facts.authorizationReason == AuthorizationReason.disallowedByPolicy.rawValue {
      return problem(
        "polkit", "polkit does not allow it: a rule forbids it, or this session is not at the machine itself",
        "An administrator's rule for org.geopublicist.location1.access in /etc/polkit-1/rules.d")
    }
    if facts.authorizationReason == AuthorizationReason.authorizationRequired.rawValue {
      return problem(
        "polkit", "polkit wants this user to be asked first, each program anew unless its rule keeps the answer",
        "geopublicist authorize --interactive; an administrator's rule may return AUTH_SELF_KEEP, or YES")
    }
    if facts.authorizationReason == AuthorizationReason.policyUnavailable.rawValue {
      return problem(
        "polkit", "polkit could not be asked whether this user may have the location", "sudo systemctl start polkit")
    }
    return good("polkit", "polkit is there")
  }

  static func session(_ facts: DoctorFacts) -> Diagnosis? {
    guard !facts.isSession, let session = facts.session else { return nil }
    if facts.userID == 0 { return good("session", "root needs no session") }
    switch session {
    case .state("active"): return good("session", "This user's session is the active one")
    case .state(let state):
      return problem(
        "session", "This user's session is not the active one (\(state))",
        "Switch to the session: loginctl list-sessions; sudo loginctl activate SESSION")
    case .none:
      return problem(
        "session", "This user has no session",
        "Log in on this machine, not by su or sudo; loginctl list-sessions shows it")
    case .noManager:
      return problem(
        "session", "Nobody knows who is logged in: systemd-logind is not there", "systemctl status systemd-logind")
    }
  }
}
