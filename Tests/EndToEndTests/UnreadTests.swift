// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Clients that do not read do not slow others down. The tests use the real thresholds and the default limits.
@Suite(.serialized) final class UnreadTests: SimulatedFixture {
  private var path = ""

  init() throws {
    try super.init()
    path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 9.999999)
    _ = try client.locations(1, from: path)
  }

  /// Sends fixes at a steady rate, each at a different place.
  private func walk(_ steps: Int, perSecond: Double, from first: Int = 0) throws {
    var due = ContinuousClock.now
    for step in first..<first + steps {
      try geoclue.fix(latitude: latitude(step))
      due = due + .seconds(1 / perSecond)
      try eventually("the next fix is due") { ContinuousClock.now >= due }
    }
  }

  /// A few metres from step to step: faster movement would be an implausible jump.
  private func latitude(_ step: Int) -> Double { 10 + Double(step) / 1_000_000 }

  private func waitForLocation(of step: Int) throws {
    try eventually("the location of step \(step) arrives") {
      client.lastLatitude(from: path) == latitude(step)
    }
  }

  /// Starts a number of clients that never read, with a number of subscriptions and calls each.
  private func startDeaf(_ arguments: String..., as user: uid_t? = nil) throws -> ChildProcess {
    try .ready([Rig.python, Rig.file("many-clients.py"), bus.address, "never-read"] + arguments, as: user)
  }

  @Test func `31 clients that never read do not stop the service`() throws {
    let before = try service.residentKilobytes()
    let deaf = try startDeaf("31", "16")
    try walk(700, perSecond: 25)
    try waitForLocation(of: 699)
    #expect(service.isRunning)
    if Service.isMemoryItsOwn { #expect(try service.residentKilobytes() - before < 16 * 1024) }
    let newcomer = try ServiceClient(on: bus)
    #expect(try newcomer.property("State") == "running")
    deaf.kill()
    try eventually("their subscriptions are removed", turn: rest) { try client.subscriptions().count == 1 }
  }

  @Test(.enabled(if: Rig.isRoot))
  func `endless calls whose answers are never read do not block other clients`() throws {
    let deaf = try startDeaf("8", "16", "120", as: User.nobody)
    defer { deaf.kill() }
    for step in 0..<20 {
      try walk(1, perSecond: 10, from: step)
      try waitForLocation(of: step)
      #expect(try client.property("State") == "running")
    }
    #expect(service.isRunning)
  }

  @Test func `a stopped client receives locations up to a limit, and the newest one when it continues`() throws {
    let stopped = try ServiceClient(on: bus)
    let other = try stopped.subscribeAndStart()
    stopped.connection.suspend(true)
    // If more than 16 locations from GeoClue are pending, the service reads only the newest.
    for step in stride(from: 0, to: 2_600, by: 10) {
      try walk(10, perSecond: 150, from: step)
      try waitForLocation(of: step + 9)
    }
    let delivered = try #require(
      try client.subscriptions().first { $0["Path"]?.content.string == other }?["Delivered"]?.content.number)
    #expect(delivered > 500)
    #expect(delivered < 2_400, "it is pinged after 256 KiB and receives no more 5 s later")
    stopped.connection.suspend(false)
    try eventually("it has the newest location") {
      stopped.lastLatitude(from: other) == latitude(2599)
    }
    // From now on all locations arrive again.
    try walk(3, perSecond: 10, from: 2600)
    try eventually("it has the next location") { stopped.lastLatitude(from: other) == latitude(2602) }
  }

  @Test func `a client that reads but makes no calls receives every location`() throws {
    let quiet = try ServiceClient(on: bus)
    let other = try quiet.subscribeAndStart()
    let first = try quiet.locations(1, from: other).count
    // Three times the bytes after which a client is pinged. If more than 16 locations from GeoClue are pending, the
    // service reads only the newest, so each batch of ten is sent after the previous one.
    for step in stride(from: 0, to: 2_000, by: 10) {
      try walk(10, perSecond: 100, from: step)
      _ = try quiet.locations(first + step + 10, from: other)
    }
    // In millionths of a degree, because conversions may change a number's last bit.
    let steps = quiet.latitudes(from: other).dropFirst(first).map { (($0 - 10) * 1_000_000).rounded() }
    #expect(steps == (0..<2_000).map(Double.init))
  }
}
