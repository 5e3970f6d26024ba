// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The machine sleeps and wakes, perhaps somewhere else; a simulated logind announces it.
@Suite(.serialized) final class SleepTests: SimulatedMachine {
  private let logind: BusClient

  init() throws {
    let (logind, bus) = try BusClient.owning("org.freedesktop.login1")
    self.logind = logind
    try super.init(on: bus)
  }

  @Test func `no location from before a suspend is delivered after it`() throws {
    let path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 50)
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

    try measure(51, until: path)
    #expect(try geoclue.clients().count == 1)
  }

  @Test func `only logind is believed`() throws {
    let path = try client.subscribeAndStart()
    try geoclue.fix(latitude: 50)
    _ = try client.locations(1, from: path)
    let stranger = try BusClient(at: bus.address)
    try stranger.prepareForSleep(false)
    try always("the location stays", for: .milliseconds(500), turn: rest) {
      try client.property("Location", of: path) != [:]
    }
    #expect(clientsMade == 1)
  }
}
