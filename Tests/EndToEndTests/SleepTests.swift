// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// The machine sleeps and wakes, perhaps somewhere else; a logind of the test's own says so.
@Suite(.serialized) struct SleepTests {
  private let bus: PrivateBus
  private let geoclue: FakeGeoClue
  private let daemon: Daemon
  private let consumer: ConsumerProgram
  private let logind: BusClient

  init() throws {
    bus = try PrivateBus(.session)
    logind = try BusClient(at: bus.address)
    _ = try logind.reply(
      "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", of: "org.freedesktop.DBus",
      signature: "su", ["org.freedesktop.login1", 0])
    geoclue = try FakeGeoClue(on: bus)
    daemon = try Daemon(.system, on: bus)
    consumer = try ConsumerProgram(on: bus)
  }

  private func prepareForSleep(_ isBefore: Bool, from sender: BusClient) throws {
    try sender.emit(
      "PrepareForSleep", of: "org.freedesktop.login1.Manager", at: "/org/freedesktop/login1", signature: "b",
      [.bool(isBefore)])
  }

  private var clientsMade: Int { geoclue.calls.filter { $0.member == "CreateClient" }.count }

  @Test func `no location from before a suspend is delivered after it`() throws {
    let path = try consumer.subscribeAndStart()
    try geoclue.fix(latitude: 50, longitude: 13)
    _ = try consumer.locations(1, from: path)
    #expect(try consumer.property("Location", of: path) != [:])

    // From here on the source has nothing, so whatever came would be from before.
    try geoclue.tell(["fix": .null])
    try prepareForSleep(true, from: logind)
    try prepareForSleep(false, from: logind)
    try eventually("what was is forgotten", turn: rest) { try consumer.property("Location", of: path) == [:] }
    let answer = try consumer.location(["timeout": .variant("u", 500), "maximum-age": .variant("u", 3_600_000)])
    #expect(answer.errorName == "\(Daemon.name).Error.Timeout", "\(answer)")
    try eventually("GeoClue is asked anew") { clientsMade == 2 }

    try eventually("updates go on", turn: rest) {
      try geoclue.fix(latitude: 51, longitude: 13)
      return consumer.locations(from: path).last?["Latitude"] == .variant("d", 51)
    }
    #expect(try geoclue.state()["clients"]?.array?.count == 1)
  }

  @Test func `only logind is believed`() throws {
    let path = try consumer.subscribeAndStart()
    try geoclue.fix(latitude: 50, longitude: 13)
    _ = try consumer.locations(1, from: path)
    try prepareForSleep(false, from: try BusClient(at: bus.address))
    try always("the location stays", for: .milliseconds(500), turn: rest) {
      try consumer.property("Location", of: path) != [:]
    }
    #expect(clientsMade == 1)
  }
}
