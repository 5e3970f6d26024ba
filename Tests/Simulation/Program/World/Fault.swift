// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// A fault or change that begins at a given time and lasts for a given time.
struct Fault {
  enum Kind: String, CaseIterable {
    case agentOff, agentCoarse, agentFlaps, agentFloods, agentLeaves, agentHangs
    case policyChanges, policyDenies, policyReduces, policyGrantsAlways, polkitSlow, polkitHangs, polkitExits
    case sessionEnds, sessionNoise, logindSlow, logindHangs, logindExits
    case suspend, silentSuspend, clockSet
    case geoclueCrashes, geoclueHangs, geoclueSlow, geoclueFails, sourceLost, fixesSlow, compass
    case clientStopsReading, clientLeaves, clientFloods, clientForges
    case secondAgent, polkitLost, rulesChangeUnseen, sessionChangesUnseen, systemdForgets
    case configuration, travels, jumps, receiverLost, crowd
    case agentChangesUnseen, polkitHangsAndDenies, manyNames
    case serviceStops, callsDuringChanges, accessExtends, sessionEndsDuringQuestion, rulesChangeDuringQuestion
    /// Faults that occur only in worlds whose bus fails.
    case busHangs, busIgnoresService, busExits, busClosesConnections

    static let ofBus: [Kind] = [.busHangs, .busIgnoresService, .busExits, .busClosesConnections]
  }

  let number: Int
  let kind: Kind
  let time: Int64
  let duration: Int64
  let user: UInt32
  let client: Int
  let extra: Int

  /// The faults of one storm.
  static func plan(
    _ chance: inout Chance, in world: World, from begin: Int64, to end: Int64, first number: Int, count: Int
  ) -> [Fault] {
    let kinds = Kind.allCases.filter { world.isBusFaulty || !Kind.ofBus.contains($0) }
    var time = begin
    var faults: [Fault] = []
    for index in 0..<count {
      // Some begin together, so that they overlap.
      if chance.percent(60) {
        time = begin + Int64(chance.next() % UInt64(end - begin))
      } else {
        time = min(end, time + chance.time(100...2_000_000))
      }
      faults.append(
        Fault(
          number: number + index, kind: chance.pick(kinds), time: time,
          duration: chance.time(1_000...40_000_000), user: chance.pick(world.users),
          client: chance.number(in: 0...5), extra: chance.number(in: 0...99)))
    }
    return faults
  }

  func begin(in world: World) {
    world.tell("FAULT \(number): \(kind) for \(duration / 1_000) ms (\(user), client \(client), \(extra))")
    let agent = world.agents.first { $0.user == user }
    let client = world.clients[client]
    switch kind {
    case .agentOff: agent?.setLevel(.none)
    case .agentCoarse: agent?.setLevel(extra < 20 ? .country : extra < 50 ? .city : .street)
    case .agentFlaps: flap(2 + extra % 8, agent, in: world)
    case .agentFloods: agent?.flood(50 + extra * 20)
    case .agentLeaves: agent?.exit()
    case .agentHangs: agent?.hang()
    case .policyChanges: world.polkit.announce()
    case .policyDenies: setPolicy(.no, .no, in: world)
    case .policyReduces: setPolicy(.yes, extra < 50 ? .no : .challenge, in: world)
    case .policyGrantsAlways: grantAlways(in: world)
    case .polkitSlow: world.polkit.latency = 50_000...1_500_000
    case .polkitHangs:
      world.polkit.hang()
      world.polkit.announce()
      world.schedule.after(300_000) { client.readAll() }
    case .polkitExits: world.polkit.exit()
    case .sessionEnds:
      world.setSession(extra < 80 ? .inactive : .none, of: user)
    case .sessionNoise: world.logind.announceSession(extra < 50 ? "SessionNew" : "SessionRemoved", of: user)
    case .logindSlow: world.logind.latency = 20_000...600_000
    case .logindHangs:
      world.logind.hang()
      // Its sessions are in doubt. Calls wait for that only for a second.
      world.logind.announce(user)
      world.schedule.after(300_000) { client.readAll() }
    case .logindExits: world.logind.exit()
    // After a short sleep, a location from before it is young enough for most purposes.
    case .suspend, .silentSuspend:
      world.sleep(Int64(extra < 50 ? 2 + extra : 5 + extra * 100) * 1_000_000, isAnnounced: kind == .suspend)
      if extra.isMultiple(of: 3) { world.move() }
    case .clockSet:
      // Day may become night, or the time of day may remain the same.
      let minutes = extra % 5 == 1 ? (extra < 50 ? -1_440 : 1_440) : (extra - 50) * (extra.isMultiple(of: 4) ? 15 : 1)
      world.setClock(Int64(minutes) * 60_000_000)
      world.schedule.after(2_000_000) { for client in world.clients { client.readAlmanac() } }
    case .geoclueCrashes: world.geoclue.exit()
    case .geoclueHangs:
      guard extra < 70 else {
        world.geoclue.failsToCreate = true
        // The next client is a new one.
        return world.sleep(2_000_000, isAnnounced: true)
      }
      guard extra < 40 else { return world.geoclue.hangWhenStarted() }
      world.geoclue.hang()
    case .geoclueSlow: world.geoclue.latency = 50_000...3_000_000
    case .geoclueFails: world.failGeoClue()
    case .sourceLost: world.geoclue.setSource(false)
    case .fixesSlow: world.geoclue.interval = extra < 50 ? 7_000_000 : 30_000_000
    case .compass: world.geoclue.hasCompass = true
    case .clientStopsReading: client.isReading = false
    case .clientLeaves: client.exit()
    case .clientFloods:
      for time in [0, 500_000] { world.schedule.after(Int64(time)) { client.flood(10 + extra * 4) } }
    case .clientForges: client.forge(extra)
    case .secondAgent:
      let second = world.seconds.first { $0.user == user }
      second?.start()
      second?.setLevel(extra < 30 ? .none : extra < 60 ? .city : .exact)
    case .polkitLost:
      world.polkitFails = true
      world.polkit.exit()
    case .rulesChangeUnseen:
      if extra.isMultiple(of: 2) { world.polkit.latency = 300_000...1_500_000 }
      if extra < 50 { grantAlways(in: world) }
      world.schedule.after(extra < 50 ? 2_000_000 : 0) {
        guard !world.isQuiet(at: .max) else { return }
        world.polkit.exit()
        world.polkit.change = {
          world.truth.set(nil, to: Truth.accessWithoutAgent, of: user)
          for action in [Truth.access, Truth.accessPrecise] { world.truth.set(.no, to: action, of: user) }
        }
        world.schedule.after(20_000 * Int64(extra + 1)) { world.polkit.start() }
      }
    case .sessionChangesUnseen:
      world.logind.exit()
      world.logind.change = { world.truth.set(.inactive, of: user) }
    case .systemdForgets:
      guard extra < 50 else {
        world.systemd.restart(extra % 10)
        // A program comes meanwhile.
        client.exit()
        return world.schedule.after(100_000) { if world.healedAt == nil { client.start() } }
      }
      world.systemd.knowsNothing = true
    case .configuration: world.disallow(true)
    case .travels:
      world.move()
      // A short trip may begin and end while an update waits.
      if extra.isMultiple(of: 2) {
        // The checks of a quiet time assume that nothing else moves.
        world.schedule.after(6_000_000 + Int64(extra) * 100_000) { if world.healedAt == nil { world.move() } }
      }
    case .jumps: world.geoclue.jump()
    case .receiverLost: world.geoclue.loseReceiver()
    case .crowd: world.crowd(of: user)
    case .agentChangesUnseen:
      world.geoclue.exit()
      world.quietAgent?.setLevel(extra < 50 ? .none : .city)
    case .polkitHangsAndDenies:
      world.polkit.hang()
      world.deny(user)
    case .manyNames: client.introduce(60 + extra / 2)
    case .serviceStops:
      world.stopService()
      // It stops before it learns of this sleep.
      if extra % 4 == 0 { world.suspend(50_000_000) }
      // These calls start the next service, which has no location yet.
      world.schedule.after(500_000) { for client in world.clients { client.locateRoughly() } }
    case .callsDuringChanges: callDuringChanges(40, in: world)
    case .accessExtends:
      agent?.setLevel(.city)
      world.schedule.after(200_000) { client.monitor(isWide: true) }
      world.schedule.after(400_000 + Int64(extra) * 50_000) { agent?.setLevel(.exact) }
    case .sessionEndsDuringQuestion:
      overtake(world.logind, in: world) { world.setSession($0 ? .inactive : .active, of: user) }
      world.logind.announce(user)
    case .rulesChangeDuringQuestion:
      overtake(world.polkit, in: world) { begins in
        setPolicy(begins ? .yes : nil, begins ? .no : nil, in: world)
        // What polkit is answering may not be used any more, but it has not answered again.
        for delay in begins ? [210_000, 240_000, 270_000] : [] as [Int64] {
          world.schedule.after(delay) { for client in world.clients where client.user == user { client.locate() } }
        }
      }
      world.polkit.announce()
      for client in world.clients where client.user == user && client.isConnected { client.locate() }
    case .busHangs, .busIgnoresService:
      // Sometimes with more answers than the service may queue.
      for client in extra < 40 ? world.clients : [] where client.isReading { client.flood(40, areLong: true) }
      world.schedule.after(extra < 40 ? 1_000 : 0) {
        if !world.isQuiet(at: .max) { world.stallBus(hangs: kind == .busHangs) }
      }
    case .busExits: world.stopBus()
    case .busClosesConnections:
      for delay in [0, 2_500_000] as [Int64] {
        world.schedule.after(delay) { if !world.isQuiet(at: .max) { world.closeConnection(extra) } }
      }
    }
  }

  func end(in world: World) {
    let agent = world.agents.first { $0.user == user }
    switch kind {
    case .agentOff, .agentCoarse, .agentFlaps, .agentFloods: agent?.setLevel(.exact)
    case .agentLeaves: agent?.start()
    case .agentHangs: agent?.recover()
    case .policyDenies, .policyReduces: setPolicy(nil, nil, in: world)
    case .policyGrantsAlways: restorePolicy(in: world)
    case .polkitSlow: world.polkit.latency = 50...4_000
    case .polkitHangs: world.polkit.recover()
    case .polkitExits: world.polkit.start()
    case .sessionEnds: world.setSession(.active, of: user)
    case .logindSlow: world.logind.latency = 50...4_000
    case .logindHangs: world.logind.recover()
    case .logindExits: world.logind.start()
    case .geoclueHangs:
      world.geoclue.failsToCreate = false
      world.geoclue.recover()
    case .geoclueSlow: world.geoclue.latency = 50...4_000
    case .geoclueFails: world.geoclueFails = false
    case .sourceLost: world.geoclue.setSource(true)
    case .fixesSlow: world.geoclue.interval = 1_000_000
    case .compass: world.geoclue.hasCompass = false
    case .clientStopsReading: world.clients[client].isReading = true
    case .clientLeaves: world.clients[client].start()
    case .secondAgent: world.seconds.first { $0.user == user }?.exit()
    case .polkitLost:
      world.polkitFails = false
      world.polkit.start()
    case .rulesChangeUnseen:
      world.polkit.start()
      world.polkit.latency = 50...4_000
    case .sessionChangesUnseen: world.logind.start()
    case .systemdForgets: world.systemd.knowsNothing = false
    case .configuration: world.disallow(false)
    case .agentChangesUnseen: world.quietAgent?.setLevel(.exact)
    case .busHangs, .busIgnoresService: world.resumeBus()
    case .busExits: world.startBus()
    default: break
    }
  }

  private func flap(_ times: Int, _ agent: Agent?, in world: World) {
    guard times > 0, let agent else { return }
    agent.setLevel(times.isMultiple(of: 2) ? .none : .exact)
    world.schedule.after(1 + duration / 40 % 400_000) { flap(times - 1, agent, in: world) }
  }

  /// The next answer about the user is overtaken by a change, which lasts for some seconds.
  private func overtake(_ service: SystemService, in world: World, _ change: @escaping (_ begins: Bool) -> Void) {
    service.latency = 300_000...300_000
    service.overtaking = (
      user,
      {
        change(true)
        world.schedule.after(3_000_000) {
          guard !world.isQuiet(at: .max) else { return }
          service.latency = 50...4_000
          change(false)
        }
      }
    )
  }

  /// While polkit's rules change and change back, all programs of the user request locations.
  private func callDuringChanges(_ times: Int, in world: World) {
    guard !world.isQuiet(at: .max) else { return }
    guard times > 0 else {
      world.polkit.latency = 50...4_000
      return setPolicy(nil, nil, in: world)
    }
    if times.isMultiple(of: 5) {
      world.polkit.latency = 50_000...(200_000 + Int64(extra) * 10_000)
      setPolicy(.yes, times.isMultiple(of: 10) ? .no : nil, in: world)
    }
    for client in world.clients where client.user == user && client.isConnected { client.locate() }
    world.schedule.after(50_000 + Int64(extra) * 1_000) { callDuringChanges(times - 1, in: world) }
  }

  /// Rules change only while polkitd runs, which announces the change.
  private func setPolicy(_ reduced: Truth.Answer?, _ precise: Truth.Answer?, in world: World) {
    guard world.polkit.isRunning else { return }
    world.truth.set(reduced, to: Truth.access, of: user)
    world.truth.set(precise, to: Truth.accessPrecise, of: user)
    world.polkit.announce()
  }

  private func grantAlways(in world: World) {
    guard world.polkit.isRunning else { return }
    world.truth.set(.yes, to: Truth.accessWithoutAgent, of: user)
    world.polkit.announce()
  }

  /// Withdraws what ``grantAlways(in:)`` granted. Sometimes nothing else is granted for some seconds, and polkit is slow.
  private func restorePolicy(in world: World) {
    guard world.polkit.isRunning else { return }
    world.truth.set(nil, to: Truth.accessWithoutAgent, of: user)
    guard extra.isMultiple(of: 2), !world.isQuiet(at: .max) else { return world.polkit.announce() }
    world.polkit.latency = 300_000...1_000_000
    setPolicy(.no, .no, in: world)
    world.schedule.after(3_000_000) {
      guard !world.isQuiet(at: .max) else { return }
      world.polkit.latency = 50...4_000
      setPolicy(nil, nil, in: world)
    }
  }
}
