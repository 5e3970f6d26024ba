// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized) struct DeploymentTests {
  private let notAuthorized = "\(Service.name).Error.NotAuthorized"

  // MARK: A session without an agent

  @Test func `without an agent, every call in a session is answered`() throws {
    let machine = try ServiceFixture(.session)
    let client = try machine.client()
    // GeoClue itself would never answer.
    let first = try client.requestAuthorization().arguments()
    #expect(first == ["not-determined", "no-agent"] || first == ["not-determined", "undecided"])
    #expect(try client.property("AuthorizationStatus") == "not-determined")
    let path = try client.subscribeAndStart()
    try client.waitFor("State", "waiting")
    try client.waitFor("StateReason", "no-agent")
    try client.waitFor("AuthorizationReason", "no-agent")
    #expect(try client.property("AuthorizationStatus") == "not-determined")
    #expect(try client.property("AuthorizationStatus", of: path) == "not-determined")

    // The call is answered long before the timeout, because only the user can change the status.
    let answer = try client.location(["timeout": .variant("u", 120_000)])
    #expect(answer.errorName == notAuthorized)
    #expect(answer.errorMessage?.contains("agent") == true)
    #expect(try client.requestAuthorization() == .reply(["not-determined", "no-agent"]))
    #expect(try client.subscriptions().count == 1)
    #expect(client.locations(from: path).isEmpty)
    try client.waitForAuthorization("not-determined no-agent", of: path)
    #expect(try client.property("InUse") == false)
    #expect(!machine.geoclue.log.contains("New agent"), "in a session the service registers no agent")
    #expect(try machine.geoclue.clients().isEmpty)
  }

  @Test func `an agent that starts after the subscription is used`() throws {
    let (machine, client, path) = try ServiceFixture.subscribed(.session)
    try client.waitFor("StateReason", "no-agent")
    try machine.startAgent()
    // By then, GeoClue has deleted the clients of abandoned calls, which may have received the only location.
    try client.waitFor("StateReason", "no-fix")
    try machine.deliver([.berlin], to: client, at: path)
    #expect(try client.property("AuthorizationStatus", of: path) == "authorized-always")
    try client.waitFor("State", "running")
    try client.waitForAuthorization("authorized-always ", of: path)
    try eventually("no orphans of abandoned calls are left") { try machine.geoclue.clients().count == 1 }
  }

  // MARK: A session whose user has a switch

  @Test func `the user's location switch ends and restores access`() throws {
    let (machine, client, path) = try ServiceFixture.subscribed(.session, agentLevel: 8)
    let steps = walk(4)
    try machine.deliver([steps[0]], to: client, at: path)

    try machine.agent?.setLevel(0)
    try client.waitFor("AuthorizationStatus", "denied", of: path)
    #expect(try client.property("AuthorizationReason", of: path) == "disabled-by-user")
    #expect(try client.property("Location", of: path) == [:], "removed when access is lost")
    try client.waitFor("InUse", false)
    try client.waitForAuthorization("denied disabled-by-user", of: path)
    #expect(try client.location(["maximum-age": .variant("u", 60_000)]).errorName == notAuthorized)
    #expect(client.locations(from: path).count == 1)

    try machine.agent?.setLevel(8)
    try client.waitFor("AuthorizationStatus", "authorized-always", of: path)
    try machine.deliver([steps[1]], to: client, at: path)
  }

  @Test func `a subscription that was started while location is off receives locations when it is turned on`() throws {
    let (machine, client, path) = try ServiceFixture.subscribed(.session, agentLevel: 0)
    try client.waitFor("AuthorizationStatus", "denied", of: path)
    #expect(try client.property("AuthorizationReason", of: path) == "disabled-by-user")
    #expect(try client.requestAuthorization() == .reply(["denied", "disabled-by-user"]))
    try machine.agent?.setLevel(8)
    try eventually("GeoClue reads", within: .seconds(30)) { machine.receiver.isConnected }
    try machine.deliver([.berlin], to: client, at: path)
  }

  // MARK: The system bus

  @Test(.enabled(if: Rig.isRoot, "needs other users"))
  func `without polkit, an ordinary user is refused on the system bus`() throws {
    let machine = try ServiceFixture(.system)
    let outsider = try machine.client(as: User.nobody)
    #expect(try outsider.property("AuthorizationStatus") == "restricted")
    #expect(try outsider.property("AuthorizationReason") == "policy-unavailable")
    let answer = try outsider.location()
    #expect(answer.errorName == notAuthorized)
    #expect(answer.errorMessage?.isEmpty == false)
    #expect(try outsider.requestAuthorization() == .reply(["restricted", "policy-unavailable"]))

    let path = try outsider.subscribe()
    let start = try outsider.connection.call("Start", of: Service.subscription, at: path)
    #expect(start.errorName == notAuthorized)
    #expect(try outsider.property("Active", of: path) == false)
    #expect(try machine.geoclue.clients().isEmpty, "GeoClue received no request")

    let root = try machine.client()
    let allowed = try root.subscribeAndStart()
    try machine.deliver([.berlin], to: root, at: allowed)
    #expect(outsider.locations(from: path).isEmpty)
    #expect(try outsider.property("Location", of: path) == [:])
    #expect(try outsider.location(["maximum-age": .variant("u", 120_000)]).errorName == notAuthorized)
  }

  @Test(.enabled(if: Rig.isRoot, "needs other users"))
  func `the service can run as a separate user`() throws {
    let machine = try ServiceFixture(.system, as: User.games)
    for user in [nil, User.games] {
      let client = try machine.client(as: user)
      #expect(try client.property("AuthorizationStatus") == "authorized-always")
      #expect(try client.property("AuthorizationReason") == "")
      let path = try client.subscribeAndStart()
      try machine.deliver([.berlin], to: client, at: path)
      try client.tell(path, "Close")
      try eventually("GeoClue's client is deleted") { try machine.geoclue.clients().isEmpty }
    }
    #expect(try machine.client(as: User.nobody).property("AuthorizationStatus") == "restricted")
  }

  // MARK: GetLocation

  @Test func `with a timeout of 0, GetLocation returns a cached location or an error`() throws {
    let (machine, client, path) = try ServiceFixture.subscribed()
    #expect(try client.location(["timeout": .variant("u", 0)]).errorName == "\(Service.name).Error.Timeout")
    try machine.deliver([.berlin], to: client, at: path)
    #expect(try client.location(["timeout": .variant("u", 0)]).arguments()[0]["Age"] != nil)
    let fresh: JSON = ["timeout": .variant("u", 0), "maximum-age": .variant("u", 0)]
    #expect(try client.location(fresh).errorName == "\(Service.name).Error.Timeout")
  }

  @Test func `a location that one call has requested also answers the next call`() throws {
    let machine = try ServiceFixture(.system)
    let client = try machine.client()
    let call = try client.begin("GetLocation")
    try machine.receiver.write(.berlin)
    let reply = try client.connection.answer(to: call).arguments()
    #expect(deviation(of: reply[0], from: .berlin) < 1e-6)
    #expect(reply[0]["Age"]?.variantType == "u")

    // The last fix is recent enough for the next call, unless that call requires a new one.
    let again = try client.location().arguments()
    #expect(again[0]["Sequence"] == reply[0]["Sequence"])
  }

  @Test(arguments: [Service.Deployment.system, .session])
  func `without GeoClue, every call is answered`(_ deployment: Service.Deployment) throws {
    let systemBus = try PrivateBus(.system)
    let bus = deployment == .system ? systemBus : try PrivateBus(.session)
    let service = try Service(deployment, on: bus, geoclueOn: systemBus)
    let client = try ServiceClient(on: bus)
    #expect(try client.property("AvailableAccuracy") == "unknown")
    let path = try client.subscribeAndStart()
    try client.waitFor("State", "unavailable")
    try client.waitFor("StateReason", "geoclue-not-installed")
    let answer = try client.location(["timeout": .variant("u", 1000)])
    #expect(answer.errorName != nil)
    #expect(try client.property("Active", of: path).bool == (deployment == .system))
    #expect(service.isRunning)
  }
}
