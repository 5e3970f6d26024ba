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
    facts.bridge = .running
    facts.bridgeVersion = "1.1.0"
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

  @Test func `each bus is diagnosed`() {
    #expect(problems { $0.busError = "no such file" } == ["bus"])
    #expect(problems { $0.systemBusError = "no such file" } == ["bus"])
  }

  @Test(arguments: [DoctorFacts.Service.missing, .silent, .failed(message: "exit status 1")])
  func `the state of the service is diagnosed`(service: DoctorFacts.Service) {
    #expect(problems { $0.bridge = service } == ["bridge"])
  }

  @Test func `a bus policy that refuses calls is diagnosed`() {
    #expect(problems { $0.bridge = .refused(message: "no") } == ["policy"])
    #expect(problems { $0.geoclue = .refused(message: "no") } == ["policy"])
  }

  @Test func `a missing, failing or outdated GeoClue is diagnosed`() {
    #expect(problems { $0.geoclue = .missing } == ["geoclue"])
    #expect(problems { $0.geoclue = .failed(message: "exit status 1") } == ["geoclue"])
    #expect(problems { $0.geoclue = .silent } == ["geoclue"])
    #expect(problems { $0.probe = .tooOld } == ["geoclue"])
  }

  @Test func `the remedy for a masked unit unmasks it`() throws {
    var facts = Self.healthy()
    // What dbus-broker says of a unit that it knows how to start; it was taken for a missing package.
    let error = DBusError(.serviceUnknown, "Could not activate remote peer: activation request failed: unit is masked.")
    (facts.geoclue, facts.bridge) = (.activatable, .activatable)
    facts.geoclue = BusQuestions.outcome(of: error, after: facts.geoclue)
    facts.bridge = BusQuestions.outcome(of: error, after: facts.bridge)
    #expect(Diagnosis.geoclue(facts)?.remedy == "sudo systemctl unmask geoclue")
    #expect(Diagnosis.bridge(facts)?.remedy == "sudo systemctl unmask geopublicist")
    facts.isSession = true
    #expect(Diagnosis.bridge(facts)?.remedy == "systemctl --user unmask geopublicist")
    #expect(BusQuestions.outcome(of: error, after: .missing) == .missing)
  }

  @Test func `a missing agent is diagnosed`() {
    #expect(problems { ($0.probe, $0.authorizationStatus) = (.noAgent, "not-determined") } == ["agent"])
    #expect(problems { $0.authorizationReason = "no-agent" } == ["agent"])
    // Root, and whom a rule lets through, need none.
    #expect(problems { ($0.probe, $0.authorizationStatus) = (.noAgent, "authorized-always") } == [])
  }

  @Test func `an empty list of permitted agents is named`() throws {
    var facts = Self.healthy()
    facts.authorizationReason = "no-agent"
    facts.configuration?.agents = []
    #expect(try #require(Diagnosis.agent(facts)).remedy.hasPart("whitelist"))
  }

  @Test func `location that is turned off is diagnosed`() {
    #expect(problems { $0.authorizationReason = "disabled-by-user" } == ["switch"])
    #expect(problems { $0.probe = .refused(message: "Geolocation disabled for UID 1000") } == ["switch"])
  }

  @Test func `GeoClue settings that forbid location are diagnosed`() {
    #expect(problems { $0.configuration?.isBridgeAllowed = false } == ["configuration"])
    #expect(problems { $0.configuration?.bridgeUsers = ["1001"] } == ["configuration"])
    #expect(problems { $0.configuration?.bridgeUsers = ["1000"] } == [])
    #expect(problems { $0.configuration?.error = "line 3" } == ["configuration"])
    #expect(
      problems { $0.probe = .refused(message: "'x' disallowed by configuration for UID 1000") } == ["configuration"])
    #expect(problems { $0.authorizationReason = "disallowed-by-configuration" } == ["configuration"])
  }

  @Test func `a GeoClue without sources is diagnosed`() {
    #expect(problems { $0.availableAccuracy = 0 } == ["sources"])
  }

  @Test func `an unreachable location server is diagnosed`() {
    #expect(problems { $0.server = .unknownHost } == ["server"])
    #expect(problems { $0.server = .unreachable(message: "refused") } == ["server"])
    #expect(problems { $0.server = .reachable } == [])
    #expect(
      problems { $0.configuration?.serverURL = "https://location.services.mozilla.com/v1/geolocate?key=geoclue" }
        == ["server"])
  }

  @Test func `problems with polkit are diagnosed`() {
    #expect(problems { $0.polkit = .missing } == ["polkit"])
    #expect(problems { $0.authorizationReason = "policy-unavailable" } == ["polkit"])
    #expect(problems { $0.authorizationReason = "disallowed-by-policy" } == ["polkit"])
    #expect(problems { $0.authorizationReason = "authorization-required" } == ["polkit"])
    #expect(problems { ($0.polkit, $0.userID) = (.missing, 0) } == [])
    #expect(problems { ($0.polkit, $0.isSession) = (.missing, true) } == [])
  }

  @Test func `inactive sessions are diagnosed`() {
    #expect(problems { $0.session = .state("online") } == ["session"])
    #expect(problems { $0.session = .some(.none) } == ["session"])
    #expect(problems { $0.session = .noManager } == ["session"])
    #expect(problems { ($0.session, $0.userID) = (.noManager, 0) } == [])
    #expect(problems { ($0.session, $0.isSession) = (.state("online"), true) } == [])
  }

  @Test func `a sandboxed caller is told of the portal`() { #expect(problems { $0.sandbox = .flatpak } == ["sandbox"]) }

  @Test func `units named by remedies exist`() throws {
    var facts = Self.healthy()
    facts.bridge = .failed(message: "exit status 1")
    for (isSession, kind) in [(false, "system"), (true, "user")] {
      facts.isSession = isSession
      let remedy = try #require(Diagnosis.bridge(facts)).remedy
      let units = remedy.matches(of: #/(?:status|-u) ([a-z]+)/#).map(\.1)
      #expect(!units.isEmpty)
      for unit in units {
        let file = Rig.sourceFile("packaging/systemd/\(kind)/\(unit).service")
        #expect(FileManager.default.fileExists(atPath: file), "\(remedy)")
      }
    }
  }

  /// An administrator's rule may allow what usually is a fault.
  @Test func `a client that receives locations is told of no fault`() {
    #expect(
      problems {
        ($0.attempt, $0.session, $0.polkit) = (.fix(isSimulated: false), .state("online"), .missing)
        ($0.probe, $0.availableAccuracy, $0.server) = (.noAgent, 0, .unknownHost)
      } == [])
    #expect(problems { ($0.attempt, $0.geoclue) = (.fix(isSimulated: false), .missing) } == ["geoclue"])
  }

  @Test func `the quality of the fix is reported`() {
    #expect(
      problems { $0.attempt = .error(name: "org.geopublicist.Location1.Error.Timeout", message: "late") } == ["fix"])
    #expect(problems { $0.attempt = .fix(isSimulated: true) } == [])
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
