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
  static let faultsPerStorm = 42

  let world: World
  /// The numbers of the faults to use, or nil for all.
  private let kept: Set<Int>?
  private let rounds: Int
  private(set) var faultCount = 0
  private(set) var used: [Int] = []
  private var chance: Chance
  /// The shuffled conditions that are left.
  private var conditions: [LastingCondition] = []

  init(_ world: World, hours: Double, kept: Set<Int>?) {
    self.world = world
    self.kept = kept
    chance = Chance(world.seed, "faults")
    rounds = max(1, Int(hours * 3_600_000_000 / Double(Self.storm + Self.quiet)))
  }

  func begin() {
    var time = world.schedule.now + 1_000_000
    for round in 0..<rounds {
      planStorm(round, at: time)
      time += Self.storm
      let rest = rest(in: round)
      let (rests, isRare) = (rest != nil, rest == .significant || rest == .onAnotherNetwork)
      at(time) { [weak self] world in
        world.isRestRare = isRare
        self?.heal(rests: rests, isRegular: rests || round % 8 != 3)
        // The receiver has no fix during some rests.
        if rest == .significant || rest == .failing, (world.seed / 2).isMultiple(of: 2) {
          world.isRestBlind = true
          world.geoclue.setSource(false)
        }
      }
      if round % 4 == 1 {
        at(time + 2_000_000) { world in world.deny(world.users[round / 4 % world.users.count]) }
      }
      if rests {
        // Most users have no programs any more.
        at(time + 12_000_000) { world in for user in world.users { world.logind.announce(user) } }
      }
      time += !rests ? Self.quiet : isRare ? Self.rareRest : Self.rest
      if let rest { planRest(rest, until: time) } else { planQuiet(round, until: time) }
      at(time) { $0.checks.quiet(rests: rests) }
      if round % 8 == 4 { time = planRestart(at: time + 100_000) }
      if rests {
        at(time + 100_000) { $0.clients[0].exit() }
        at(time + 8_000_000) { $0.checks.unused(by: $0.clients[1]) }
        if world.isSession { time = planSuccessor(at: planRefusal(at: time + 7_500_000)) }
        time = planAlmanac(at: time + 9_000_000)
        if rest == .significant {
          time = planRecordedAlmanac(at: planSilentStart(at: time + 8_000_000))
          time = planClockSetBack(at: planCellBorder(at: time))
        }
        if round % 8 == 6 {
          time = planRefusedCaller(at: planSlowStart(at: planStays(at: time + 3_000_000)))
          time = planLevels(at: planUnknownUser(at: time))
          time = planRareMeasurement(at: planLateMeasurement(at: planSleptInterval(at: time)))
        }
        if rest == .significant {
          time = planRefusedAlmanac(at: time + 3_000_000)
          if !world.isSession {
            time = planShortRefusal(at: planTimeoutInDoubt(at: planAlmanacInDoubt(at: time)))
            time = planIdleErasure(at: planErasedTown(at: planTwoRefusals(at: time)))
            time = planMissedLocation(at: planChangesAtOnce(at: planLessDuringCall(at: time)))
            time = planMissingAgent(at: planLessWhileDescribed(at: time))
            time = planSlowBus(at: planDebtor(at: planRemovedRecord(at: planDroppedTown(at: time))))
            time = planCoarseAfterRefusal(at: time)
          }
        }
        if rest == .significant {
          if world.isSession { time = planRejections(at: planLessBeforeRelease(at: planLessAtRest(at: time))) }
          time = planHiddenTown(at: time + 3_000_000)
        }
        if rest == .onAnotherNetwork, !world.isSession {
          time = planUnheardLevel(at: planAbsentServices(at: time + 3_000_000))
          time = planMissedChange(at: planConsentInSession(at: planRefusedUpgrade(at: time)))
          time = planDroppedChanges(at: planOwnAgent(at: planLostCalls(at: planLongList(at: time))))
        }
        if rest == .onAnotherNetwork { time = planTown(at: planOldCell(at: planLateFailure(at: time + 3_000_000))) }
      }
      if round % 8 == 5 { time = planReceiver(at: time + 100_000) }
      if round % 8 == 1, !world.isSession {
        at(time + 100_000) { $0.polkit.restartWhileAsked() }
        at(time + 2_000_000) { world in for agent in world.agents { agent.confirm() } }
        time += 4_000_000
      }
      guard round % 4 == 3 || round == rounds - 1 else { continue }
      time = planDeparture(round, at: time)
    }
    at(time) { $0.end() }
  }

  /// What happens while one client rests.
  enum Rest {
    /// It needs significant changes. The machine sleeps, and wakes elsewhere.
    case significant
    /// The same, but the machine connects to another network elsewhere.
    case onAnotherNetwork
    /// Another client comes for a while.
    case visited
    /// GeoClue cannot be started.
    case failing
    /// The client needs more for a moment, and later starts again.
    case changing
    /// An update is due, but the machine moves by the distance threshold only later.
    case standing
  }

  private func rest(in round: Int) -> Rest? {
    guard round % 4 == 2 else { return nil }
    guard round % 8 == 6 else { return round % 16 == 2 ? .significant : .onAnotherNetwork }
    return [.visited, .failing, .changing, .standing][(Int(world.seed % 4) + round / 8) % 4]
  }

  func at(_ time: Int64, _ action: @escaping (World) -> Void) {
    world.schedule.at(time) { [world] in action(world) }
  }

  private func planStorm(_ round: Int, at begin: Int64) {
    at(begin) { [weak self] _ in self?.beginStorm() }
    // The almanacs of this storm may be from the other place.
    if round % 4 == 3 { at(begin + 12_000_000) { $0.move() } }
    // More calls than a program may make at once, after it has made few.
    if round % 4 == 1 { at(begin + 3_000_000) { $0.clients[(round + 2) % 6].flood(420, areShort: true) } }
    if round % 4 == 2 { at(begin + 92_000_000) { $0.clients[round / 4 % 6].callWithoutReading() } }
    if world.hasLibraries, !world.isBusFaulty, round % 4 == 1 {
      planOutage(isLong: round % 8 == 1, at: begin + 20_000_000)
    }
    if world.isBusFaulty, round % 4 == 1 { at(begin + 100_000_000) { $0.closeEntrances() } }
    if round.isMultiple(of: 4) { planSlowRestart(at: begin + 60_000_000) }
    if world.isBusFaulty, round.isMultiple(of: 4) { planStalledBus(isLong: round % 8 == 0, at: begin + 60_000_000) }
    let faults = Fault.plan(
      &chance, in: world, from: begin, to: begin + Self.storm, first: round * Self.faultsPerStorm,
      count: Self.faultsPerStorm)
    for fault in faults where kept?.contains(fault.number) ?? true {
      faultCount += 1
      at(fault.time) { fault.begin(in: $0) }
      at(min(fault.time + fault.duration, begin + Self.storm)) { fault.end(in: $0) }
    }
  }

  /// A program that knows the state of a region has no service, sometimes for so long that it no longer knows it.
  private func planOutage(isLong: Bool, at begin: Int64) {
    at(begin) { world in
      for case let program as SourceProgram in world.libraries { program.task = .follow }
    }
    at(begin + 50_000_000) { $0.stopService(for: isLong ? 50_000_000 : 20_000_000) }
    // It has crossed the border when the service returns.
    if !isLong { at(begin + 60_000_000) { $0.move() } }
    at(begin + 101_000_000) { world in
      for case let program as SourceProgram in world.libraries { program.task = .act }
    }
  }

  /// The service restarts while nothing else happens, and decides late. The programs of its client library learn nothing.
  /// Then it does not start for so long that they no longer know the state of a region. Returns the end.
  private func planRestart(at begin: Int64) -> Int64 {
    guard world.hasLibraries, !world.isBusFaulty else { return begin }
    at(begin) { world in
      world.polkit.latency = 11_000_000...11_000_000
      world.stopService()
    }
    at(begin + 14_000_000) { $0.polkit.latency = 50...4_000 }
    // Longer than the library keeps the state of a region.
    at(begin + 50_000_000) { $0.stopService(for: 50_000_000) }
    return begin + 110_000_000
  }

  /// The service stops, and is slow to start again. Meanwhile objects end that a program has called to create again.
  private func planSlowRestart(at begin: Int64) {
    guard world.libraries.contains(where: { $0 is AlmanacProgram }), !world.isBusFaulty else { return }
    at(begin) { world in
      for case let program as AlmanacProgram in world.libraries { program.isBriefDue = true }
    }
    at(begin + 2_000_000) { $0.stopService(delay: 8_000_000) }
  }

  /// The bus reads nothing from the service while locations arrive quickly for very many objects.
  ///
  /// - Parameter isLong: Whether it does so for so long that the service leaves the connection.
  func planStalledBus(isLong: Bool, at begin: Int64) {
    at(begin) { world in
      for client in world.clients { client.createManyObjects() }
    }
    if !isLong {
      at(begin + 2_950_000) { world in
        for client in world.clients where client.isReading { client.locatePrecisely() }
      }
      at(begin + 3_650_000) { $0.geoclue.measureOften(every: 1_000, 1, accuracy: 2) }
    }
    at(begin + 3_000_000) { $0.stallBus(hangs: false) }
    guard isLong else {
      // Before the service leaves this connection, the bus reads again.
      at(begin + 3_000_100) { world in
        if world.geoclue.hasActiveClient { world.geoclue.measureOften(every: 2_000, 900, accuracy: 5) }
      }
      return at(begin + 4_300_000) { $0.resumeBusSlowly() }
    }
    at(begin + 4_000_000) { world in
      if world.geoclue.hasActiveClient { world.geoclue.measureOften(every: 100_000, 90, accuracy: 5) }
    }
    at(begin + 13_900_000) { $0.checkConnection() }
    at(begin + 14_000_000) { $0.resumeBus() }
  }

  /// Ends the silence of programs that hang.
  func recover() {
    for agent in world.agents + world.seconds { agent.recover() }
    world.polkit.recover()
    world.truth.isPolkitSilent = false
  }

  private func beginStorm() {
    world.tell("STORM")
    world.healedAt = nil
    for user in world.polkit.denied.keys.sorted() { world.permit(user) }
    for agent in world.agents { agent.rejects = false }
    recover()
    for client in world.clients {
      client.start()
      client.act()
    }
    for library in world.libraries { library.task = .act }
    world.schedule.after(70_000_000) { [world] in
      for case let program as AlmanacProgram in world.libraries { program.isAbandonDue = true }
    }
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
    // They ask again after an administrator has had all records erased.
    if chance.percent(50) {
      let isErased = chance.percent(50)
      world.schedule.after(4_000_000) { [world] in isErased ? world.eraseRecords() : world.forgetRecords() }
      world.schedule.after(5_500_000) { [world] in
        for client in world.clients where client.isConnected { client.locateRoughly() }
      }
    }
    world.schedule.after(7_900_000) { [world] in world.checks.sourceless() }
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
    for library in world.libraries { library.task = rests ? .exit : .follow }
    (world.polkitFails, world.systemd.knowsNothing) = (false, false)
    (world.polkit.change, world.logind.change) = (nil, nil)
    world.disallow(false)
    for user in world.polkit.denied.keys.sorted() { world.permit(user) }
    for agent in world.seconds { agent.exit() }
    world.polkit.latency = 50...4_000
    world.polkit.temporaryFor = []
    (world.polkit.unattended, world.polkit.refusing) = ([], [])
    world.polkit.closesSlowly = false
    world.polkit.recover()
    world.polkit.start()
    world.logind.latency = 50...4_000
    world.logind.exitsWhenAsked = false
    world.logind.recover()
    world.logind.start()
    world.startServiceAgain()
    (world.geoclueFails, world.geoclueCrashes, world.isGeoClueInstalled) = (false, false, true)
    world.geoclue.failsToCreate = false
    world.geoclue.latency = 50...4_000
    world.geoclue.recover()
    world.geoclue.interval = isRegular && (rests || !chance.percent(20)) ? 1_000_000 : 30_000_000
    world.geoclue.hasCompass = world.geoclue.isStatic
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
    world.isRestBlind = false
    for user in world.users where !rests && chance.percent(60) {
      if conditions.isEmpty {
        let all = world.isSession ? LastingCondition.ofSession : LastingCondition.all
        conditions = all.shuffled(using: &chance)
      }
      conditions.removeLast().begin(for: user, in: world)
    }
  }
}
