// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

/// Regions with sources as they are: a recorded track, the real GeoClue, a machine that sleeps, reduced locations.
@Suite(.serialized) struct RegionSourceTests {
  private let directory = TemporaryDirectory()

  @Test func `a replayed day reports each crossing once despite the noise`() throws {
    var noise = SystemRandomNumberGenerator()
    // Home, a walk along the border, away, home: 100 m are inside of the 200 m, 300 m are outside.
    let legs: [(metres: Double, seconds: Int)] = [(0, 40), (100, 40), (600, 60), (300, 40), (50, 60), (5_000, 60)]
    var track: [TrackFix] = []
    for leg in legs {
      for second in 0..<leg.seconds {
        // Two locations in a minute are 400 m off and claim to be good.
        let isBad = second % 30 == 5
        let error = isBad ? 400 : Double.random(in: -15...15, using: &noise)
        track.append(TrackFix(at: UInt64(track.count), metres: leg.metres + error, accuracy: isBad ? 1.7 : 20))
      }
    }
    let session = try ReplaySession(track, speed: 20, in: directory)
    let client = session.client
    // Twenty times as fast, so a second is confirmed for what 20 are.
    let path = try client.regionStarted(ConsumerProgram.circle(52, 13, radius: 200, confirm: 1_000))
    _ = try client.subscribeAndStart()
    try client.waitFor(["determined", "exited", "entered", "exited"], path, within: .seconds(60))
    #expect(client.events(of: path).allSatisfy { $0["Simulated"] == .variant("b", true) })
    #expect(session.daemon.isRunning)
  }

  @Test func `regions follow the receiver of the real GeoClue`() throws {
    let machine = try Machine(.system)
    let client = try machine.consumer()
    let path = try client.regionStarted(ConsumerProgram.circle(52.5, 13.4, ["dwell": .variant("u", 200)]))
    let receiver = machine.receiver
    func walk(to latitude: Double, _ happenings: [String]) throws {
      try receiver.write(GGASentence(latitude: latitude, longitude: 13.4))
      try client.waitFor(happenings, path)
    }
    // A subscription keeps the receiver on.
    _ = try client.subscribeAndStart()
    try walk(to: 52.6, ["determined"])
    try walk(to: 52.5001, ["determined", "entered", "dwelled"])
    try machine.geoclue.restart()
    try walk(to: 52.5002, ["determined", "entered", "dwelled"])
    try walk(to: 52.6, ["determined", "entered", "dwelled", "exited"])
    #expect(!machine.daemon.log.contains("52.5"))
  }

  @Test func `a machine that sleeps in one place and wakes in another reports one exit and one entry`() throws {
    let (logind, bus) = try BusClient.owning("org.freedesktop.login1")
    let machine = try SimulatedMachine(on: bus)
    let (geoclue, client) = (machine.geoclue, machine.client)
    _ = try client.subscribeAndStart()
    let home = try client.regionStarted(ConsumerProgram.circle(52, 13))
    let work = try client.regionStarted(ConsumerProgram.circle(53, 13))
    try geoclue.fix(latitude: 52)
    for path in [home, work] { try client.waitFor(["determined"], path) }
    for isBefore in [true, false] { try logind.prepareForSleep(isBefore) }
    for path in [home, work] { try client.waitFor(["determined", "lost slept"], path) }
    try eventually("it is found elsewhere", within: .seconds(30), turn: rest) {
      try geoclue.fix(latitude: 53)
      return client.happenings(work).count == 3 && client.happenings(home).count == 3
    }
    #expect(client.happenings(home) == ["determined", "lost slept", "exited gap"])
    #expect(client.happenings(work) == ["determined", "lost slept", "entered gap"])
    #expect(machine.daemon.isRunning)
  }

  @Test func `twenty bisecting regions at city level reveal nothing finer than the cell`() throws {
    let city = ["accuracy": JSON.variant("s", "city")]
    var told: [[String]] = []
    var centre: Double?
    for offset in [-4_000.0, 4_000] {
      // Two places of the same cell, 8 km apart; the first run finds out where its centre is.
      if centre == nil {
        let session = try ReplaySession([TrackFix(at: 0, metres: 0, accuracy: 5)], speed: 1, in: directory)
        centre = try session.client.location(.object(city)).arguments()[0]["Latitude"]?.number
      }
      let middle = (try #require(centre) - 52) * ReplaySession.degree
      let place = TrackFix(at: 0, metres: middle + offset, accuracy: 5)
      let session = try ReplaySession([place], speed: 1, in: directory)
      let client = session.client
      let paths = try (0..<19).map { step in
        // Circles of the smallest radius that is evaluated, whose borders lie 1 km apart around the cell.
        try client.regionStarted(
          ConsumerProgram.circle(
            ReplaySession.latitude(middle + (Double(step) - 24) * 1_000), 13, radius: 15_000, city))
      }
      let wide = try client.regionStarted(ConsumerProgram.circle(52, 13, radius: 200_000, city))
      let small = ConsumerProgram.circle(52, 13, radius: 14_999, city)
      try client.tell(paths[0], "Close")
      let limited = try client.regionStarted(small)
      try client.waitFor(["lost accuracy-limited"], limited)
      #expect(try client.property("StateReason", of: limited) == "accuracy-limited")
      try client.waitFor(["determined"], wide)
      // All of them had the same single location, and it has stood for as long.
      try always("they have told what they can", for: .milliseconds(500)) { session.daemon.isRunning }
      told.append(
        try paths.dropFirst().map { path in
          client.happenings(path).joined(separator: ",") + (try client.property("State", of: path)).line
        })
    }
    #expect(told[0] == told[1])
  }
}
