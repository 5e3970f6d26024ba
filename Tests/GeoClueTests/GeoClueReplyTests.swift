// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import DBus
@testable import GeoClue

/// Valid and invalid answers of GeoClue.
@Suite struct GeoClueReplyTests {
  private let whole: [String: Value] = [
    "Latitude": .double(52.5), "Longitude": .double(13.5), "Accuracy": .double(7), "Altitude": .double(34),
    "Speed": .double(1), "Heading": .double(90), "Description": .string("WiFi"),
    "Timestamp": .structure([.uint64(1_700_000_000), .uint64(5)]),
  ]

  private func fix(from properties: [String: Value]) -> Location? {
    GeoClueReply.fix(from: .options(properties.map { ($0.key, $0.value) }))
  }

  @Test func `all properties of a fix are read`() {
    let fix = fix(from: whole)
    #expect(fix?.latitude == 52.5 && fix?.longitude == 13.5 && fix?.accuracy == 7)
    #expect(fix?.altitude == 34 && fix?.speed == 1 && fix?.heading == 90 && fix?.sourceDescription == "WiFi")
    #expect(fix?.timestamp == Timestamp(seconds: 1_700_000_000, microseconds: 5))
  }

  @Test func `a reply with an empty dictionary is not a fix`() {
    #expect(fix(from: [:]) == nil)
    #expect(GeoClueReply.fix(from: .string("no dictionary")) == nil)
  }

  @Test(arguments: ["Latitude", "Longitude"]) func `a reply without a valid latitude and longitude is not a fix`(
    key: String
  ) {
    for wrong in [nil, Value.string("52.5"), .uint32(52), .boolean(true), .structure([.double(52.5)])] {
      var properties = whole
      properties[key] = wrong
      #expect(fix(from: properties) == nil)
    }
  }

  @Test func `other properties that are missing or malformed are unknown`() {
    let unknown = Location(latitude: 0, longitude: 0)
    for key in whole.keys where key != "Latitude" && key != "Longitude" {
      for wrong in [nil, Value.uint32(1), .boolean(true), .structure([]), .array(.string, [])] {
        var properties = whole
        properties[key] = wrong
        guard let fix = fix(from: properties) else {
          Issue.record("no fix without \(key)")
          continue
        }
        let isUnknown =
          switch key {
          case "Accuracy": fix.accuracy == unknown.accuracy
          case "Altitude": fix.altitude == unknown.altitude
          case "Speed": fix.speed == unknown.speed
          case "Heading": fix.heading == unknown.heading
          case "Description": fix.sourceDescription == nil
          default: fix.timestamp == Timestamp()
          }
        #expect(isUnknown, "\(key)")
      }
    }
  }

  @Test func `a timestamp that is not a pair of 64-bit numbers is unknown`() {
    for wrong in [
      [Value.uint64(1)], [.uint64(1), .uint64(2), .uint64(3)], [.double(1), .uint64(2)], [.uint32(1), .uint32(2)],
    ] {
      var properties = whole
      properties["Timestamp"] = .structure(wrong)
      #expect(fix(from: properties)?.timestamp == Timestamp())
    }
    var properties = whole
    properties["Timestamp"] = .structure([.uint64(.max), .uint64(.max)])
    #expect(fix(from: properties)?.timestamp.seconds == .max)
  }

  @Test func `numbers that are out of range are not changed before validation`() {
    for number in [Double.nan, .infinity, -.infinity, 1e300, -.greatestFiniteMagnitude] {
      var properties = whole
      properties["Latitude"] = .double(number)
      #expect(fix(from: properties).map { $0.latitude == number || number.isNaN } == true)
    }
  }

  @Test func `changes of other interfaces and malformed changes are ignored`() {
    func changes(_ arguments: [Value]) -> [String: Value]? {
      let signal = Signal(
        sender: ":1.1", path: "/x", interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
        arguments: arguments)
      return GeoClueReply.changes(in: signal, of: GeoClueNames.client)
    }
    let active = Value.options([("Active", .boolean(true))])
    let name = Value.string(GeoClueNames.client.rawValue)
    #expect(changes([name, active, .strings([])])?["Active"]?.boolean == true)
    #expect(changes([.string("org.freedesktop.GeoClue2.Manager"), active, .strings([])]) == nil)
    #expect(changes([]) == nil)
    #expect(changes([name]) == nil)
    #expect(changes([active, name, .strings([])]) == nil)
    #expect(changes([name, .string("Active"), .strings([])]) == nil)
    #expect(changes([name, active, .strings([]), .boolean(true)]) == nil)
  }

  @Test(arguments: [
    ("org.freedesktop.DBus.Error.ServiceUnknown", true), ("org.freedesktop.systemd1.UnitMasked", true),
    ("org.freedesktop.systemd1.NoSuchUnit", true), ("org.freedesktop.DBus.Error.Spawn.ServiceNotFound", true),
    ("org.freedesktop.DBus.Error.Spawn.ChildExited", false), ("org.freedesktop.DBus.Error.TimedOut", false),
    ("org.freedesktop.DBus.Error.NoReply", false),
  ])
  func `errors that mean that GeoClue is not installed are recognised`(name: String, isNotInstalled: Bool) throws {
    let name = try #require(ErrorName(validating: name))
    #expect(GeoClueReply.isNotInstalled(.refused(DBusError(name, ""))) == isNotInstalled)
  }
}

/// The English sentences that are the only difference between refusals; the same in 2.6, 2.7 and 2.8.
@Suite struct GeoClueRefusalTests {
  @Test(
    arguments: [
      ("Geolocation disabled for UID 1000", .disabledByUser),
      ("'org.geopublicist.Location1' disallowed by configuration for UID 1000", .disallowedByConfiguration),
      ("'org.geopublicist.Location1' disallowed, no agent for UID 1000", .noAgent),
      (
        "Agent rejected 'x' for user '1000'. Please ensure that 'x' has installed a valid x.desktop file.",
        .rejectedByAgent
      ),
      ("An authorization request is already pending", .undecided),
      ("Rejected send message, 2 matched rules; type=\"method_call\"", .disallowedByPolicy),
      ("", .disallowedByPolicy),
      ("Access denied", nil),
      ("'DesktopId' property must be set", nil),
    ] as [(String, AuthorizationReason?)])
  func `each refusal by GeoClue is translated into a reason`(sentence: String, reason: AuthorizationReason?) {
    let error = DBusError(.accessDenied, sentence)
    #expect(GeoClueRefusal.reason(for: error) == reason)
    #expect(GeoClueReply.failure(.refused(error)) == reason.map { .refused($0) } ?? .other)
    #expect(GeoClueReply.failure(.lost(error)) == .other && GeoClueReply.failure(.notSent(error)) == .other)
    if case .failure(let told) = GeoClueReport.failure(.refused(error)) {
      #expect(told.code == (reason == nil ? .unavailable : .denied))
      #expect(!told.message.contains("UID"), "the message does not repeat GeoClue's")
    } else {
      Issue.record("the refusal is not recognised")
    }
    #expect(GeoClueRefusal.reason(for: DBusError(.failed, sentence)) == nil, "other errors refuse nothing")
  }

  @Test func `every reason for a refusal has a status`() {
    for sentence in ["Geolocation disabled for UID 1", "disallowed, no agent for UID 1", "anything"] {
      let reason = GeoClueRefusal.reason(for: DBusError(.accessDenied, sentence))
      #expect(reason?.refusedStatus != nil)
    }
  }

  @Test(
    arguments: [
      ("WiFi", .wifi), ("3GPP", .cell), ("3GPP + WiFi", .wifi), ("GeoIP (ichnaea)", .ip),
      ("GeoIP (gmaps)", .ip),
      ("GPS GGA", .gnss), ("GPS RMC", .gnss), ("GPS GGA+RMC", .gnss), ("Static location", .static),
      ("ipf fallback (from WiFi data)", .ip), ("lacf fallback (from 3GPP data)", .cell),
      ("", .unknown),
      ("Starlink", .unknown), ("wifi", .unknown), ("somewhere fallback (from WiFi data)", .unknown),
    ] as [(String, SourceKind)])
  func `the kind of source is derived from GeoClue's description`(description: String, kind: SourceKind) {
    #expect(SourceKind(geoclueDescription: description) == kind)
  }
}
