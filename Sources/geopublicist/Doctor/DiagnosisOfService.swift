// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Findings about the bus, the service, and the location that it gives this program.
nonisolated extension Diagnosis {
  static func bus(_ facts: DoctorFacts) -> Diagnosis? {
    if let error = facts.busError {
      let remedy =
        facts.isSession
        ? "Log in to a desktop session, or start a bus for one program: dbus-run-session -- PROGRAM"
        : "sudo systemctl start dbus.socket"
      return problem("bus", "unreachable", "Cannot connect to \(facts.bus): \(error)", remedy)
    }
    if let error = facts.systemBusError {
      return problem(
        "bus", "no-system-bus", "Cannot connect to the system bus, where GeoClue is: \(error)",
        "sudo systemctl start dbus.socket")
    }
    return facts.isSystemBusAsked ? good("bus", "The message bus answers") : nil
  }

  static func sandbox(_ facts: DoctorFacts) -> Diagnosis? {
    let remedy = "Ask the desktop portal: org.freedesktop.portal.Location"
    if let sandbox = facts.sandbox {
      return problem(
        "sandbox", "sandboxed",
        "This program is in a \(sandbox.rawValue) sandbox, and sandboxed programs get no location from the service",
        remedy)
    }
    if facts.authorizationReason == AuthorizationReason.sandboxed.rawValue {
      return problem("sandbox", "sandboxed", "The service takes this program for a sandboxed one", remedy)
    }
    return good("sandbox", "This program is not in a sandbox")
  }

  static func service(_ facts: DoctorFacts) -> Diagnosis? {
    guard let service = facts.service else { return nil }
    let (user, root) = facts.isSession ? (" --user", "systemctl --user") : ("", "sudo systemctl")
    switch service {
    case .running: return good("service", "The service \(facts.serviceVersion ?? "") runs on \(facts.bus)")
    case .activatable: return good("service", "The service on \(facts.bus) starts when a program calls it")
    case .missing:
      return problem(
        "service", "missing", "The service is not on \(facts.bus), and nothing starts it there",
        facts.isSession
          ? "Install the package geopublicist, or start geopublicistd --session" : "Install the package geopublicist")
    case .failed(let message):
      return problem(
        "service", "failed", "The service does not start: \(message)",
        message.hasPart("masked")
          ? "\(root) unmask geopublicist" : "systemctl\(user) status geopublicist; journalctl\(user) -u geopublicist")
    case .silent:
      return problem(
        "service", "silent", "The service is running, but does not answer",
        "\(root) restart geopublicist; journalctl\(user) -u geopublicist")
    case .refused(let message):
      return problem(
        "policy", "service", "The policy of \(facts.bus) does not let this user call the service: \(message)",
        "Reinstall the package geopublicist; then sudo systemctl reload dbus")
    }
  }

  static func fix(_ facts: DoctorFacts) -> Diagnosis? {
    switch facts.attempt {
    case .fix(isSimulated: false)?: return good("fix", "The service has a location for this user")
    case .fix(isSimulated: true)?:
      return hint(
        "fix", "simulated", "The service has a location for this user, but a simulated one",
        "Stop geopublicistd --replay or --at")
    case .error(let name, let message)? where name.hasSuffix(".Timeout"):
      return problem(
        "fix", "late", "Access is allowed, but no location arrived: \(message)",
        "Move the receiver to a window; journalctl -u geoclue")
    case .error(_, let message)?:
      let user = facts.isSession ? " --user" : ""
      return problem(
        "fix", "failed", "The service gives no location: \(message)",
        "systemctl\(user) status geopublicist; journalctl\(user) -u geopublicist")
    case nil: return nil
    }
  }
}
