// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// What GeoClue 2.8 does and earlier releases do not, shown by a fake one.
@Suite(.serialized) final class NewerGeoClueTests: SimulatedMachine {
  @Test func `an address-based location comes first, and a client that requires accuracy never sees it`() throws {
    let all = try client.subscribeAndStart()
    let accurate = try client.subscribeAndStart(["required-accuracy": .variant("d", 1_000)])
    let region = try client.regionStarted(ConsumerProgram.circle(52, 13))
    // The section [ip] answers before a Wi-Fi scan has ended, with the head office of a provider.
    try geoclue.fix(latitude: 52, ["Accuracy": .variant("d", 25_000), "Description": .variant("s", "GeoIP (ichnaea)")])
    _ = try client.locations(1, from: all)
    try geoclue.fix(
      latitude: 53.5, longitude: 10, ["Accuracy": .variant("d", 40), "Description": .variant("s", "WiFi")])
    let both = try client.locations(2, from: all)
    #expect(both.map { $0["Source"]?.content } == ["ip", "wifi"])
    let found = try client.locations(1, from: accurate)
    #expect(found.map { $0["Source"]?.content } == ["wifi"])
    try client.waitFor(["determined"], region)
    #expect(client.events(of: region)[0]["State"]?.content == "outside", "the address is no evidence")
    #expect(daemon.isRunning)
  }
}
