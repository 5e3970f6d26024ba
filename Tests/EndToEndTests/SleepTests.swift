// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The machine sleeps and wakes, perhaps somewhere else; a simulated logind announces it.
@Suite(.serialized) final class SleepTests: SimulatedMachine {
  private let logind: BusClient

  init() throws {
    let bus = try PrivateBus(.session)
    logind = try BusClient(at: bus.address)
    try logind.own("org.freedesktop.login1")
    try super.init(on: bus)
  }

  private var clientsMade: Int { geoclue.calls.filter { $0.member == "CreateClient" }.count }

  @Test func `no location from before a suspend is delivered after it`() throws {
    let path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 50, longitude: 13)
    _ = try client.locations(1, from: path)
    #expect(try client.property("Location", of: path) != [:])

    // From here on the source has nothing, so whatever came would be from before.
    try geoclue.tell(["fix": .null])
    try logind.prepareForSleep(true)
    try logind.prepareForSleep(false)
    try eventually("what was is forgotten", turn: rest) { try client.property("Location", of: path) == [:] }
    let answer = try client.location(["timeout": .variant("u", 500), "maximum-age": .variant("u", 3_600_000)])
    #expect(answer.errorName == "\(Daemon.name).Error.Timeout", "\(answer)")
    try eventually("GeoClue is asked again") { clientsMade == 2 }

    try eventually("updates go on", turn: rest) {
      try geoclue.fix(latitude: 51, longitude: 13)
      return client.locations(from: path).last?["Latitude"] == .variant("d", 51)
    }
    #expect(try geoclue.state()["clients"]?.array?.count == 1)
  }

  @Test func `only logind is believed`() throws {
    let path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 50, longitude: 13)
    _ = try client.locations(1, from: path)
    let stranger = try BusClient(at: bus.address)
    try stranger.prepareForSleep(false)
    try always("the location stays", for: .milliseconds(500), turn: rest) {
      try client.property("Location", of: path) != [:]
    }
    #expect(clientsMade == 1)
  }
}
