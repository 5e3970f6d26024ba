// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Findings about the bus, the service, and the location that this program receives.
nonisolated extension Diagnosis {
  static func bus(_ facts: DoctorFacts) -> Diagnosis? {
    if let error = facts.busError {
      let finding = tr("Cannot connect to \(facts.bus): \(error)")
      if let found = unusable(facts, finding) { return found }
      let remedy =
        facts.isSession
        ? tr("Log in to a desktop session, or start a bus for one program: dbus-run-session -- PROGRAM")
        : "sudo systemctl start dbus.socket"
      return problem("bus", "unreachable", finding, remedy)
    }
    if let error = facts.systemBusError {
      let finding = tr("Cannot connect to the system bus, where GeoClue is: \(error)")
      return unusable(facts, finding)
        ?? problem("bus", "no-system-bus", finding, "sudo systemctl start dbus.socket")
    }
    if facts.isBusForeign, let variable = facts.busVariable {
      return problem(
        "bus", "variable", tr("\(variable) in the environment does not name the system bus"),
        "unset \(variable)")
    }
    return facts.isSystemBusAsked ? good("bus", tr("The message bus answers")) : nil
  }

  /// Returns the finding about a bus that exists, but not for this program; nil otherwise.
  private static func unusable(_ facts: DoctorFacts, _ finding: String) -> Diagnosis? {
    if let variable = facts.busVariable {
      return problem(
        "bus", "variable", tr("\(finding). The address comes from \(variable) in the environment"),
        tr("If that bus has ended: unset \(variable)"))
    }
    if facts.isBusFull {
      return problem(
        "bus", "full", finding, tr("Quit programs that hold many connections: sudo busctl list --unique --acquired"))
    }
    guard facts.isBusDenied else { return nil }
    return problem(
      "bus", "denied", finding,
      tr(
        "Every user must be able to write to the socket: ls -ld /run/dbus /run/dbus/system_bus_socket; "
          + "sudo systemctl restart dbus.socket restores it"))
  }

  /// The service's own configuration; with a mistake in it the service uses its defaults.
  static func settings(_ facts: DoctorFacts) -> Diagnosis? {
    facts.serviceConfigurationError.map { error in
      // The service runs as another user.
      guard facts.userID == 0 || !error.hasPart("Permission denied") else {
        return hint(
          "settings", "secret", tr("This user cannot read the service's configuration: \(error)"),
          "sudo geopublicist doctor")
      }
      return problem(
        "settings", "invalid", tr("The service's configuration has an error, and the defaults apply: \(error)"),
        tr(
          "Correct that line; then run: \(facts.serviceProgram) --check; "
            + "sudo systemctl try-reload-or-restart geopublicist"))
    }
  }

  /// The clock: times of locations, certificates of the location server and limits of age depend on it.
  static func clock(_ facts: DoctorFacts) -> Diagnosis? {
    let remedy = "timedatectl; sudo timedatectl set-ntp true"
    // This program was released after that time.
    if let now = facts.now, now < 1_767_225_600 {
      return problem("clock", "unset", tr("The clock of this computer shows a year before 2026"), remedy)
    }
    // A receiver reports only the time of day. A time in the future is interpreted as that of yesterday.
    let difference = abs(facts.clockDifference?.remainder(dividingBy: 86_400) ?? 0)
    guard difference > 300 else { return nil }
    let time = TrackSummary.text(seconds: (difference / 60).rounded() * 60)
    return problem(
      "clock", "differs", tr("The source of the location and the clock of this computer differ by \(time)"), remedy)
  }

  static func sandbox(_ facts: DoctorFacts) -> Diagnosis? {
    let remedy = tr("Ask the desktop portal: org.freedesktop.portal.Location")
    if let sandbox = facts.sandbox {
      return problem(
        "sandbox", "sandboxed",
        tr("This program is in a \(sandbox.rawValue) sandbox, and sandboxed programs get no location from the service"),
        remedy)
    }
    if facts.authorizationReason == AuthorizationReason.sandboxed.rawValue {
      if facts.isInContainer {
        return problem(
          "sandbox", "container", tr("This program runs in a container, which the service considers a sandbox"),
          tr("Run the program outside of the container; in Toolbox and Distrobox: distrobox-host-exec PROGRAM"))
      }
      guard facts.isOwnUnitKnown != true else {
        return problem("sandbox", "sandboxed", tr("The service considers this program sandboxed"), remedy)
      }
      guard facts.isOwnUnitKnown != nil else {
        return problem(
          "sandbox", "no-systemd",
          tr("systemd does not answer when the service asks whether this program is sandboxed"),
          "sudo systemctl daemon-reexec; journalctl -b -p err _PID=1")
      }
      return problem(
        "sandbox", "unverifiable",
        tr(
          "systemd has no unit for this program's control group, so the service cannot determine whether it is sandboxed"
        ),
        tr("Start the program from a login, or with: systemd-run --user --scope PROGRAM"))
    }
    guard facts.clientsOfExitedProcesses == 0 else {
      return hint(
        "sandbox", "exited",
        tr(
          "Programs get no location, because the process that opened their connection exited before it was checked: "
            + "\(facts.clientsOfExitedProcesses)"),
        tr("Start them again; a program must connect to the bus only after it has gone to the background"))
    }
    return good("sandbox", tr("This program is not in a sandbox"))
  }

  static func service(_ facts: DoctorFacts) -> Diagnosis? {
    guard let service = facts.service else { return nil }
    let (user, root) = facts.isSession ? (" --user", "systemctl --user") : ("", "sudo systemctl")
    switch service {
    case .running:
      let version = facts.serviceVersion ?? ""
      guard version.isEmpty || version == ProgramVersion.current else {
        guard facts.servicePrograms.count < 2 else {
          return hint(
            "service", "two-versions",
            tr(
              "The service is version \(version), and this command version \(ProgramVersion.current); both are installed: "
                + "\(facts.servicePrograms.joined(separator: ", "))"),
            tr("Remove one: sudo apt remove geopublicist, or sudo make uninstall; then \(root) restart geopublicist"))
        }
        return hint(
          "service", "other-version",
          tr("The service is version \(version), and this command version \(ProgramVersion.current)"),
          "\(root) restart geopublicist")
      }
      return good("service", tr("The service \(version) runs on \(facts.bus)"))
    case .activatable: return good("service", tr("The service on \(facts.bus) starts when a program calls it"))
    case .missing:
      return problem(
        "service", "missing", tr("The service is not running on \(facts.bus), and nothing starts it there"),
        facts.isSession
          ? tr("Install the package geopublicist, or start geopublicistd --session")
          : tr("Install the package geopublicist"))
    case .failed(let message):
      if let found = withoutRoom(facts, "service", message) { return found }
      if facts.isBusPolicyMissing, !facts.isSession, !message.hasPart("masked") {
        return problem(
          "service", "no-policy",
          tr("The service does not start: the rules that allow it to own its name on the bus are missing"),
          tr("Reinstall the package geopublicist; then sudo systemctl reload dbus"))
      }
      return problem(
        "service", "failed", tr("The service does not start: \(message)"),
        message.hasPart("masked")
          ? "\(root) unmask geopublicist"
          : message.hasPart("not found")
            ? tr("Reinstall the package geopublicist; then \(root) daemon-reload")
            : "systemctl\(user) status geopublicist; journalctl\(user) -u geopublicist")
    case .silent:
      return problem(
        "service", "silent", tr("The service is running, but does not answer"),
        "\(root) restart geopublicist; journalctl\(user) -u geopublicist")
    case .stopped(let stop): return stopped("service", tr("The service"), stop, unit: "geopublicist", user: user)
    case .refused(let message):
      let finding = tr("The policy of \(facts.bus) does not allow this user to call the service: \(message)")
      if let remedy = securityModule(message) { return problem("policy", "security-module", finding, remedy) }
      return problem(
        "policy", "service", finding,
        tr("Reinstall the package geopublicist; then \(root) reload dbus"))
    }
  }

  /// A service that systemd does not run.
  static func stopped(
    _ subject: String, _ name: String, _ stop: DoctorFacts.Stop, unit: String, user: String = ""
  ) -> Diagnosis {
    let root = user.isEmpty ? "sudo systemctl" : "systemctl\(user)"
    let log = "systemctl\(user) status \(unit); journalctl\(user) -u \(unit)"
    return switch stop {
    case .limit:
      problem(
        subject, "failed", tr("\(name) failed so often that systemd no longer starts it"),
        "journalctl\(user) -u \(unit); \(root) reset-failed \(unit)")
    case .condition:
      problem(subject, "condition", tr("\(name) does not start: a condition of its unit is not met"), log)
    case .waiting:
      problem(
        subject, "waiting", tr("\(name) has not started yet: it, or a unit that it waits for, takes too long"),
        "systemctl\(user) list-jobs; \(log)")
    case .unknownToBus:
      problem(
        subject, "unknown", tr("\(name) is installed, but the message bus does not know how to start it"),
        tr("Reinstall its package; \(root) reload dbus"))
    }
  }

  /// A service that does not start, on a machine without room; nil if there is room.
  static func withoutRoom(_ facts: DoctorFacts, _ subject: String, _ message: String) -> Diagnosis? {
    guard let folder = facts.fullFolder else { return nil }
    return Diagnosis(
      subject: subject, kind: "no-room", outcome: .problem,
      finding: tr("A service does not start, and the file system of \(folder) is full: \(message)"),
      remedy: tr("Free some space: df -h \(folder); sudo journalctl --vacuum-size=100M"))
  }

  /// How to permit a call that a security module forbids; nil if the message of dbus-daemon names no such module.
  static func securityModule(_ message: String) -> String? {
    if message.hasPart("AppArmor") { return "journalctl -k -g apparmor=.DENIED; sudo aa-complain PROFILE" }
    if message.hasPart("SELinux") { return "sudo ausearch -m USER_AVC -ts recent; sudo restorecon -R /usr /etc/dbus-1" }
    return nil
  }

  static func fix(_ facts: DoctorFacts) -> Diagnosis? {
    switch facts.attempt {
    case .fix(isSimulated: false)?: return good("fix", tr("The service has a location for this user"))
    case .fix(isSimulated: true)?:
      return hint(
        "fix", "simulated", tr("The service has a location for this user, but a simulated one"),
        tr("Stop geopublicistd --replay or --at"))
    case .error(let name, let message)? where name.hasSuffix(".Timeout"):
      return problem(
        "fix", "late", tr("Access is allowed, but no location arrived: \(message)"),
        facts.availableAccuracy.map { AccuracyLevel(rounding: $0) == .exact } ?? true
          ? tr("Move the receiver to a window; for details: journalctl -u geoclue")
          : tr("The location server may not know any of the networks nearby; for details: journalctl -u geoclue"))
    case .error(_, let message)?:
      let user = facts.isSession ? " --user" : ""
      return problem(
        "fix", "failed", tr("The service provides no location: \(message)"),
        "systemctl\(user) status geopublicist; journalctl\(user) -u geopublicist")
    case nil: return nil
    }
  }
}
