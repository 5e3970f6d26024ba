// SPDX-License-Identifier: Apache-2.0

/// Situations between a rest and the next storm, in which the bus closes a connection.
extension Day {
  /// Objects that are being started wait for polkit when the service's connection is lost. The client must be able to make
  /// as many calls later. Returns the end.
  func planLostCalls(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard world.isBusFaulty else { return begin }

    after(0) { world in
      world.polkit.latency = 2_500_000...2_500_000
      world.clients[1].start()
      for _ in 0..<World.callsPerConnection { world.clients[1].subscribe(isPlain: true, at: .exact) }
    }
    after(2) { $0.closeServiceConnection() }
    after(4) { $0.polkit.latency = 50...4_000 }
    after(15) { $0.clients[1].callOnce() }
    after(17) { $0.clients[1].exit() }
    return planLostAlmanac(at: begin + 25_000_000)
  }

  /// The bus reads nothing from the service until that leaves the connection. Later, the bus closes the next one while a
  /// client does not answer its ping. Returns the end.
  func planDebtor(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]
    guard world.isBusFaulty else { return begin }

    after(0) { world in
      for each in world.clients[1...3] { Self.begin(each, in: world) }
    }
    planStalledBus(isLong: true, at: begin + 4_000_000)
    after(26) { world in
      for each in world.clients[1...3] { each.exit() }
    }
    after(27) { Self.begin(client, in: $0) }
    after(32) { _ in client.hoard(110) }
    after(40) { $0.closeServiceConnection() }
    after(118) { world in
      world.checks.sentAfterLoss(client, since: begin + 42_000_000)
      client.exit()
    }
    return begin + 126_000_000
  }

  /// The bus reads nothing from the service for a moment, and then only little at a time, while locations wait for very
  /// many objects. Returns the end.
  func planSlowBus(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let clients = world.clients[1...3]
    guard world.isBusFaulty else { return begin }

    after(0) { world in
      for client in clients { Self.begin(client, in: world) }
    }
    planStalledBus(isLong: false, at: begin + 8_000_000)
    after(27) { world in
      for client in clients { world.checks.receivesAfterStall(client, since: begin) }
    }
    after(30) { _ in
      for client in clients { client.exit() }
    }
    return begin + 38_000_000
  }

  /// The service's connection is lost, and with it perhaps an almanac, and later the one through which it pings a client.
  /// Returns the end.
  private func planLostAlmanac(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let client = world.clients[1]
    var lost: (path: String, at: Int64)?
    after(0) { _ in
      client.start()
      client.forecast()
    }
    after(6) { world in
      guard client.almanac != nil, let path = client.almanacPath else { return }
      lost = (path, world.schedule.now)
      world.closeServiceConnection()
    }
    after(14) { world in
      if let lost, lost.path == client.almanacPath { world.checks.sentAgain(to: client, since: lost.at) }
    }
    // What it is sent requires a ping.
    after(16) { _ in client.losesPing = true }
    for time in [16.1, 17, 18] as [Double] { after(time) { _ in client.flood(40, areLong: true) } }
    after(24) { _ in
      client.losesPing = false
      client.exit()
    }
    return begin + 33_000_000
  }
}
