// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The course of a run. It alternates between storms, in which faults overlap while clients act at random, and quiet
/// times, after which the service must match the truth.
final class Day {
  /// In microseconds.
  static let storm: Int64 = 140_000_000
  static let quiet: Int64 = 100_000_000
  /// How long clients rest in the rounds that include a rest.
  static let rest: Int64 = 330_000_000
  /// The same while the only client needs significant changes, which may be five minutes apart.
  static let rareRest: Int64 = 430_000_000
  static let faultsPerStorm = 20

  private let world: World
  /// The numbers of the faults to use, or nil for all.
  private let kept: Set<Int>?
  private let rounds: Int
  private(set) var faultCount = 0
  private(set) var used: [Int] = []
  private var chance: Chance

  init(_ world: World, hours: Double, kept: Set<Int>?) {
    self.world = world
    self.kept = kept
    chance = Chance(world.seed, "faults")
    rounds = max(1, Int(hours * 3_600_000_000 / Double(Self.storm + Self.quiet)))
  }

  func begin() {
    var time = world.schedule.now + 1_000_000
    for round in 0..<rounds {
      let begin = time
      world.schedule.at(begin) { [weak self] in self?.beginStorm() }
      let faults = Fault.plan(
        &chance, in: world, from: begin, to: begin + Self.storm, first: round * Self.faultsPerStorm,
        count: Self.faultsPerStorm)
      for fault in faults where kept?.contains(fault.number) ?? true {
        faultCount += 1
        world.schedule.at(fault.time) { [world] in fault.begin(in: world) }
        let end = min(fault.time + fault.duration, begin + Self.storm)
        world.schedule.at(end) { [world] in fault.end(in: world) }
      }
      time = begin + Self.storm
      let rests = round % 4 == 2
      let isRare = round % 8 == 2
      world.schedule.at(time) { [weak self] in
        self?.world.isRestRare = isRare
        self?.heal(rests: rests, isRegular: rests || round % 8 != 3)
      }
      if round % 4 == 1 {
        world.schedule.at(time + 2_000_000) { [world] in world.deny(world.users[round / 4 % world.users.count]) }
      }
      let rest = isRare ? Self.rareRest : Self.rest
      time += rests ? rest : Self.quiet
      if !rests {
        let client = world.clients[round % 6]
        world.schedule.at(time - 90_000_000) { client.hoard(round.isMultiple(of: 2) ? 60 : 120) }
        world.schedule.at(time - 62_000_000) { client.showLife() }
        world.schedule.at(time - 55_000_000) { client.isReading = true }
        let other = world.clients[(round + 1) % 6]
        world.schedule.at(time - 60_000_000) { other.pile() }
        if round % 4 == 1 {
          world.schedule.at(time - 60_000_000) { [world] in world.geoclue.coarsen() }
          world.schedule.at(time - 27_000_000) { [world] in world.checks.newest() }
        } else {
          world.schedule.at(time - 53_000_000) { [world] in world.geoclue.jumpAlone() }
          world.schedule.at(time - 47_200_000) { [world] in world.checks.newest() }
          world.schedule.at(time - 40_000_000) { [world] in world.geoclue.hurry() }
          world.schedule.at(time - 35_000_000) { [world] in world.checks.newest() }
          world.schedule.at(time - 33_000_000) { [world] in world.geoclue.hurryInDoubt() }
          world.schedule.at(time - 28_000_000) { [world] in world.checks.newest() }
          // The same wrong place as before, which does not confirm anything.
          world.schedule.at(time - 26_500_000) { [world] in world.geoclue.jump() }
        }
        if !world.isSession {
          world.schedule.at(time - 45_000_000) { [world] in world.throng.visit() }
          world.schedule.at(time - 43_000_000) { [world] in world.throng.comeBack() }
          world.schedule.at(time - 75_000_000) { [world, number = round % 6 == 1 ? 4 : 1] in
            guard !world.geoclueFails, world.polkit.denied.isEmpty, !world.truth.isPolkitSilent else { return }
            world.throng.press(of: world.users[0], against: world.clients[number], world.agents[1])
          }
        }
        if round % 4 == 0 {
          world.schedule.at(time - 87_000_000) { [world] in world.geoclue.setSource(false) }
          world.schedule.at(time - 85_000_000) { [world] in world.failGeoClue() }
          world.schedule.at(time - 91_000_000) { [world] in
            for client in world.clients { client.subscribe(isPlain: true, at: .exact, starts: false) }
          }
          world.schedule.at(time - 70_000_000) { [world] in
            for client in world.clients { client.startAnother() }
          }
          world.schedule.at(time - 66_000_000) { [world, since = time - 85_000_000] in
            world.checks.failing(since: since)
          }
          world.schedule.at(time - 65_000_000) { [world] in
            world.geoclueFails = false
            world.geoclue.setSource(true)
          }
        }
        if round % 8 == 7, !world.isSession {
          world.schedule.at(time - 85_000_000) { [world] in world.geoclue.refuseForLong() }
        }
        if round == 3 {
          world.schedule.at(time - 30_000_000) { [world] in
            for client in world.clients where client.user == world.users[0] { client.fidget() }
          }
          world.schedule.at(time - 26_200_000) { [world] in
            for client in world.clients where client.user != world.users[0] { client.startInTurn() }
          }
        }
        world.schedule.at(time - 25_000_000) { [world] in world.polkit.flood() }
        world.schedule.at(time - 18_000_000) { [world] in world.checks.properties() }
        world.schedule.at(time - 12_000_000) { [world] in world.checks.probe() }
        world.schedule.at(time - 8_000_000) { [world] in
          for client in world.clients where client.isConnected { client.reconsider() }
        }
        // The first location at another place is a jump until the next one confirms it.
        if round % 3 == 1 {
          world.schedule.at(time - 6_000_000) { [world] in if world.geoclue.interval == 1_000_000 { world.move() } }
        }
      }
      if rests, !isRare {
        // For a while, another client needs each location. The last one waits for the client that rests.
        world.schedule.at(time - 200_000_000) { [world] in
          world.clients[1].start()
          world.clients[1].subscribe(isPlain: true, at: .exact)
        }
        world.schedule.at(time - 185_000_000) { [world] in world.clients[1].exit() }
      }
      if rests, isRare {
        world.schedule.at(time - 150_000_000) { [world] in world.setClock(60_000_000) }
        world.schedule.at(time - 90_000_000) { [world] in
          world.move()
          world.sleep(20_000_000, isAnnounced: true, isProbed: false)
        }
        world.schedule.at(time - 45_000_000) { [world] in world.checks.resumed() }
      }
      for before in stride(from: 0, to: rests ? rest : 0, by: 5_000_000) {
        world.schedule.at(time - before) { [world] in
          if !world.geoclue.hasActiveClient { world.checks.hasRested = true }
          if before.isMultiple(of: 20_000_000) { world.checks.resting() }
        }
      }
      world.schedule.at(time) { [world] in world.checks.quiet(rests: rests) }
      guard round % 4 == 3 || round == rounds - 1 else { continue }
      if round % 8 == 7, !world.isSession {
        // The clients of the user to whom that happens have no objects, but have called.
        world.schedule.at(time - 5_000_000) { [world] in
          for client in world.clients where client.user == world.users[0] {
            client.exit()
            client.start()
            client.authorize()
          }
        }
        world.schedule.at(time) { [world] in world.checks.turnedOff(world.users[0]) }
      }
      world.schedule.at(time - 3_000_000) { [world] in
        let user = world.users[0]
        guard !world.isSession, world.clients.contains(where: { $0.user == user && $0.entitlement.level == .exact })
        else { return }
        world.agents.first { $0.user == user }?.setLevel(.none)
      }
      // All clients leave, and the service exits.
      world.schedule.at(time + 1) { [self] in
        for client in world.clients.dropFirst() { client.exit() }
        world.clients[0].flap(80)
        world.library?.task = .exit
        recover()
        world.truth.hasSessionEnded = world.users.contains { world.truth.session(of: $0) == .none }
      }
      // A program comes and leaves while GeoClue is slow, so that GeoClue's answer is too late.
      world.schedule.at(time + 5_000_000) { [world] in
        world.geoclue.latency = 3_000_000...3_500_000
        world.clients[1].callBriefly()
      }
      for index in 0..<6 as Range<Int64> {
        world.schedule.at(time + 8_000_000 + index * 50_000) { [world] in world.clients[2].callAndLeave() }
      }
      world.schedule.at(time + 9_000_000) { [world] in world.geoclue.latency = 50...4_000 }
      world.schedule.at(time + 14_000_000) { [world] in world.checks.unneeded() }
      // The only client leaves while GeoClue cannot be started.
      world.schedule.at(time + 15_000_000) { [world] in
        world.geoclueFails = true
        world.geoclue.exit()
        world.clients[1].start()
        world.clients[1].subscribe(isPlain: true, at: .exact)
      }
      world.schedule.at(time + 23_000_000) { [world] in
        world.clients[1].exit()
        world.geoclueFails = false
      }
      // The only client is one that needs the location briefly.
      world.schedule.at(time + 27_000_000) { [world] in
        world.clients[4].start()
        world.clients[4].forecast()
      }
      world.schedule.at(time + 62_000_000) { [world] in world.checks.properties() }
      world.schedule.at(time + 67_000_000) { [world] in
        world.clients[4].exit()
        world.clients[3].start()
        world.clients[3].subscribe(isPlain: true, at: .exact)
      }
      world.schedule.at(time + 75_000_000) { [world] in world.clients[3].exit() }
      time += 90_000_000
      world.schedule.at(time) { [world] in world.checks.left() }
      // Sometimes the machine also sleeps while no service runs.
      if round % 8 != 7, round % 16 != 11 {
        world.schedule.at(time + 90_000_000) { [world] in world.sleep(5_000_000, isAnnounced: true) }
      }
      time += 100_000_000
      world.schedule.at(time - 1) { [world] in
        world.checks.exited()
        world.setRemembers(round % 8 != 7)
      }
      if round % 16 == 11 {
        // The only client of a new service needs an almanac, which may begin with a remembered place.
        world.schedule.at(time) { [world] in
          world.clients[4].start()
          world.clients[4].forecast()
        }
        time += 60_000_000
        world.schedule.at(time) { [world] in
          world.checks.renewed(world.clients[4])
          world.clients[4].exit()
        }
        time += 100_000_000
      }
    }
    world.schedule.at(time) { [world] in world.end() }
  }

  /// Ends the silence of programs that hang.
  private func recover() {
    for agent in world.agents { agent.recover() }
    world.polkit.recover()
    world.truth.isPolkitSilent = false
  }

  private func beginStorm() {
    world.tell("STORM")
    world.healedAt = nil
    for user in world.polkit.denied.keys.sorted() { world.permit(user) }
    recover()
    for client in world.clients {
      client.start()
      client.act()
    }
    world.library?.task = .act
    world.schedule.after(5_000_000) { [world] in
      for client in world.clients where client.number.isMultiple(of: 2) { client.forecast() }
    }
    if world.serviceName == nil { askForRecords() }
  }

  /// Programs of all users ask a new service, which has no location, after one user has turned location off for a while.
  private func askForRecords() {
    world.agents.first { $0.user == world.users[0] }?.setLevel(.exact)
    world.geoclue.setSource(false)
    if chance.percent(50) { world.setClock(-7_200_000_000) }
    world.schedule.after(1_500_000) { [world] in
      for client in world.clients where client.isConnected { client.locateRoughly() }
    }
    world.schedule.after(8_000_000) { [world] in world.geoclue.setSource(true) }
  }

  /// Ends all faults.
  ///
  /// - Parameter isRegular: Whether the receiver usually measures each second.
  private func heal(rests: Bool, isRegular: Bool) {
    world.tell("QUIET")
    let world = world
    world.healedAt = world.schedule.now
    world.checks.hasRested = false
    world.resumeBus()
    world.startBus()
    world.library?.task = rests ? .exit : .follow
    (world.polkitFails, world.systemd.knowsNothing) = (false, false)
    (world.polkit.change, world.logind.change) = (nil, nil)
    world.disallow(false)
    for user in world.polkit.denied.keys.sorted() { world.permit(user) }
    for agent in world.seconds { agent.exit() }
    world.polkit.latency = 50...4_000
    world.polkit.temporaryFor = []
    world.polkit.unattended = []
    world.polkit.recover()
    world.polkit.start()
    world.logind.latency = 50...4_000
    world.logind.exitsWhenAsked = false
    world.logind.recover()
    world.logind.start()
    world.geoclueFails = false
    world.geoclue.failsToCreate = false
    world.geoclue.latency = 50...4_000
    world.geoclue.recover()
    world.geoclue.interval = isRegular && (rests || !chance.percent(20)) ? 1_000_000 : 30_000_000
    world.geoclue.hasCompass = false
    world.geoclue.setSource(true)
    for user in world.users {
      world.truth.set(.active, of: user)
      for action in [Truth.access, Truth.accessPrecise, Truth.accessWithoutAgent] {
        world.truth.set(nil, to: action, of: user)
      }
      world.logind.announce(user)
    }
    world.polkit.announce()
    for agent in world.agents {
      agent.start()
      agent.recover()
      agent.setLevel(.exact)
    }
    for client in world.clients {
      client.rest()
      client.start()
      client.isReading = true
      if !rests || client.number == 0 { client.settle(rests: rests) } else { client.exit() }
    }
    // The receiver has no fix during some rests.
    world.isRestBlind = rests && chance.percent(50)
    if world.isRestBlind { world.geoclue.setSource(false) }
    for user in world.users where !rests && !world.isSession && chance.percent(40) {
      chance.pick(LastingCondition.allCases).begin(for: user, in: world)
    }
  }
}
