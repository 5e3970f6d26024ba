// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// Situations between a rest and the next storm, in which one change follows another closely.
extension Day {
  /// A user's agent permits less while a call waits for a better location than it has. Returns the end.
  func planLessDuringCall(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(6) { _ in client.locateAtBest(within: 4_000) }
    after(8) { _ in agent.setLevel(.street) }
    after(11) { _ in
      client.exit()
      agent.setLevel(.exact)
    }
    return begin + 19_000_000
  }

  /// Within milliseconds, the agents of two users confirm their levels, GeoClue measures, and the second agent turns
  /// location on. Returns the end.
  func planChangesAtOnce(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced, !world.geoclue.isStatic,
      let (other, trigger) = self.client(whoseAgent: .invalidates)
    else { return begin }
    let usual = (agent.latency, trigger.latency)

    after(0) { world in
      for each in [client, other] { Self.begin(each, in: world) }
    }
    after(8) { _ in agent.setLevel(.none) }
    after(14) { world in
      (agent.latency, trigger.latency, world.geoclue.latency) = (50...50, 50...50, 50...50)
      world.geoclue.measureOnce(in: 1_300, of: 4_000_000)
      // The service reviews access when something has changed, and then not for some milliseconds.
      trigger.announceUnknown()
      world.schedule.after(1_000) { agent.announceUnknown() }
      world.schedule.after(2_200) { agent.setLevel(.exact) }
    }
    after(15) { world in
      (agent.latency, trigger.latency) = usual
      world.geoclue.latency = 50...4_000
    }
    after(18) { _ in
      for each in [client, other] { each.exit() }
    }
    return begin + 26_000_000
  }

  /// A user's agent returns, and permits less while systemd describes its process. Returns the end.
  func planLessWhileDescribed(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(8) { $0.reduceWhileDescribed(agent.manner) }
    after(20) { _ in client.exit() }
    return begin + 28_000_000
  }

  /// A town waits for the interval of a subscription when the source is released to rest. Returns the end.
  func planDroppedTown(at begin: Int64) -> Int64 {
    at(begin) { world in
      let begin = Self.rest(of: .city, in: 110_000_000) + 110_000_000
      let end = world.schedule.now + begin
      let moment = { (seconds: Int64, action: @escaping () -> Void) in
        world.schedule.after(begin + seconds * 1_000_000, action)
      }
      let (client, other) = (world.clients[1], world.clients[2])
      moment(-100) { Self.begin(client, at: [.city], in: world) }
      moment(-6) { Self.begin(other, in: world) }
      moment(10) { other.exit() }
      moment(215) {
        world.checks.receivedDropped(client, since: end + 20_000_000)
        client.exit()
      }
    }
    return begin + 110_000_000 + AccuracyLevel.city.minimumInterval.microseconds + 225_000_000
  }

  /// A location arrives while polkit is asked and another one waits, just before the source is released to rest. Then
  /// there is no source when the interval ends. Returns the end.
  func planMissedLocation(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let (client, other) = (world.clients[1], world.clients[2])

    after(0) { world in
      Self.begin(other, in: world)
      client.start()
      client.subscribe(isPlain: false, at: .exact, every: 90_000_000)
    }
    after(6) { $0.geoclue.measureOften(every: 1_900_000, 1, accuracy: 2) }
    after(6.2) { _ in other.exit() }
    after(7.7) { world in
      world.polkit.latency = 350_000...350_000
      world.polkit.announce()
    }
    after(9) { world in
      world.polkit.latency = 50...4_000
      world.geoclue.setSource(false)
    }
    after(100) { world in
      world.checks.receivedNoDropped(client, since: begin + 9_000_000)
      client.exit()
      world.geoclue.setSource(true)
    }
    return begin + 108_000_000
  }

  /// An administrator removes a record while the next one waits to be written, and at once stops the service. Returns the
  /// end.
  func planRemovedRecord(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]
    guard !world.isBusFaulty else { return begin }

    after(0) { Self.begin(client, at: [.city, .exact], in: $0) }
    // A town is written if it is another one and none has been for long. That of the last interval is not.
    for (seconds, length) in [(3, 1_000_000_000), (12, 0), (21, 0)] as [(Double, Int64)] {
      after(seconds) { world in
        if length == 0 { world.move() }
        // It wakes shortly before an interval in which a town may be sent.
        world.sleep(length + Self.rest(of: .city, in: length) - 1_000_000, isAnnounced: true, isProbed: false)
      }
    }
    after(29) { $0.removeRecord(of: client.user) }
    after(31) { _ in client.exit() }
    return begin + 39_000_000
  }

  /// An almanac begins while the source is silent, and begins again between two tries, when the source is back.
  /// Meanwhile it has a remembered town at most. Returns the end.
  func planSilentStart(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]
    var hadNone = false

    after(0) { world in
      Self.repairGeoClue(in: world)
      world.geoclue.setSource(false)
      client.start()
      Self.sleepToTown(in: world)
    }
    // The first try lasts for a minute, and the pause after it for two.
    after(7) { _ in client.forecast() }
    after(95) { world in
      hadNone = client.almanac.map { $0.values["Remembered"] != nil } ?? true
      world.geoclue.setSource(true)
      client.forecast()
    }
    after(115) { world in
      if hadNone { world.checks.triedForAlmanac(client, since: begin + 95_000_000) }
      client.exit()
    }
    return begin + 123_000_000
  }

  /// The machine sleeps for so long that a town is recorded at once, until shortly before an interval of a town.
  private static func sleepToTown(in world: World) {
    let length: Int64 = 1_000_000_000
    world.sleep(length + rest(of: .city, in: length) - 1_000_000, isAnnounced: true, isProbed: false)
  }

  /// A program needs only an almanac, after all records were erased. Returns the end.
  func planRecordedAlmanac(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]
    guard !world.isSession, !world.isBusFaulty else { return begin }

    after(0) { world in
      Self.repairGeoClue(in: world)
      client.start()
      client.forecast()
    }
    after(6) { $0.eraseRecords() }
    after(8) { Self.sleepToTown(in: $0) }
    // Otherwise the same almanac would not be sent again.
    after(18) { _ in client.forecast() }
    after(28) { world in
      world.checks.recordedAlmanac(of: client)
      client.exit()
    }
    return begin + 36_000_000
  }

  /// The machine is just outside of the cell in which it was. Returns the end.
  func planCellBorder(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]
    var cell: (latitude: Double, longitude: Double)?

    after(0) { Self.begin(client, at: [.street, .exact], in: $0) }
    after(14) { world in
      guard let last = client.subscriptions.first(where: { $0.level == .street })?.last, last.level == "street",
        Checks.distance(last.latitude, world.place(isOther: false)) < 400
      else { return }
      cell = (last.latitude, last.longitude)
      // A cell is at least 500 m and less than 506 m high.
      let outside = last.latitude + (world.seed.isMultiple(of: 2) ? -275 : 275) / Checks.metresPerDegree
      world.geoclue.offset = outside - world.place(isOther: false)
    }
    after(40) { world in
      if let cell { world.checks.remains(client, in: cell, since: begin) }
      world.geoclue.offset = 0
      client.exit()
    }
    return begin + 48_000_000
  }

  /// The clock is set back, and then the machine leaves a region. Returns the end.
  func planClockSetBack(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]

    after(0) { world in
      Self.begin(client, in: world)
      client.monitor(isHere: true, isLasting: true)
    }
    // No time of a measurement before the last sleep recurs.
    after(70) { $0.setClock(-60_000_000) }
    after(74) { $0.move() }
    after(90) { world in
      world.checks.hasLeft(client, since: begin + 74_000_000)
      client.exit()
      world.setClock(60_000_000)
    }
    return begin + 98_000_000
  }
}
