// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Sequences in which the source measures rarely, or what nobody hears in time.
extension Day {
  /// A source that was regular measures once after a while, and then no more, as if nothing moved. Returns the end.
  func planRareMeasurement(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]

    after(0) { Self.begin(client, in: $0) }
    after(8) { $0.geoclue.measureOnce(in: 10_000_000, of: 50_000_000) }
    after(19) { $0.checks.remainsHeld(until: begin + 57_000_000, by: client) }
    after(58) { _ in client.exit() }
    return begin + 66_000_000
  }

  /// The receiver measures just before a suspend, and GeoClue tells it some seconds after it. Returns the end.
  func planLateMeasurement(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]

    after(0) { Self.begin(client, in: $0) }
    after(8) { $0.geoclue.pause(for: 9_000_000) }
    after(10.5) { world in
      world.geoclue.measureNow(toldIn: 3_000_000)
      world.sleep(20_000_000, isAnnounced: true, isProbed: false)
    }
    after(22) { _ in client.exit() }
    return begin + 30_000_000
  }

  /// The machine sleeps for longer than the rest of the interval for which the source is released. Returns the end.
  func planSleptInterval(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]

    after(0) { world in
      Self.repairGeoClue(in: world)
      client.start()
      client.subscribe(isPlain: false, at: .exact, every: 90_000_000)
    }
    after(30) { $0.sleep(200_000_000, isAnnounced: true, isProbed: false) }
    after(45) { world in
      world.checks.servedAfterSleep(client)
      client.exit()
    }
    return begin + 52_000_000
  }
}
