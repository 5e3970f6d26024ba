// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistGatekeeper
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import Publicist
import Testing

@testable import GeopublicistService

@Suite struct AccessTests {
  private let bus: PrivateBus
  private let connection: Connection
  private let client: Connection
  private let gatekeeper = CountingGatekeeper()
  private let service: LocationService

  init() throws {
    bus = try PrivateBus(.session)
    connection = try Connection(to: .address(bus.address))
    client = try Connection(to: .address(bus.address))
    let manager = LocationManager(source: GeoClueSource(on: connection, desktopID: "org.example.Test"))
    service = LocationService(
      on: connection, LocationPublicist(manager), gatekeeper, CredentialsLookup(on: connection), Configuration()
    ) { [connection] () throws(DBusError) in connection }
  }

  private func call(
    _ member: MemberName, of interface: InterfaceName = "org.geopublicist.Location1",
    at path: ObjectPath = "/org/geopublicist/Location1", _ arguments: [Value] = []
  ) throws -> [Value] {
    var answer: Result<[Value], CallFailure>?
    client.call(Message(calling: member, of: interface, at: path, on: connection.uniqueName, arguments)) {
      answer = $0
    }.keep()
    try turning("an answer") { answer != nil }
    return try #require(answer).get()
  }

  private func object() throws -> any OwnedObject { try #require(service.clients.objects.first) }

  @Test func `each change of a client's access takes one decision`() throws {
    let created = try call("CreateSubscription", [.options([])])
    let path = try #require(created.first?.objectPath)
    _ = try call("Start", of: "org.geopublicist.Location1.Subscription", at: path)
    #expect(gatekeeper.decisions == 2, "one for the new object, and one when its facts have been gathered")
    #expect(try object().isActive)
    for new in [Authorization.off, .allowed, .forbidden] {
      let before = gatekeeper.decisions
      gatekeeper.change(to: new)
      try turning("the change is followed") { try object().isActive == new.isAuthorized }
      try turning(for: .milliseconds(50), "one decision") { gatekeeper.decisions == before + 1 }
    }
  }

  @Test func `a call between a change and its review causes the review`() throws {
    let path = try #require(try call("CreateSubscription", [.options([])]).first?.objectPath)
    _ = try call("Start", of: "org.geopublicist.Location1.Subscription", at: path)
    gatekeeper.change(to: .off)
    _ = try call("Stop", of: "org.geopublicist.Location1.Subscription", at: path)
    #expect(gatekeeper.decisions == 3)
  }
}

/// Allows everything that the test allows, and counts what the service asks.
private final class CountingGatekeeper: Gatekeeper {
  var authorization = Authorization.undecided
  private(set) var decisions = 0
  var onChange: ((GatekeeperClient?) -> Void)?
  let sourceDecides = false
  private var client: GatekeeperClient?

  func access(for client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String) -> ClientAccess {
    decisions += 1
    return ClientAccess(authorization: authorization)
  }

  /// Reports a change as often as several facts would that change together.
  func change(to new: Authorization) {
    authorization = new
    for _ in 0..<3 { onChange?(client) }
  }

  /// The facts are complete after one turn of the loop.
  func prepare(_ client: GatekeeperClient, since arrival: BootInstant, _ action: @escaping () -> Void) {
    guard self.client == nil else { return action() }
    self.client = client
    MainLoop.main.nextTurn { [self] in
      change(to: .allowed)
      action()
    }.keep()
  }

  func hold(on client: GatekeeperClient) -> Hold<BootClock>? { nil }
  func ceiling(for client: GatekeeperClient) -> AccuracyLevel { .exact }
  func findAccount(of client: GatekeeperClient, _ action: @escaping () -> Void) { action() }
  func account(of client: GatekeeperClient) -> Account { .user(0) }
  func reload() {}
  func ask(
    _ client: GatekeeperClient, asking level: AccuracyLevel, as desktopID: String,
    _ handler: @escaping (Authorization) -> Void
  ) -> Prompt { Prompt {} }
}
