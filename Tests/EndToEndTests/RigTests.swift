import Foundation
import TestSupport
import Testing

/// The rig itself, without the daemon: what the other tests stand on.
@Suite(.serialized) struct RigTests {
  @Test func aSentenceReachesADirectGeoClueClient() throws {
    let bus = try PrivateBus(.system)
    let geoclue = try RealGeoClue(on: bus)
    let agent = try GeoClueAgent(at: bus.address)
    try agent.waitUntilRegistered()
    let client = try BusClient(at: bus.address)
    let manager = "/org/freedesktop/GeoClue2/Manager"
    let path = try client.reply("CreateClient", of: "org.freedesktop.GeoClue2.Manager", at: manager, of: GeoClueName)
    let object = path[0].string ?? ""
    #expect(try geoclue.clients() == [object.components(separatedBy: "/").last])
    for (name, value) in [("DesktopId", JSON.variant("s", "test")), ("RequestedAccuracyLevel", .variant("u", 8))] {
      _ = try client.reply(
        "Set", of: "org.freedesktop.DBus.Properties", at: object, of: GeoClueName, signature: "ssv",
        ["org.freedesktop.GeoClue2.Client", .string(name), value])
    }
    #expect(!geoclue.receiver.isConnected)
    _ = try client.reply("Start", of: "org.freedesktop.GeoClue2.Client", at: object, of: GeoClueName)
    try geoclue.receiver.write(GGASentence(latitude: 52.123456789, longitude: -13.000000123))
    let updated = try client.waitFor(1, "LocationUpdated")
    let location = try client.reply(
      "GetAll", of: "org.freedesktop.DBus.Properties", at: updated[0][1].string ?? "", of: GeoClueName, signature: "s",
      ["org.freedesktop.GeoClue2.Location"])
    #expect(abs((location[0]["Latitude"]?.number ?? 0) - 52.123456789) < 1e-8)
    #expect(abs((location[0]["Longitude"]?.number ?? 0) + 13.000000123) < 1e-8)
    #expect(location[0]["Latitude"]?.variantType == "d")
    client.kill()
    try eventually("the client is gone") { try geoclue.clients().isEmpty }
  }
}
