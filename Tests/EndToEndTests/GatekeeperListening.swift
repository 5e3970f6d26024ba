// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

/// A user's client with a subscription, on a machine of its own.
struct Listening {
  let machine: GatekeeperMachine
  let agent: DesktopAgent
  let client: ConsumerProgram
  let path: String
  private let options: [String: JSON]

  /// Starts all of it, and waits until the client has a first location.
  init(
    _ policy: GatekeeperMachine.Policy = .yes, _ options: [String: JSON] = [:],
    before prepare: (GatekeeperMachine) throws -> Void = { _ in }
  ) throws {
    self.options = options
    machine = try GatekeeperMachine(policy)
    try prepare(machine)
    agent = try machine.agent(of: GatekeeperMachine.person)
    client = try machine.consumer(as: GatekeeperMachine.person)
    path = try client.subscribeAndStart(.object(options))
    try machine.receiver.write(.berlin)
    _ = try client.locations(1, from: path)
  }

  /// Waits until the subscription is told a status and, after a space, its reason.
  func waitFor(_ status: String, within limit: Duration = .seconds(10)) throws {
    try client.waitForAuthorization(status, of: path, within: limit)
  }

  /// Root's subscription receives a location; this client's does not.
  func expectNoDelivery() throws {
    let before = client.locations(from: path).count
    let root = try machine.consumer(as: 0)
    let other = try root.subscribeAndStart()
    try machine.receiver.write(GGASentence(latitude: 52.617, longitude: 13.478))
    _ = try root.locations(1, from: other)
    // A reply comes after everything that was sent before it.
    _ = try client.property("Version")
    #expect(client.locations(from: path).count == before)
  }

  /// Nothing is delivered, nothing is left to read, and nothing is to be had.
  func expectNothing() throws {
    #expect(try client.property("Location", of: path) == [:])
    #expect(try client.property("Active", of: path) == false)
    try expectNoDelivery()
    let asked: [String: JSON] = ["timeout": .variant("u", 200), "maximum-age": .variant("u", 3_600_000)]
    let answer = try client.location(.object(options.merging(asked) { $1 }))
    #expect(answer.errorName == "\(Daemon.name).Error.NotAuthorized")
    let received = client.client.received.filter { $0.path == path }
    let lost = received.lastIndex { $0.member == "AuthorizationChanged" } ?? 0
    #expect(!received[lost...].contains { $0.member == "LocationUpdated" })
  }
}

extension ConsumerProgram {
  /// Waits until a subscription is told a status and, after a space, its reason.
  func waitForAuthorization(_ status: String, of path: String, within limit: Duration = .seconds(10)) throws {
    try eventually("it is \(status)", within: limit, seen: "\(authorizations(of: path))") {
      authorizations(of: path).last == status
    }
  }
}
