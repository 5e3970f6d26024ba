// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

/// Calls each member of the interface in the name of one consumer and compares what comes with what the contract says
/// of that consumer.
final class RowCheck {
  private let row: GatekeeperTableTests.Row
  private let consumer: ConsumerProgram
  private var path = ""

  init(_ row: GatekeeperTableTests.Row, _ consumer: ConsumerProgram) {
    self.row = row
    self.consumer = consumer
  }

  private typealias Check = (RowCheck) throws -> Void

  /// A member that is not here makes the test fail: nobody can add one and forget who may call it.
  private static let manager: [String: Check] = [
    "GetLocation": { try $0.getLocation() },
    "CreateSubscription": { _ in },  // Below, before those of the subscription.
    "CreateRegion": { try $0.region() },
    "RequestAuthorization": { try $0.requestAuthorization() },
    "ListSubscriptions": { check in
      for entry in try check.consumer.subscriptions() where check.row.user != 0 {
        #expect(entry["UserId"]?.integer == Int64(check.row.user), "\(check.row)")
      }
    },
    "AuthorizationStatus": { try $0.expect("AuthorizationStatus", .string($0.anonymous.expected.status)) },
    "AuthorizationReason": { try $0.expect("AuthorizationReason", .string($0.anonymous.expected.reason)) },
    "Version": { try $0.isOpen("Version") },
    "Limits": { try $0.isOpen("Limits") },
    "State": { try $0.isOpen("State") },
    "AuthorizationMessage": { try $0.hasMessage(for: $0.anonymous.expected.reason) },
    "StateMessage": { try $0.isOpen("StateMessage") },
    "StateReason": { try $0.isOpen("StateReason") },
    "AvailableAccuracy": { try $0.isOpen("AvailableAccuracy") },
    "InUse": { try $0.isOpen("InUse") },
  ]

  private static let subscription: [String: Check] = [
    "Start": { try $0.start() },
    "Stop": { _ in }, "Close": { _ in },  // At the end.
    "AuthorizationStatus": { try $0.expect("AuthorizationStatus", .string($0.row.expected.status), of: $0.path) },
    "AuthorizationReason": { try $0.expect("AuthorizationReason", .string($0.row.expected.reason), of: $0.path) },
    "AuthorizationMessage": { try $0.hasMessage(for: $0.row.expected.reason, of: $0.path) },
    "RequiredAccuracy": { try $0.expect("RequiredAccuracy", 0.0, of: $0.path) },
    "Active": { try $0.expect("Active", .bool($0.row.isAuthorized), of: $0.path) },
    "Location": { try $0.location() },
    "Accuracy": { try $0.expect("Accuracy", "exact", of: $0.path) },
    "DistanceThreshold": { try $0.expect("DistanceThreshold", 0.0, of: $0.path) },
    "TimeThreshold": { try $0.expect("TimeThreshold", 0, of: $0.path) },
    "Debounce": { try $0.expect("Debounce", 0, of: $0.path) },
  ]

  func checkAll(_ members: Members) throws {
    #expect(Set(members.manager) == Set(Self.manager.keys))
    #expect(Set(members.subscription) == Set(Self.subscription.keys))
    for member in members.manager { try Self.manager[member]?(self) }
    path = try consumer.subscribe(["desktop-id": desktopID])
    try start()
    for member in members.subscription where member != "Start" { try Self.subscription[member]?(self) }
    try consumer.tell(path, "Stop")
    try consumer.tell(path, "Close")
  }

  /// Whoever does not say what it is called.
  private var anonymous: GatekeeperTableTests.Row {
    GatekeeperTableTests.Row(
      policy: row.policy, user: row.user, agent: row.agent, program: .silent, housing: row.housing)
  }

  private func isOpen(_ name: String) throws {
    let text = try consumer.property(name).line
    #expect(!text.contains("52.51") && !text.contains("13.37"))
  }

  private func expect(_ name: String, _ value: JSON, of path: String = Daemon.path) throws {
    #expect(try consumer.property(name, of: path) == value, "\(name): \(row)")
  }

  private func hasMessage(for reason: String, of path: String = Daemon.path) throws {
    #expect((try consumer.property("AuthorizationMessage", of: path) == "") == (reason == ""), "\(row)")
  }

  /// The desktop-id of the row's program.
  private var desktopID: JSON { .variant("s", .string(row.program.rawValue)) }

  private func getLocation() throws {
    let answer = try consumer.location([
      "desktop-id": desktopID,
      "timeout": .variant("u", row.isAuthorized ? 5000 : 250),
      "maximum-age": .variant("u", 3_600_000),
    ])
    switch answer {
    case .reply(let values):
      #expect(row.isAuthorized, "GetLocation: \(row)")
      expectLocation(values[0])
    case .error(let name, let message):
      #expect(!row.isAuthorized, "GetLocation: \(row): \(message)")
      #expect(name == "\(Daemon.name).Error.NotAuthorized", "\(row)")
      if row.expected.reason == "sandboxed" { #expect(message.contains("org.freedesktop.portal.Location")) }
      #expect(!message.contains("\(row.user) ") && !message.contains("/"), "\(message)")
    }
  }

  private func requestAuthorization() throws {
    let answer = try consumer.requestAuthorization(["desktop-id": desktopID])
    if row.expected.reason == "authorization-required" {
      #expect(answer.errorName == "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", "\(row)")
    } else {
      #expect(answer == .reply([.string(row.expected.status), .string(row.expected.reason)]), "\(row)")
    }
  }

  private func start() throws {
    let answer = try consumer.client.call("Start", of: Daemon.subscription, at: path)
    if row.expected.status == "restricted" {
      #expect(answer.errorName == "\(Daemon.name).Error.NotAuthorized", "\(row)")
      return
    }
    #expect(answer == .reply([]), "\(row)")
    if row.isAuthorized { expectLocation(try consumer.locations(1, from: path)[0]) }
    try consumer.waitForAuthorization("\(row.expected.status) \(row.expected.reason)", of: path)
  }

  private func region() throws {
    let path = try consumer.region(ConsumerProgram.circle(52.516, 13.377, ["desktop-id": desktopID]))
    let answer = try consumer.client.call("Start", of: Daemon.region, at: path)
    if row.expected.status == "restricted" {
      #expect(answer.errorName == "\(Daemon.name).Error.NotAuthorized", "\(row)")
    } else {
      #expect(answer == .reply([]), "\(row)")
    }
    try consumer.tell(path, "Close")
  }

  private func location() throws {
    let location = try consumer.property("Location", of: path)
    if row.isAuthorized { expectLocation(location) } else { #expect(location == [:], "\(row)") }
  }

  private func expectLocation(_ location: JSON) {
    #expect(location["Level"]?.string == row.level, "\(row)")
    #expect(location["Reduced"]?.bool == (row.level != "exact"), "\(row)")
    if row.level == "exact" {
      #expect(deviation(of: location, from: .berlin) < 1e-6, "\(row)")
    } else {
      #expect(deviation(of: location, from: .berlin) > 1e-3, "\(row)")
      #expect((location["Accuracy"]?.number ?? 0) >= 15_000, "\(row)")
      for finer in ["Altitude", "Speed", "Heading", "Description"] { #expect(location[finer] == nil, "\(row)") }
    }
  }
}
