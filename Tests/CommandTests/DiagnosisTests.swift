// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistLocationModel
import GeopublicistProcessSupport
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// The doctor's rules from facts to findings, without a bus.
@Suite struct DiagnosisTests {
  /// Facts without any fault.
  private static func healthy() -> DoctorFacts {
    var facts = DoctorFacts()
    facts.userID = 1000
    facts.serviceUserID = 998
    facts.isSystemBusAsked = true
    facts.service = .running
    facts.serviceVersion = ProgramVersion.current
    facts.authorizationStatus = "authorized-when-in-use"
    facts.authorizationReason = ""
    facts.geoclue = .running
    facts.availableAccuracy = 8
    facts.probe = .allowed
    facts.configuration = GeoClueSettings()
    facts.polkit = .running
    facts.session = .state("active")
    facts.attempt = .fix(isSimulated: false)
    return facts
  }

  /// The problems of a user who gets no location.
  private func problems(_ change: (inout DoctorFacts) -> Void) -> [String] {
    var facts = Self.healthy()
    facts.attempt = nil
    change(&facts)
    let found = facts.diagnoses.filter { $0.outcome == .problem }
    #expect(found.allSatisfy { !$0.remedy.isEmpty && !$0.finding.isEmpty })
    return found.map(\.subject)
  }

  @Test func `no problem is found on a healthy machine`() {
    #expect(problems { _ in } == [])
    #expect(Self.healthy().diagnoses.allSatisfy { $0.outcome == .good })
    #expect(Self.healthy().diagnoses.count >= 9)
  }

  @Test func `doctor recognises faults of the buses, the service and the sandbox`() {
    #expect(problems { $0.busError = "no such file" } == ["bus"])
    #expect(problems { $0.systemBusError = "no such file" } == ["bus"])
    for service in [DoctorFacts.Service.missing, .silent, .failed(message: "exit status 1")] {
      #expect(problems { $0.service = service } == ["service"])
    }
    #expect(problems { $0.service = .refused(message: "no") } == ["policy"])
    #expect(problems { ($0.geoclue, $0.stateReason) = (.refused(message: "no"), "disallowed-by-policy") } == ["policy"])
    #expect(problems { ($0.geoclue, $0.isSession) = (.refused(message: "no"), true) } == ["policy"])
    // On the system bus, a policy that refuses only this user's calls to GeoClue does not matter.
    #expect(problems { $0.geoclue = .refused(message: "no") } == [])
    #expect(problems { $0.sandbox = .flatpak } == ["sandbox"])
    #expect(problems { $0.authorizationReason = "sandboxed" } == ["sandbox"])
  }

  @Test func `doctor recognises faults of GeoClue, its settings, its sources and its server`() {
    #expect(problems { $0.geoclue = .missing } == ["geoclue"])
    #expect(problems { $0.geoclue = .failed(message: "exit status 1") } == ["geoclue"])
    #expect(problems { $0.geoclue = .silent } == ["geoclue"])
    #expect(problems { $0.probe = .tooOld } == ["geoclue"])
    #expect(problems { $0.configuration?.isServiceAllowed = false } == ["configuration"])
    #expect(problems { $0.configuration?.serviceUsers = ["1000"] } == ["configuration"])
    // GeoClue sees the user of the service, whichever client calls it.
    #expect(problems { $0.configuration?.serviceUsers = ["998"] } == [])
    #expect(problems { $0.configuration?.error = "line 3" } == ["configuration"])
    #expect(
      problems { $0.probe = .refused(message: "'x' disallowed by configuration for UID 1000") } == ["configuration"])
    #expect(problems { $0.authorizationReason = "disallowed-by-configuration" } == ["configuration"])
    #expect(problems { $0.availableAccuracy = 0 } == ["sources"])
    #expect(problems { $0.server = .unknownHost } == ["server"])
    #expect(problems { $0.server = .unreachable(message: "refused") } == ["server"])
    #expect(problems { $0.server = .reachable } == [])
    #expect(
      problems { $0.configuration?.serverURL = "https://location.services.mozilla.com/v1/geolocate?key=geoclue" }
        == ["server"])
    #expect(
      problems { $0.attempt = .error(name: "org.geopublicist.Location1.Error.Timeout", message: "late") } == ["fix"])
    #expect(problems { $0.attempt = .fix(isSimulated: true) } == [])
  }

  @Test func `doctor recognises faults of the user's agent, switch, polkit and session`() {
    #expect(problems { ($0.probe, $0.authorizationStatus) = (.noAgent, "not-determined") } == ["agent"])
    #expect(problems { $0.authorizationReason = "no-agent" } == ["agent"])
    // Root and users whom a rule allows need no agent.
    #expect(problems { ($0.probe, $0.authorizationStatus) = (.noAgent, "authorized-always") } == [])
    #expect(problems { ($0.probe, $0.userID, $0.authorizationStatus) = (.noAgent, 0, nil) } == [])
    #expect(problems { ($0.probe, $0.userID, $0.isSession) = (.noAgent, 0, true) } == [])
    #expect(problems { ($0.authorizationReason, $0.userID, $0.isSession) = ("no-agent", 0, true) } == ["agent"])
    #expect(problems { $0.authorizationReason = "reduced-accuracy" } == ["accuracy"])
    #expect(problems { $0.desktopLevel = .city } == ["accuracy"])
    #expect(problems { $0.desktopLevel = .exact } == [])
    #expect(problems { ($0.desktopLevel, $0.attempt) = (.city, .fix(isSimulated: false)) } == [])
    #expect(problems { $0.authorizationReason = "disabled-by-user" } == ["switch"])
    #expect(problems { $0.probe = .refused(message: "Geolocation disabled for UID 1000") } == ["switch"])
    #expect(problems { $0.polkit = .missing } == ["polkit"])
    #expect(problems { $0.authorizationReason = "policy-unavailable" } == ["polkit"])
    #expect(problems { $0.authorizationReason = "disallowed-by-policy" } == ["polkit"])
    #expect(problems { $0.authorizationReason = "authorization-required" } == ["polkit"])
    #expect(problems { ($0.polkit, $0.userID) = (.missing, 0) } == [])
    #expect(problems { ($0.polkit, $0.isSession) = (.missing, true) } == [])
    #expect(problems { $0.session = .state("online") } == ["session"])
    #expect(problems { $0.session = .some(.none) } == ["session"])
    #expect(problems { $0.session = .noManager(message: "not installed") } == ["session"])
    #expect(problems { ($0.session, $0.userID) = (.noManager(message: "not installed"), 0) } == [])
    #expect(problems { ($0.session, $0.isSession) = (.state("online"), true) } == [])
  }

  @Test func `the remedy for a masked unit is to unmask it`() throws {
    var facts = Self.healthy()
    // dbus-broker's error for a unit that exists. Regression: this error was reported as a missing package.
    let error = DBusError(.serviceUnknown, "Could not activate remote peer: activation request failed: unit is masked.")
    (facts.geoclue, facts.service) = (.activatable, .activatable)
    facts.geoclue = BusQuestions.outcome(of: error, after: facts.geoclue)
    facts.service = BusQuestions.outcome(of: error, after: facts.service)
    #expect(Diagnosis.geoclue(facts)?.remedy == "sudo systemctl unmask geoclue")
    #expect(Diagnosis.service(facts)?.remedy == "sudo systemctl unmask geopublicist")
    facts.isSession = true
    #expect(Diagnosis.service(facts)?.remedy == "systemctl --user unmask geopublicist")
    #expect(BusQuestions.outcome(of: error, after: .missing) == .missing)
  }

  @Test func `the remedy shows the whitelist that permits the service's agent`() throws {
    var facts = Self.healthy()
    facts.configuration?.agents = ["gnome-shell", "lipstick"]
    facts.configuration?.agentsFile = "/etc/geoclue/conf.d/50-site.conf"
    let found = try #require(Diagnosis.agent(facts))
    #expect(found.id == "agent-service-not-allowed")
    #expect(
      found.remedy.hasPrefix(
        "Set whitelist=gnome-shell;lipstick;geoclue-demo-agent under [agent] in /etc/geoclue/conf.d/50-site.conf; "))
    // In the session deployment the desktop's agent counts.
    facts.isSession = true
    #expect(Diagnosis.agent(facts)?.id == "agent-ok")
    facts.authorizationReason = "no-agent"
    facts.configuration?.agents = []
    #expect(Diagnosis.agent(facts)?.id == "agent-not-allowed")
  }

  @Test func `remedies mention the settings of the desktop that is running`() {
    var facts = Self.healthy()
    facts.authorizationReason = "no-agent"
    for (desktop, kind, remedy) in [
      (Desktop.gnome, "gave-up", "Log out and in again"), (.withoutAgent, "missing", "geopublicist switch on"),
      (.unknown, "missing", "geopublicist switch on"), (.phosh, "missing", "Log out and in again"),
    ] {
      facts.desktop = desktop
      #expect(Diagnosis.agent(facts)?.kind == kind && Diagnosis.agent(facts)?.remedy.hasPart(remedy) == true)
    }
    facts.authorizationReason = "disabled-by-user"
    facts.desktop = .gnome
    #expect(Diagnosis.locationSwitch(facts)?.remedy.hasPart("Privacy & Security") == true)
    facts.agents = [AgentProgram(process: 7, program: "geopublicist", level: AccuracyLevel.none)]
    #expect(Diagnosis.locationSwitch(facts)?.remedy == "geopublicist switch on")
  }

  private static nonisolated let own = AgentProgram(process: 5, program: "geopublicist", level: .exact)
  private static nonisolated let shell = AgentProgram(process: 7, program: "gnome-shell", level: .exact)

  /// A set of facts, the id of the problem or hint, and a part of its remedy.
  private nonisolated struct Row: Sendable, CustomTestStringConvertible {
    let id: String
    let remedy: String
    let change: @Sendable (inout DoctorFacts) -> Void
    var testDescription: String { id }

    init(_ id: String, _ remedy: String, _ change: @escaping @Sendable (inout DoctorFacts) -> Void) {
      (self.id, self.remedy, self.change) = (id, remedy, change)
    }
  }

  private static nonisolated let rows = [
    // polkit
    Row("polkit-approximate", "access-precise") {
      ($0.authorizationReason, $0.policyAnswer) = ("reduced-accuracy", .no)
    },
    Row("polkit-asks-precise", "--interactive") {
      ($0.authorizationReason, $0.policyAnswer) = ("reduced-accuracy", .asks)
    },
    Row("polkit-no-action", "Reinstall the package geopublicist") {
      ($0.authorizationReason, $0.policyAnswer) = ("policy-unavailable", .unknownAction)
    },
    Row("polkit-silent", "sudo systemctl restart polkit") {
      ($0.polkit, $0.authorizationReason) = (.silent, "undecided")
      $0.attempt = .error(name: "org.geopublicist.Location1.Error.NotAuthorized", message: "in progress")
    },
    Row("polkit-failed", "sudo systemctl unmask polkit") {
      $0.polkit = .failed(message: "Unit polkit.service is masked.")
    },
    Row("polkit-failed", "systemctl status polkit") { $0.polkit = .failed(message: "exit status 127") },
    Row("polkit-unavailable", "systemctl reload dbus") {
      ($0.authorizationReason, $0.policyAnswer) = ("policy-unavailable", .yes)
    },
    // Buses
    Row("bus-variable", "unset DBUS_SYSTEM_BUS_ADDRESS") {
      ($0.busError, $0.busVariable) = ("No such file", "DBUS_SYSTEM_BUS_ADDRESS")
    },
    Row("bus-variable", "unset DBUS_SESSION_BUS_ADDRESS") {
      ($0.busError, $0.busVariable, $0.isSession) = ("No such file", "DBUS_SESSION_BUS_ADDRESS", true)
    },
    Row("bus-variable", "unset DBUS_SYSTEM_BUS_ADDRESS") {
      ($0.isBusForeign, $0.busVariable) = (true, "DBUS_SYSTEM_BUS_ADDRESS")
    },
    Row("bus-denied", "ls -ld /run/dbus") { ($0.busError, $0.isBusDenied) = ("Permission denied", true) },
    Row("bus-denied", "ls -ld /run/dbus") { ($0.systemBusError, $0.isBusDenied) = ("Permission denied", true) },
    Row("bus-full", "busctl list") { ($0.busError, $0.isBusFull) = ("The maximum number is reached", true) },
    Row("bus-unreachable", "systemctl start dbus.socket") { $0.busError = "No such file" },
    // The service
    Row("settings-invalid", "geopublicistd --check") {
      $0.serviceConfigurationError = "geopublicist.conf: not a number"
    },
    Row("service-other-version", "systemctl restart geopublicist") { $0.serviceVersion = "0.9.0" },
    Row("sandbox-unverifiable", "systemd-run --user --scope") {
      ($0.authorizationReason, $0.isOwnUnitKnown) = ("sandboxed", false)
    },
    Row("sandbox-sandboxed", "org.freedesktop.portal.Location") {
      ($0.authorizationReason, $0.isOwnUnitKnown) = ("sandboxed", true)
    },
    Row("settings-secret", "sudo geopublicist doctor") {
      $0.serviceConfigurationError = "/etc/geopublicist/geopublicist.conf: Permission denied"
    },
    Row("service-two-versions", "make uninstall") {
      $0.serviceVersion = "0.9.0"
      $0.servicePrograms = ["/usr/libexec/geopublicistd", "/usr/local/libexec/geopublicistd"]
    },
    Row("service-no-policy", "Reinstall the package geopublicist") {
      ($0.service, $0.isBusPolicyMissing) = (.failed(message: "exit status 1"), true)
    },
    Row("service-failed", "unmask geopublicist") {
      ($0.service, $0.isBusPolicyMissing) = (.failed(message: "Unit geopublicist.service is masked."), true)
    },
    Row("service-no-room", "df -h /run") { ($0.service, $0.fullFolder) = (.failed(message: "exit status 1"), "/run") },
    Row("sandbox-container", "outside of the container") {
      ($0.authorizationReason, $0.isInContainer, $0.isOwnUnitKnown) = ("sandboxed", true, false)
    },
    Row("sandbox-no-systemd", "daemon-reexec") { $0.authorizationReason = "sandboxed" },
    Row("sandbox-exited", "only after it has gone to the background") { $0.clientsOfExitedProcesses = 2 },
    Row("service-failed", "sudo systemctl reset-failed geopublicist") { $0.service = .stopped(.limit) },
    Row("service-failed", "systemctl --user reset-failed geopublicist") {
      ($0.service, $0.isSession) = (.stopped(.limit), true)
    },
    Row("service-failed", "daemon-reload") { $0.service = .failed(message: "Unit geopublicist.service not found.") },
    Row("configuration-missing", "--force-confmiss") {
      ($0.configuration, $0.stateReason) = (nil, "disallowed-by-configuration")
    },
    Row("service-waiting", "systemctl list-jobs") { $0.service = .stopped(.waiting) },
    Row("service-condition", "systemctl status geopublicist") { $0.service = .stopped(.condition) },
    Row("service-unknown", "sudo systemctl reload dbus") { $0.service = .stopped(.unknownToBus) },
    Row("service-unknown", "systemctl --user reload dbus") {
      ($0.isSession, $0.service) = (true, .stopped(.unknownToBus))
    },
    Row("geoclue-failed", "reset-failed geoclue") { $0.geoclue = .stopped(.limit) },
    Row("geoclue-unknown", "Reinstall its package") { $0.geoclue = .stopped(.unknownToBus) },
    Row("polkit-waiting", "systemctl list-jobs") { $0.polkit = .stopped(.waiting) },
    // The session
    Row("session-no-logind", "unmask systemd-logind") {
      $0.session = .noManager(message: "Unit dbus-org.freedesktop.login1.service is masked.")
    },
    Row("session-unknown-to-service", "reload dbus") { $0.authorizationReason = "session-inactive" },
    Row("session-none", "Log in on this computer") { $0.session = .state("lingering") },
    Row("session-silent", "restart systemd-logind") { ($0.session, $0.authorizationReason) = (.silent, "undecided") },
    // The clock
    Row("clock-unset", "timedatectl") { $0.now = 86_400 },
    Row("clock-differs", "timedatectl") { $0.clockDifference = -7_200 },
    Row("clock-differs", "timedatectl") { $0.clockDifference = 85_800 },
    // Agents
    Row("agents-several", "disable --now geopublicist-agent") {
      $0.agents = [own, AgentProgram(process: 8, program: "agent", level: AccuracyLevel.none)]
    },
    Row("agents-several", "disable --now geopublicist-agent") { $0.agents = [own, shell] },
    Row("agent-silent", "kill 9") {
      $0.authorizationReason = "no-agent"
      $0.agents = [AgentProgram(process: 9, program: "gnome-shell", level: nil, isSilent: true)]
    },
    Row("agent-silent", "systemctl --user restart geopublicist-agent") {
      ($0.probe, $0.authorizationReason) = (.noAgent, "undecided")
      $0.agents = [AgentProgram(process: 9, program: "geopublicist", level: nil)]
      $0.authorizationStatus = "not-determined"
    },
    Row("agent-masked", "systemctl --user unmask geopublicist-agent") {
      ($0.probe, $0.authorizationStatus, $0.isAgentMasked) = (.noAgent, "not-determined", true)
    },
    Row("agent-confined", "geopublicist switch on") {
      ($0.authorizationReason, $0.agents) = ("no-agent", [shell])
    },
    Row("switch-off", "end it: kill 8") {
      $0.authorizationReason = "disabled-by-user"
      $0.agents = [AgentProgram(process: 8, program: "agent", level: AccuracyLevel.none)]
    },
    Row("accuracy-limited", "geopublicist switch exact") {
      $0.authorizationReason = "reduced-accuracy"
      $0.agents = [AgentProgram(process: 5, program: "geopublicist", level: .city)]
    },
    // Sources
    Row("static-unreadable", "sudo chown geoclue /etc/geolocation") { $0.staticFile = .unreadable },
    Row("static-invalid", "geoclue(5)") { $0.staticFile = .invalid },
    Row("sources-iwd", "wpa_supplicant instead of iwd") { ($0.wiFi, $0.availableAccuracy) = (.iwd, 0) },
    Row("sources-iwd", "wpa_supplicant instead of iwd") { ($0.wiFi, $0.availableAccuracy) = (.iwd, 4) },
    Row("sources-none", "set enable=true under [wifi] in") {
      $0.availableAccuracy = 0
      $0.configuration?.isWiFiEnabled = false
    },
    Row("sources-none", "start avahi-daemon") { ($0.isAvahiMissing, $0.availableAccuracy) = (true, 0) },
    Row("sources-no-socket", "nmea-socket") {
      ($0.wiFi, $0.availableAccuracy) = (.noAdapter, 0)
      $0.configuration?.missingSocket = "/run/gps/nmea"
    },
    Row("sources-no-modem-manager", "unmask ModemManager") {
      ($0.isModemUnmanaged, $0.wiFi, $0.availableAccuracy) = (true, .noAdapter, 0)
    },
    Row("sources-no-supplicant", "unmask wpa_supplicant") {
      ($0.wiFi, $0.availableAccuracy) = (.unmanaged(isMasked: true), 0)
    },
    Row("sources-blocked", "rfkill unblock") { ($0.wiFi, $0.availableAccuracy) = (.blocked(isByDevice: false), 0) },
    Row("sources-blocked", "switch or key") { ($0.wiFi, $0.availableAccuracy) = (.blocked(isByDevice: true), 0) },
    Row("sources-no-adapter", "/etc/geolocation") { ($0.wiFi, $0.availableAccuracy) = (.noAdapter, 0) },
    Row("server-no-url", "Set url=") { $0.configuration?.serverURL = "beacondb" },
    // GeoClue
    Row("geoclue-stuck", "GIO_USE_PROXY_RESOLVER=dummy") { ($0.geoclue, $0.isGeoClueStuckInProxy) = (.silent, true) },
    Row("geoclue-stuck", "sudo systemctl edit geoclue") {
      ($0.geoclue, $0.isGeoClueStuckInProxy) = (.failed(message: "timed out"), true)
    },
    Row("geoclue-no-user", "systemd-sysusers") {
      ($0.geoclue, $0.isGeoClueUserMissing) = (.failed(message: "exit status 217"), true)
    },
    Row("geoclue-failed", "unmask geoclue") {
      ($0.geoclue, $0.isGeoClueUserMissing) = (.failed(message: "Unit geoclue.service is masked."), true)
    },
    Row("geoclue-no-room", "df -h /var") { ($0.geoclue, $0.fullFolder) = (.failed(message: "exit status 1"), "/var") },
    Row("policy-security-module", "apparmor") {
      $0.geoclue = .refused(message: "An AppArmor policy prevents this sender from sending this message")
      $0.stateReason = "disallowed-by-policy"
    },
    Row("policy-security-module", "restorecon") {
      $0.service = .refused(message: "An SELinux policy prevents this sender from sending this message")
    },
    Row("policy-service-geoclue", "/etc/dbus-1/system.d") { $0.stateReason = "disallowed-by-policy" },
    Row("configuration-refused", "restart geoclue") { $0.stateReason = "disallowed-by-configuration" },
    Row("configuration-secret", "sudo geopublicist doctor") {
      $0.configuration?.secretFile = "/etc/geoclue/conf.d/50-site.conf"
    },
    Row("server-unreachable", "its firewall") { $0.server = .unreachable(message: "refused") },
    Row("fix-late", "location server may not know any of the networks") {
      $0.availableAccuracy = 6
      $0.attempt = .error(name: "org.geopublicist.Location1.Error.Timeout", message: "late")
    },
  ]

  @Test(arguments: rows) private func `each fault causes exactly one finding, with its remedy`(row: Row) throws {
    var facts = Self.healthy()
    facts.attempt = nil
    row.change(&facts)
    let found = facts.diagnoses.filter { $0.outcome != .good && $0.subject != "fix" || $0.id == row.id }
    #expect(found.map(\.id) == [row.id])
    #expect(found.first?.remedy.hasPart(row.remedy) == true, "\(found.first?.remedy ?? "")")
  }

  @Test func `iwd is not reported if another source is available or Wi-Fi is turned off`() {
    #expect(problems { ($0.wiFi, $0.availableAccuracy) = (.iwd, 8) } == [])
    #expect(
      problems {
        ($0.wiFi, $0.availableAccuracy) = (.iwd, 0)
        $0.configuration?.isWiFiEnabled = false
      } == ["sources"])
  }

  @Test func `for an invalid configuration or static file, only the file is reported and not its consequences`() {
    for file in [DoctorFacts.StaticFile.valid, .invalid] {
      #expect(
        problems {
          ($0.staticFile, $0.availableAccuracy, $0.wiFi, $0.server) = (file, 0, .noAdapter, .unknownHost)
          $0.configuration?.isStaticEnabled = false
        } == ["static"])
    }
    #expect(
      problems {
        $0.configuration?.error = "line 3"
        $0.server = .unknownHost
      } == ["configuration"])
  }

  @Test func `if an environment variable names another bus, only that is reported`() {
    #expect(problems { ($0.isBusForeign, $0.busVariable, $0.geoclue) = (true, "X", .missing) } == ["bus"])
  }

  @Test func `if the session or a rule forbids access, the agents are not reported`() {
    #expect(problems { ($0.session, $0.authorizationReason) = (.some(.none), "no-agent") } == ["session"])
    #expect(problems { ($0.authorizationReason, $0.desktopLevel) = ("disallowed-by-policy", .city) } == ["polkit"])
  }

  @Test(arguments: [
    ("52.5\n13.4\n34\n10\n", DoctorFacts.StaticFile.valid), ("# home\n52.5 # north\n13.4\n34\n10\n", .valid),
    ("Berlin\n", .invalid), ("", .invalid), ("52.5\n13.4\n", .invalid), ("152.5\n13.4\n0\n1\n", .invalid),
  ]) func `a valid static file contains four numbers`(text: String, expected: DoctorFacts.StaticFile) throws {
    let folder = TemporaryDirectory()
    let path = folder.file("geolocation")
    #expect(DoctorFacts.StaticFile(path, geoclueUser: 12_345) == .absent)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o644)
    #expect(DoctorFacts.StaticFile(path, geoclueUser: 12_345) == expected)
    chmod(path, 0o600)
    #expect(DoctorFacts.StaticFile(path, geoclueUser: 12_345) == .unreadable)
  }

  @Test func `a missing socket of a receiver is reported only if it is configured`() throws {
    let folder = TemporaryDirectory()
    for (enable, socket, missing) in [
      ("true", "/nonexistent", true), ("false", "/nonexistent", false), ("true", "/", false),
    ] {
      let text = "[network-nmea]\nenable=\(enable)\nnmea-socket=\(socket)\n"
      try text.write(toFile: folder.file("geoclue.conf"), atomically: true, encoding: .utf8)
      #expect(geopublicist.GeoClueSettings(folder: folder.path)?.missingSocket == (missing ? socket : nil))
    }
  }

  @Test func `doctor distinguishes a refusal in polkit's dialog from other refusals`() {
    var facts = Self.healthy()
    facts.authorizationReason = "rejected-by-agent"
    #expect(Diagnosis.polkit(facts)?.id == "polkit-rejected")
  }

  @Test func `the remedy for a program outside a session is the polkit rule`() {
    var facts = Self.healthy()
    facts.session = .some(.none)
    #expect(Diagnosis.session(facts)?.remedy.hasPart(facts.ruleFile) == true)
  }

  @Test(
    arguments: [
      ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.example.App-7.scope\n", "Flatpak"),
      ("0::/user.slice/user-1000.slice/user@1000.service/snap.example.app.scope\n", "Snap"),
      ("0::/user.slice/user-1000.slice/session-3.scope\n", nil),
    ] as [(String, String?)]) func `a sandbox is recognised by its control group`(groups: String, sandbox: String?)
  {
    #expect(FactGatherer.sandbox(controlGroups: groups)?.rawValue == sandbox)
  }

  @Test func `unknown facts cause no findings`() {
    let facts = DoctorFacts()
    #expect(facts.diagnoses.map(\.id) == ["sandbox-ok"])
  }

  @Test func `coordinates that GeoClue broadcasts are reported as a hint, not as a problem`() throws {
    var facts = Self.healthy()
    #expect(Diagnosis.privacy(facts) == nil)
    facts.areCoordinatesBroadcast = true
    let found = try #require(facts.diagnoses.first { $0.outcome != .good })
    #expect(found.id == "privacy-broadcast" && found.outcome == .hint)
    #expect(found.remedy.hasPart("2.8.1"))
  }

  @Test func `the units that remedies name exist`() throws {
    var facts = Self.healthy()
    facts.service = .failed(message: "exit status 1")
    for (isSession, kind) in [(false, "system"), (true, "user")] {
      facts.isSession = isSession
      let remedy = try #require(Diagnosis.service(facts)).remedy
      let units = remedy.matches(of: #/(?:status|-u) ([a-z]+)/#).map(\.1)
      #expect(!units.isEmpty)
      for unit in units {
        let file = Rig.sourceFile("packaging/systemd/\(kind)/\(unit).service")
        #expect(FileManager.default.fileExists(atPath: file), "\(remedy)")
      }
    }
  }

  /// An administrator's rule may allow what would otherwise be refused.
  @Test func `possible causes are not reported while locations arrive`() {
    #expect(
      problems {
        ($0.attempt, $0.session, $0.polkit) = (.fix(isSimulated: false), .state("online"), .missing)
        ($0.probe, $0.availableAccuracy, $0.server) = (.noAgent, 0, .unknownHost)
      } == [])
    #expect(problems { ($0.attempt, $0.geoclue) = (.fix(isSimulated: false), .missing) } == ["geoclue"])
  }

  @Test(arguments: [
    ("https://api.beacondb.net/v1/geolocate", "api.beacondb.net", "443"),
    ("http://127.0.0.1:18080/v1", "127.0.0.1", "18080"),
    ("http://[::1]:81/", "::1", "81"), ("https://example.org?key=x", "example.org", "443"),
  ]) func `the host of the location server is read from its URL`(url: String, host: String, port: String) throws {
    let found = try #require(ServerCheck.hostAndPort(of: url))
    #expect(found.host == host && found.port == port)
  }

  @Test(arguments: ["", "ftp://x/", "https://", "https:///path", "http://a:b:c/"])
  func `a URL without a host is recognised`(url: String) { #expect(ServerCheck.hostAndPort(of: url) == nil) }
}
