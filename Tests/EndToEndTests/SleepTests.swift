// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The machine sleeps and wakes, perhaps somewhere else; a simulated logind announces it.
@Suite(.serialized) final class SleepTests: SimulatedFixture {
  private let logind: BusClient

  init() throws {
    let (logind, bus) = try BusClient.owning("org.freedesktop.login1")
    self.logind = logind
    try super.init(on: bus)
  }

  @Test func `a location from before a suspend is not delivered after it`() throws {
    let path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 50)
    _ = try client.locations(1, from: path)
    #expect(try client.property("Location", of: path) != [:])

    // From here on the source has no location, so any location that arrives is from before the suspend.
    try geoclue.tell(["fix": .null])
    try logind.prepareForSleep(true)
    try logind.prepareForSleep(false)
    try eventually("the old location is removed", turn: rest) { try client.property("Location", of: path) == [:] }
    let answer = try client.location(["timeout": .variant("u", 500), "maximum-age": .variant("u", 3_600_000)])
    #expect(answer.errorName == "\(Service.name).Error.Timeout", "\(answer)")
    try eventually("GeoClue is asked again") { clientsMade == 2 }

    try measure(51, until: path)
    try eventually("the old client is deleted") { try geoclue.clients().count == 1 }
  }

  @Test(arguments: [("time-threshold", "TimeThreshold"), ("debounce", "Debounce")])
  func `a location that waits for a threshold is dropped by a suspend`(option: String, property: String) throws {
    let paths = try (0..<2).map { _ in try client.subscribeAndStart([option: .variant("u", 600_000)]) }
    func end(_ path: String) throws {
      try client.connection.set(property, of: Service.subscription, at: path, to: .variant("u", 1))
    }
    try geoclue.fix(latitude: 50)
    for path in paths { _ = try client.locations(1, from: path) }
    let watcher = try client.subscribeAndStart()
    try geoclue.startedClient()
    try geoclue.fix(latitude: 50.001)
    try eventually("the fix has arrived") { client.latitudes(from: watcher).contains(50.001) }
    try end(paths[0])
    try eventually("it is delivered without a suspend") { client.latitudes(from: paths[0]) == [50, 50.001] }
    try geoclue.tell(["fix": .null])
    try logind.prepareForSleep(true)
    try logind.prepareForSleep(false)
    try client.waitFor("Location", [:], of: paths[1])
    try end(paths[1])
    try always("it is not delivered", for: .milliseconds(300)) { client.latitudes(from: paths[1]) == [50] }
  }

  @Test func `a location that is still being read from GeoClue is dropped by a suspend`() throws {
    let path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 50)
    _ = try client.locations(1, from: path)
    try geoclue.fault(on: "GetAll", "hang")
    let asked = geoclue.count(of: "GetAll")
    try geoclue.fix(latitude: 50.001)
    try eventually("its properties are read") { geoclue.count(of: "GetAll") > asked }
    try geoclue.tell(["fix": .null])
    try logind.prepareForSleep(true)
    try logind.prepareForSleep(false)
    try geoclue.release("GetAll")
    try eventually("GeoClue is asked again") { clientsMade == 2 }
    try measure(51, until: path)
    #expect(client.latitudes(from: path) == [50, 51])
  }

  @Test func `a location that a call holds as its best one is dropped by a suspend`() throws {
    let path = try client.subscribeAndStart()
    let call = try client.begin(
      "GetLocation",
      [
        "required-accuracy": .variant("d", 0.001), "best-effort": .variant("b", true), "timeout": .variant("u", 6_000),
        "maximum-age": .variant("u", 0),
      ])
    try geoclue.fix(latitude: 50, ["Accuracy": 20])
    _ = try client.locations(1, from: path)
    try geoclue.tell(["fix": .null])
    try logind.prepareForSleep(true)
    try logind.prepareForSleep(false)
    #expect(try client.connection.answer(to: call).errorName == "\(Service.name).Error.Timeout")
  }

  @Test func `suspends are accepted only from logind`() throws {
    let path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 50)
    _ = try client.locations(1, from: path)
    let outsider = try BusClient(at: bus.address)
    try outsider.prepareForSleep(false)
    try always("the location remains", for: .milliseconds(500), turn: rest) {
      try client.property("Location", of: path) != [:]
    }
    #expect(clientsMade == 1)
  }
}

/// Events that end a source's rest between two deliveries.
@Suite(.serialized) final class RestingTests: SimulatedFixture {
  private let manager: BusClient

  init() throws {
    let (manager, bus) = try BusClient.owning("org.freedesktop.NetworkManager")
    self.manager = manager
    try super.init(on: bus)
  }

  private func changeConnection(_ property: String = "PrimaryConnection", from sender: BusClient) throws {
    try sender.announceChange(
      of: "org.freedesktop.NetworkManager", at: "/org/freedesktop/NetworkManager",
      [property: .variant("o", "/org/freedesktop/NetworkManager/ActiveConnection/2")])
  }

  /// A subscription to significant changes and a region far from its border, both resting.
  private func rested() throws -> (significant: String, region: String) {
    let significant = try client.subscribeAndStart(["mode": .variant("s", "significant")])
    let region = try client.regionStarted(ServiceClient.circle(52, 13))
    try geoclue.fix(latitude: 50)
    try client.waitFor(["determined"], region)
    _ = try client.locations(1, from: significant)
    try client.waitFor("StateReason", "resting", within: .seconds(20))
    #expect(clientsMade == 1)
    return (significant, region)
  }

  @Test func `a new primary connection makes the service request a location if NetworkManager reports it`() throws {
    let (significant, region) = try rested()
    try changeConnection(from: try BusClient(at: bus.address))
    try changeConnection("Connectivity", from: manager)
    try always("no location is requested", for: .milliseconds(500)) { clientsMade == 1 }
    try changeConnection(from: manager)
    try eventually("GeoClue is asked again") { clientsMade == 2 }
    try geoclue.fix(latitude: 52)
    // The region is entered; the subscription may send its next location only five minutes after the first.
    try client.waitFor(["determined", "entered"], region)
    #expect(client.locations(from: significant).count == 1)
    // A connection that comes and goes does not keep the source busy.
    try client.waitFor("StateReason", "resting", within: .seconds(45))
    try changeConnection(from: manager)
    try always("GeoClue is not asked again", for: .milliseconds(500)) { clientsMade == 2 }
    #expect(service.isRunning)
  }

  @Test func `a new state of systemd-networkd makes the service request a location`() throws {
    try manager.own("org.freedesktop.network1")
    _ = try rested()
    try manager.announceChange(
      of: "org.freedesktop.network1.Manager", at: "/org/freedesktop/network1",
      ["OperationalState": .variant("s", "routable")])
    try eventually("GeoClue is asked again") { clientsMade == 2 }
  }
}
