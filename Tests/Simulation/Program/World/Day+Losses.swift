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

  /// The service's connection is lost, and with it perhaps an almanac. Returns the end.
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
    after(16) { _ in client.exit() }
    return begin + 25_000_000
  }
}
