// SPDX-License-Identifier: Apache-2.0
import DBus
import Foundation
import GeopublicistTestSupport
import Testing

@testable import geopublicist

/// The doctor's rules: from what was found out to what is said, without a bus.
@Suite struct DiagnosisTests {
  /// Everything in order.
  private static func healthy() -> DoctorFacts {
    var facts = DoctorFacts()
    facts.userID = 1000
    facts.serviceUserID = 998
    facts.isSystemBusAsked = true
    facts.service = .running
    facts.serviceVersion = "1.1.0"
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

  /// The problems of somebody who gets no location.
  private func problems(_ change: (inout DoctorFacts) -> Void) -> [String] {
    var facts = Self.healthy()
    facts.attempt = nil
    change(&facts)
    let found = facts.diagnoses.filter { $0.outcome == .problem }
    #expect(found.allSatisfy { !$0.remedy.isEmpty && !$0.finding.isEmpty })
    return found.map(\.subject)
  }

  @Test func `a healthy machine has no problems`() {
    #expect(problems { _ in } == [])
    #expect(Self.healthy().diagnoses.allSatisfy { $0.outcome == .good })
    #expect(Self.healthy().diagnoses.count >= 9)
  }

  @Test func `faults of the buses, the service and the sandbox are diagnosed`() {
    #expect(problems { $0.busError = "no such file" } == ["bus"])
    #expect(problems { $0.systemBusError = "no such file" } == ["bus"])
    for service in [DoctorFacts.Service.missing, .silent, .failed(message: "exit status 1")] {
      #expect(problems { $0.service = service } == ["service"])
    }
    #expect(problems { $0.service = .refused(message: "no") } == ["policy"])
    #expect(problems { $0.geoclue = .refused(message: "no") } == ["policy"])
    #expect(problems { $0.sandbox = .flatpak } == ["sandbox"])
    #expect(problems { $0.authorizationReason = "sandboxed" } == ["sandbox"])
  }

  @Test func `faults of GeoClue, its settings, its sources and its server are diagnosed`() {
    #expect(problems { $0.geoclue = .missing } == ["geoclue"])
    #expect(problems { $0.geoclue = .failed(message: "exit status 1") } == ["geoclue"])
    #expect(problems { $0.geoclue = .silent } == ["geoclue"])
    #expect(problems { $0.probe = .tooOld } == ["geoclue"])
    #expect(problems { $0.configuration?.isServiceAllowed = false } == ["configuration"])
    #expect(problems { $0.configuration?.serviceUsers = ["1000"] } == ["configuration"])
    // GeoClue sees the user of the service, whoever calls it.
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

  @Test func `faults of the user's agent, switch, polkit and session are diagnosed`() {
    #expect(problems { ($0.probe, $0.authorizationStatus) = (.noAgent, "not-determined") } == ["agent"])
    #expect(problems { $0.authorizationReason = "no-agent" } == ["agent"])
    // Root, and whom a rule lets through, need none.
    #expect(problems { ($0.probe, $0.authorizationStatus) = (.noAgent, "authorized-always") } == [])
    #expect(problems { ($0.probe, $0.userID, $0.authorizationStatus) = (.noAgent, 0, nil) } == [])
    #expect(problems { ($0.probe, $0.userID, $0.isSession) = (.noAgent, 0, true) } == [])
    #expect(problems { ($0.authorizationReason, $0.userID, $0.isSession) = ("no-agent", 0, true) } == ["agent"])
    #expect(problems { $0.authorizationReason = "reduced-accuracy" } == ["accuracy"])
    #expect(problems { $0.permittedLevel = .city } == ["accuracy"])
    #expect(problems { $0.permittedLevel = .exact } == [])
    #expect(problems { ($0.permittedLevel, $0.attempt) = (.city, .fix(isSimulated: false)) } == [])
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
    #expect(problems { $0.session = .noManager } == ["session"])
    #expect(problems { ($0.session, $0.userID) = (.noManager, 0) } == [])
    #expect(problems { ($0.session, $0.isSession) = (.state("online"), true) } == [])
  }

  @Test func `the remedy for a masked unit unmasks it`() throws {
    var facts = Self.healthy()
    // What dbus-broker says of a unit that it knows how to start; it was taken for a missing package.
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

  @Test func `the line that permits the service's agent is shown`() throws {
    var facts = Self.healthy()
    facts.configuration?.agents = ["gnome-shell", "lipstick"]
    facts.configuration?.agentsFile = "/etc/geoclue/conf.d/50-site.conf"
    let found = try #require(Diagnosis.agent(facts))
    #expect(found.id == "agent-service-not-allowed")
    #expect(
      found.remedy.hasPrefix(
        "Set whitelist=gnome-shell;lipstick;geoclue-demo-agent under [agent] in /etc/geoclue/conf.d/50-site.conf; "))
    // In a session the desktop's agent counts.
    facts.isSession = true
    #expect(Diagnosis.agent(facts)?.id == "agent-ok")
    facts.authorizationReason = "no-agent"
    facts.configuration?.agents = []
    #expect(Diagnosis.agent(facts)?.id == "agent-not-allowed")
  }

  @Test func `remedies name the settings of the desktop in use`() {
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
    facts.hasOwnAgent = true
    #expect(Diagnosis.locationSwitch(facts)?.remedy == "geopublicist switch on")
  }

  @Test func `a refused question of polkit can be asked again`() {
    var facts = Self.healthy()
    facts.authorizationReason = "rejected-by-agent"
    #expect(Diagnosis.polkit(facts)?.id == "polkit-rejected")
  }

  @Test func `programs outside a session are pointed to the polkit rule`() {
    var facts = Self.healthy()
    facts.session = .some(.none)
    #expect(Diagnosis.session(facts)?.remedy.hasPart(facts.ruleFile) == true)
  }

  @Test(
    arguments: [
      ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-flatpak-org.example.App-7.scope\n", "Flatpak"),
      ("0::/user.slice/user-1000.slice/user@1000.service/snap.example.app.scope\n", "Snap"),
      ("0::/user.slice/user-1000.slice/session-3.scope\n", nil),
    ] as [(String, String?)]) func `a sandbox shows in the control group`(groups: String, sandbox: String?)
  {
    #expect(FactGatherer.sandbox(controlGroups: groups)?.rawValue == sandbox)
  }

  @Test func `unknown facts are not shown`() {
    let facts = DoctorFacts()
    #expect(facts.diagnoses.map(\.id) == ["sandbox-ok"])
  }

  @Test func `coordinates that GeoClue broadcasts are a hint`() throws {
    var facts = Self.healthy()
    #expect(Diagnosis.privacy(facts) == nil)
    facts.areCoordinatesBroadcast = true
    let found = try #require(facts.diagnoses.first { $0.outcome != .good })
    #expect(found.id == "privacy-broadcast" && found.outcome == .hint)
    #expect(found.remedy.hasPart("2.8.1"))
  }

  @Test func `units named by remedies exist`() throws {
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

  /// An administrator's rule may allow what usually is a fault.
  @Test func `a client that receives locations has no fault to report`() {
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
  ]) func `the host is taken from the server's URL`(url: String, host: String, port: String) throws {
    let found = try #require(ServerCheck.hostAndPort(of: url))
    #expect(found.host == host && found.port == port)
  }

  @Test(arguments: ["", "ftp://x/", "https://", "https:///path", "http://a:b:c/"])
  func `a URL without a host yields none`(url: String) { #expect(ServerCheck.hostAndPort(of: url) == nil) }
}
