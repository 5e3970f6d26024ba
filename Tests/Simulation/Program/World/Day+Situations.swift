// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// The situations that each quiet time contains, because random faults rarely cause them, and the checks of each.
extension Day {
  /// Returns a function that plans an action at a number of seconds before or after a moment.
  func moments(_ time: @escaping (Int64) -> Int64) -> (Double, @escaping (World) -> Void) -> Void {
    { [self] seconds, action in at(time(Int64((seconds * 1_000_000).rounded())), action) }
  }

  /// - Parameter end: The end of the quiet time.
  func planQuiet(_ round: Int, until end: Int64) {
    let before = moments { end - $0 }

    // Sometimes for longer than a minute, after which a client that has not read much is sent one location.
    let isLong = round % 8 == 7
    let staysBelowLimit = isLong && !world.seed.isMultiple(of: 2) && !world.isSession
    // Nothing changes the access of the seventh program.
    let hoarder = staysBelowLimit ? 6 : round % 6
    before(90) { $0.clients[hoarder].hoard(staysBelowLimit ? 90 : isLong ? 160 : round.isMultiple(of: 2) ? 60 : 120) }
    if staysBelowLimit { before(19) { $0.checks.sentRarely($0.clients[hoarder], since: end - 84_000_000) } }
    if !isLong { before(62) { $0.clients[hoarder].showLife() } }
    if world.isBusFaulty, round % 2 == 1 { before(12) { $0.closeGeoClueConnection() } }
    // GeoClue exits before the service has returned to the bus, and thus does not learn it.
    if world.isBusFaulty, round % 4 == 3 {
      before(34) { world in
        world.closeGeoClueConnection()
        world.geoclue.exit()
      }
    }
    before(70) { $0.clients[(round + 2) % 6].subscribeBriefly() }
    before(70) { $0.clients[(round + 3) % 6].demandMore() }
    before(isLong ? 18.5 : 55) { $0.clients[hoarder].isReading = true }
    before(isLong ? 13.5 : 50) { $0.checks.catchesUp($0.clients[hoarder]) }
    before(60) { $0.clients[(round + 1) % 6].pile() }
    before(64) { $0.clients[(round + 4) % 6].exceedLength() }
    // The first increase of access after a quiet time counts at once, however often the agent changed before.
    if round % 4 == 1, !world.isSession {
      before(58) { world in
        guard let agent = world.agents.last, agent.level == .exact, agent.isConnected, !agent.isSilent else { return }
        agent.setLevel(.none)
        world.schedule.after(500_000) {
          agent.setLevel(.exact)
          // A location arrives while the service still decides, and then none for a while.
          if world.geoclue.interval == 1_000_000 { world.geoclue.measureOften(every: 3_000, 1, accuracy: 2) }
          world.schedule.after(1_500_000) { world.checks.newest(of: agent.user, isJustPermitted: true) }
          world.checks.permitted(to: agent.user)
          for client in world.clients where client.user == agent.user && client.isReading {
            client.locateCell()
            client.locateRecently()
          }
        }
        // The location of the interval may be revealed again, so that a call need not wait for the next interval.
        world.schedule.after(3_500_000) {
          for client in world.clients where client.user == agent.user && client.isReading {
            client.locateTown(at: .neighborhood)
          }
        }
      }
    }
    if round % 8 == 1 {
      // GeoClue disallows one desktop-id. Calls without it must still be answered immediately.
      before(66.4) { $0.disallow(true) }
      before(65.9) { world in
        for client in world.clients where client.isConnected && client.isReading { client.locateAsNamed() }
      }
      before(65.8) { $0.spoilRules() }
      before(65.5) { world in
        for client in world.clients where client.isConnected && client.isReading { client.locateAsNamed() }
      }
      before(65.2) { $0.disallow(false) }
    }
    if round % 8 == 5 {
      before(95) { world in
        guard world.geoclue.hasWorkedLong else { return }
        world.geoclue.failsToCreate = true
        world.geoclue.exit()
      }
      before(88) { $0.geoclue.failsToCreate = false }
      before(61) { $0.checks.held() }
      // A drop-in disallows a program that is running, and no call makes the service read the rules.
      before(44) { world in
        for client in world.clients { client.subscribe(isPlain: true, at: .exact, isNamed: true) }
      }
      before(40) { $0.renewFolder() }
      before(39.5) { $0.disallow(true, isSilent: true) }
      before(37.5) { $0.disallow(false, isSilent: true) }
    }
    if round % 4 == 1 {
      before(94) { world in
        for client in round % 8 == 5 ? world.clients : [] { client.monitorClosely() }
      }
      before(66) { $0.geoclue.isPrecise = true }
      before(60) { $0.geoclue.coarsen(jumps: round % 8 == 1) }
      before(59) { $0.geoclue.isPrecise = false }
      before(27) { $0.checks.newest() }
      // A jump could be an exit, which delays the loss.
      if round % 8 == 5 { before(27.6) { $0.checks.lostWithoutEvidence() } }
    } else {
      // Some subscriptions end with an update that others receive, too.
      before(59) { world in
        for client in world.clients.prefix(3) where client.isReading && world.mayCreate(for: client) {
          client.subscribe(isPlain: false, at: .exact, with: Client.Thresholds(maximum: 3))
        }
      }
      before(58.5) { world in
        for client in world.clients[3..<6] where client.isReading && world.mayCreate(for: client) {
          client.subscribe(isPlain: true, at: .exact, starts: true)
        }
      }
      before(56) { world in
        if world.geoclue.rejectsOutliers { world.geoclue.measureOften(every: 500_000, 3, accuracy: 2) }
      }
      before(57) { $0.geoclue.isPrecise = true }
      before(53) { $0.geoclue.jumpAlone(isCoarse: round % 8 == 0, afterCoarse: round % 8 == 4) }
      before(52) { $0.geoclue.isPrecise = false }
      // The receiver does not know the date.
      before(46.5) { $0.geoclue.isAhead = true }
      before(42.5) { $0.geoclue.isAhead = false }
      before(47.2) { $0.checks.newest() }
      before(40) { $0.geoclue.hurry() }
      before(35) { $0.checks.newest() }
      // The turn of a client that does not read, once a minute, is lost if access is in doubt.
      if !staysBelowLimit { before(33) { $0.geoclue.hurryInDoubt() } }
      before(30.5) { $0.geoclue.removeEarly() }
      before(28) { $0.checks.newest() }
      // The same wrong place as before, which does not confirm anything.
      before(26.5) { $0.geoclue.jump() }
    }
    if !world.isSession {
      before(52) { $0.throng.insist(of: $0.users[(round / 2 + 1) % 3]) }
      before(45) { $0.throng.visit() }
      before(83) { $0.throng.forgeAgent(of: $0.users[round % 3]) }
      if round % 8 == 5 {
        before(70) { $0.throng.loseLookups() }
        before(56) { $0.throng.comeTogether() }
      }
      before(46.5) { $0.throng.comeInSandbox() }
      before(43) { $0.throng.comeBack() }
      if round % 4 == 3 { before(93) { $0.throng.listenBehindLongLists() } }
      before(38) { round % 2 == 0 ? $0.throng.comeTogether() : $0.throng.comeWhenListed() }
      before(16) { $0.throng.readAuthorization(of: $0.users[round / 2 % 3]) }
      let owner = Throng.subordinates.keys.sorted()[round / 2 % 2]
      before(98) { round % 8 == 4 ? $0.throng.share(withoutFileOf: owner) : $0.throng.share(of: owner) }
      before(49) { $0.throng.locate(for: $0.users[(round + 1) % 3]) }
      before(75) { world in
        // An agent that has changed its mind often is believed late.
        guard !world.geoclueFails, world.polkit.denied.isEmpty, !world.truth.isPolkitSilent,
          world.agents[1].changedAt < world.schedule.now - 30_000_000
        else { return }
        world.throng.press(of: world.users[0], against: world.clients[round % 6 == 1 ? 4 : 1], world.agents[1])
      }
    }
    if world.isSession { before(45) { $0.throng.forgeForeignAgent() } }
    before(88) { $0.clients[(round + 3) % 6].shortenWait() }
    if round % 8 == 3, !world.isSession {
      before(92) { $0.throng.hurry(of: $0.users[(round + 1) % 3], areLong: round % 16 == 11) }
    }
    if round % 8 == 5, !world.isSession { before(92) { $0.throng.shareOfStrangers() } }
    if round % 8 == 1, !world.isSession {
      before(92) { $0.throng.hoard(of: $0.users[(round + 1) % 3]) }
      before(71) { $0.throng.insistOnObjects() }
      before(64) { $0.throng.crowdOut() }
    }
    if round % 4 == 0 {
      planFailure(isCrash: round % 8 == 4, isInstalled: (round / 8 + Int(world.seed % 2)) % 2 == 0, until: end)
    }
    if round % 8 == 0 { planPastRecords(until: end) }
    if round % 4 == 3 { planClockChange(until: end) }
    if round % 2 == 1, world.hasLibraries {
      // A region that the library monitors is left and entered again.
      for seconds in [82, 68] as [Double] { before(seconds) { $0.move() } }
    }
    if round % 8 == 7, !staysBelowLimit, !world.isSession { before(85) { $0.geoclue.refuseForLong() } }
    if round % 8 == 3 {
      before(95.5) { world in world.agents.first { $0.manner == .announces }?.waver() }
      before(74) { $0.reduceWhileDescribed(round % 16 == 3 ? .announces : .invalidates) }
      before(33) { world in
        for client in world.clients where client.user == world.users[0] { client.monitor(isHere: true) }
      }
      before(30) { world in
        for client in world.clients where client.user == world.users[0] { client.fidget() }
      }
      // Their regions are stopped while the reports that they know nothing any more wait for their turn.
      before(25.8) { world in
        guard let agent = world.agents.first, agent.level == .exact, agent.isConnected, !agent.isSilent else { return }
        agent.setLevel(.none)
        world.schedule.after(150_000) {
          for client in world.clients where client.user == agent.user { client.stopRegions() }
        }
        world.schedule.after(400_000) { agent.setLevel(.exact) }
        // Started again, they must not report what waited, and their events have no gap.
        world.schedule.after(600_000) {
          for client in world.clients where client.user == agent.user { client.startRegions() }
        }
      }
      before(26.2) { world in
        for client in world.clients where client.user != world.users[0] { client.startInTurn() }
      }
    }
    before(30) { world in
      for client in world.clients where client.isReading { client.subscribe(isPlain: true, at: .exact, starts: false) }
    }
    // GeoClue's values are absurd.
    let defects = Fix.Defect.allCases
    before(70.5) { $0.geoclue.defect = defects[(round + round / 4 + Int($0.seed % 8)) % defects.count] }
    before(67) { $0.geoclue.defect = nil }
    before(78) { $0.misconfigure(round) }
    before(77) { $0.clients[(round + 5) % 6].askInTurn() }
    before(75.5) { $0.reload() }
    before(16.5) { $0.clients[(round + 5) % 6].mistake() }
    before(15.5) { $0.clients[(round + 2) % 6].useBounds() }
    before(51.5) { $0.clients[(round + 3) % 6].exhaustRegions() }
    if !staysBelowLimit { before(25) { $0.polkit.flood() } }
    before(24.5) { world in
      for client in world.clients { client.startAndStop() }
    }
    if !world.isSession {
      before(21.5) { world in
        let user = world.users[round % world.users.count]
        switch round % 4 {
        case 0: world.polkit.forbidBeforeStart(user)
        case 1: world.polkit.forbidBeforeAnswer(user)
        default: world.polkit.waver(about: user)
        }
      }
    }
    // Two users turn location off in the same moment.
    if round % 4 == 3, !world.isSession {
      for seconds in [23.2, 22.6] { before(seconds) { $0.turnOffTogether() } }
    }
    if round % 4 == 0, !world.isSession { before(23.3) { $0.suspendSession(of: $0.users[(round + 1) % 3]) } }
    if round % 4 == 0 {
      before(19.9) { $0.forgeAbsentLogind(by: $0.clients[(round + 1) % 6]) }
    }
    if round % 2 == 1 {
      before(50) { world in
        for client in world.clients where client.isReading { client.monitorStay() }
      }
    }
    if round % 8 == 5 { before(76) { $0.clients[(round + 4) % 6].burden() } }
    before(18) { $0.checks.properties() }
    before(16.2) { $0.clients[(round + 4) % 6].forgeAsServices() }
    before(15) { world in
      for client in world.clients { client.readObjects() }
    }
    before(13.9) { world in for agent in world.agents { agent.confirm() } }
    before(12) { $0.checks.probe() }
    before(10.3) { world in
      for client in world.clients { client.subscribeForAMoment() }
    }
    before(8) { world in
      for client in world.clients where client.isConnected { client.reconsider() }
    }
    // The list must have changed when it is read again.
    before(5.5) { world in
      for client in world.clients where client.isConnected && client.isReading { client.look() }
    }
    // The first location at another place is a jump until the next one confirms it.
    if round % 3 == 1 {
      // A stay would be reported while that jump may be the end of it.
      before(14) { world in
        for client in world.clients where client.isReading { client.monitorStay() }
      }
      // One is sent only accurate locations, the other one, while the machine is at rest, only much more accurate ones.
      before(45) { world in
        for (number, filter) in [(1, Client.Thresholds(accuracy: 8)), (2, Client.Thresholds(distance: 500))] {
          let client = world.clients[number]
          guard client.isReading, world.mayCreate(for: client) else { continue }
          client.subscribe(isPlain: false, at: .exact, with: filter)
        }
      }
      before(6.1) { world in
        for client in world.clients {
          for subscription in client.subscriptions where subscription.isStarted {
            world.checks.passed(client, subscription)
          }
        }
      }
      before(6) { world in if world.geoclue.interval == 1_000_000 { world.move() } }
    }
  }

  /// GeoClue loses its source, exits, and cannot be started for a while.
  ///
  /// - Parameter isInstalled: Whether the bus still knows how to start it.
  private func planFailure(isCrash: Bool, isInstalled: Bool, until end: Int64) {
    let before = moments { end - $0 }

    before(87) { $0.geoclue.setSource(false) }
    // It cannot be started, or exits as soon as it has been.
    before(85) { world in
      world.geoclueCrashes = isCrash
      world.isGeoClueInstalled = isCrash || isInstalled
      world.failGeoClue()
    }
    before(91) { world in
      for client in world.clients { client.subscribe(isPlain: true, at: .exact, starts: false) }
    }
    before(70) { world in
      for client in world.clients { client.startAnother() }
    }
    if !isCrash {
      before(65.1) { $0.checks.triedAgain(since: end - 70_000_000) }
      before(66) { $0.checks.failing(since: end - 85_000_000) }
      if !isInstalled {
        before(67) { world in
          for client in world.clients { client.locateWithoutGeoClue() }
        }
      }
      planUnannouncedLevel(until: end)
    }
    before(65) { world in
      (world.geoclueFails, world.isGeoClueInstalled) = (false, true)
      world.geoclue.setSource(true)
      // Another program has started it, which the service did not try for a while.
      guard !isCrash, !isInstalled else { return }
      world.geoclue.start()
      world.checks.reappears()
    }
  }

  /// While GeoClue is not running, an agent that announces its level only to GeoClue reduces it.
  private func planUnannouncedLevel(until end: Int64) {
    let before = moments { end - $0 }
    guard let agent = world.quietAgent else { return }

    before(80) { world in
      if world.geoclueFails, agent.isConnected, agent.level == .exact { agent.setLevel(.street) }
    }
    // A call of a program asks the agent again.
    before(78) { world in
      let clients = world.clients.filter { $0.user == agent.user && $0.isConnected }
      guard agent.isConnected, agent.level == .street, !agent.isSilent, clients.allSatisfy(\.isReading) else { return }
      for client in clients { client.askForAuthorization() }
    }
    before(36) { world in
      if world.geoclue.isRunning, world.geoclue.startedAt < world.schedule.now - 3_000_000 {
        world.checks.truths(of: agent.user)
      }
    }
  }

  /// During the failure, the clock is set to a time before that of the remembered locations.
  private func planPastRecords(until end: Int64) {
    let before = moments { end - $0 }

    before(94) { world in
      for client in world.clients { client.subscribe(isPlain: true, at: .city) }
    }
    before(80) { $0.setClock(60_000_000) }
    before(79) { world in
      for client in world.clients where client.isConnected { client.locateRoughly(isBestEffort: true) }
    }
    before(77) { $0.setClock(-7_200_000_000) }
    before(69) { $0.setClock(7_200_000_000) }
  }

  /// The next phase of the almanacs is near, and later, new clients come after another change of the clock.
  private func planClockChange(until end: Int64) {
    let before = moments { end - $0 }

    before(96) { world in
      guard let next = world.clients.compactMap(\.nextPhase).min() else { return }
      world.setClock((next - 4) * 1_000_000 - kernel_realtime())
    }
    before(82) { world in
      for client in world.clients { world.checks.foretold(client, since: end - 96_000_000) }
    }
    before(67) { world in
      for client in world.clients where client.isReading { client.subscribe(isPlain: true, at: .street) }
    }
    before(63) { world in
      world.setClock(30_000_000)
      for client in world.clients where client.isReading { client.subscribe(isPlain: true, at: .street) }
    }
    before(60.5) { world in
      for client in world.clients { world.checks.begun(client, since: end - 63_000_000) }
    }
  }

  func planRest(_ rest: Rest, until end: Int64) {
    let before = moments { end - $0 }
    let isRare = rest == .significant || rest == .onAnotherNetwork

    if rest != .visited {
      // Each location arrives while access is being decided again.
      before(isRare ? 400 : 310) { $0.geoclue.raisesDoubt = true }
      before(1) { $0.geoclue.raisesDoubt = false }
    }
    switch rest {
    case .significant, .onAnotherNetwork: planSignificantChanges(rest, until: end)
    case .visited:
      // The other client needs each location. The last one waits for the client that rests. Then there is no source.
      before(315) { world in
        world.clients[1].start()
        world.clients[1].subscribe(isPlain: true, at: .exact)
      }
      before(300) { world in
        world.clients[1].exit()
        world.isRestBlind = true
        world.geoclue.setSource(false)
      }
    case .failing:
      // Each attempt to use GeoClue fails. That is told once, also when another object ends the rest.
      before(180) { world in
        world.isRestBlind = true
        world.failGeoClue()
      }
      before(50) { $0.clients[0].subscribe(isPlain: true, at: .exact) }
    case .standing:
      before(300) { $0.clients[0].requireDistance(500) }
      // Another program leaves while polkit is asked about it. The access of the first one must be confirmed as before.
      before(286) { world in
        world.clients[1].start()
        world.clients[1].subscribe(isPlain: true, at: .exact)
      }
      before(280) { world in
        world.polkit.loseSubject(world.clients[1])
        world.schedule.after(500_000) { world.clients[1].exit() }
      }
      planBorder(until: end)
      // The update has been due for longer than the service waits for a source that does not answer.
      before(45) { $0.move() }
      before(25) { $0.checks.receivedAfterMove(since: end - 45_000_000) }
    case .changing:
      // GeoClue has exited, and the agent announces its level only to GeoClue.
      let agent = world.agents.first { [world] in $0.user == world.clients[0].user }
      before(145) { world in
        if agent?.manner == .announcesToGeoClue, !world.geoclue.isRunning { agent?.setLevel(.street) }
      }
      before(100) { _ in agent?.setLevel(.exact) }
      // The receiver needs time when the next location is due.
      before(150) { $0.geoclue.beginsLate = true }
      before(122) { $0.geoclue.beginsLate = false }
      // The call of another client makes the service measure. The interval of the first one has not passed, so it must
      // not receive that location, even if its interval becomes shorter after the release.
      before(120) { world in
        world.clients[1].start()
        world.clients[1].locateNow(mayBeBestEffort: false)
      }
      before(110) { $0.clients[1].exit() }
      before(92) { $0.clients[0].changeInterval(to: $0.seed.isMultiple(of: 2) ? 0 : 5_500_000) }
      before(83) { $0.checks.receivedAfterShorterInterval(since: end - 92_000_000) }
      before(82) { $0.clients[0].changeInterval(to: Client.rest) }
      // The last location is too old to answer a new start, so the service must measure. It would not try a source again
      // that had not answered since then.
      before(20) { $0.clients[0].startAgain() }
      before(3) { $0.checks.startedAgain() }
    }
    // The second call asks the source so soon after the first that the question waits until nothing needs it any more.
    for seconds in isRare ? [] : [200, 190] as [Double] { before(seconds) { $0.clients[1].callBriefly() } }
    // The second use begins while the source is kept after the first one. The source is kept from the answer on only if
    // access is not in doubt.
    if !isRare {
      before(226) { $0.geoclue.raisesDoubt = false }
      before(225) { $0.clients[1].callTwice() }
      before(215) { $0.geoclue.raisesDoubt = rest != .visited }
    }
    for seconds in stride(from: 0, to: (isRare ? Self.rareRest : Self.rest) / 1_000_000, by: 5) {
      before(Double(seconds)) { world in
        if !world.geoclue.hasActiveClient { world.checks.hasRested = true }
        if seconds.isMultiple(of: 20) { world.checks.resting() }
      }
    }
  }

  /// In the session deployment, the user turns location off while no program uses it. Returns the end.
  func planRefusal(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in world.agents.first?.setLevel(.none) }
    after(0.7) { $0.clients[1].subscribe(isPlain: true, at: .exact) }
    after(5) { world in
      world.clients[1].exit()
      world.agents.first?.setLevel(.exact)
    }
    return begin + 5_000_000
  }

  /// In the session deployment, an agent turns location off, and leaves. The next one allows everything and
  /// announces nothing. Returns the end.
  func planSuccessor(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { Self.begin($0.clients[1], in: $0) }
    after(5) { world in world.agents.first?.setLevel(.none) }
    after(8) { world in world.agents.first?.exit() }
    after(8.2) { world in world.agents.first?.setLevel(.exact) }
    after(8.4) { world in world.agents.first?.start() }
    after(16) { world in
      world.checks.truths(of: world.clients[1].user)
      world.clients[1].exit()
    }
    return begin + 17_000_000
  }

  /// A request for a client fails when the location is no longer needed. Returns the end.
  func planLateFailure(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in
      world.geoclue.failsToCreate = true
      world.geoclue.latency = 3_200_000...3_300_000
      world.clients[1].start()
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    after(0.6) { $0.clients[1].exit() }
    after(5) { world in
      world.geoclue.failsToCreate = false
      world.geoclue.latency = 50...4_000
    }
    // It must not be told of that failure.
    after(9) { world in
      world.clients[1].start()
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    after(10) { $0.clients[1].exit() }
    return begin + 10_000_000
  }

  /// The receiver is lost for some seconds, and coarser sources remain. Returns the end.
  func planReceiver(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { $0.geoclue.loseOnlyReceiver() }
    after(3) { $0.checks.receiverLost(since: begin) }
    after(10) { $0.geoclue.findReceiver() }
    after(13) { $0.checks.available(since: begin + 10_000_000) }
    return begin + 13_100_000
  }

  /// After a long suspend, an almanac needs one location, although the machine is where it was. Returns the end.
  func planAlmanac(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in
      world.clients[1].start()
      world.clients[1].forecast()
    }
    after(4) { $0.sleep(2_000_000_000, isAnnounced: true, isProbed: false) }
    after(24) { world in
      world.checks.checkAlmanacRests(world.clients[1], since: begin + 4_000_000)
      world.checks.unusedBetweenChecks(by: world.clients[1])
    }
    after(24.1) { $0.clients[1].exit() }
    // A town is recorded at once if the last one was recorded long ago.
    after(24.2) { world in
      world.clients[1].start()
      world.clients[1].subscribe(isPlain: true, at: .city)
      // With that, the source does not rest.
      world.clients[1].subscribe(isPlain: true, at: .exact)
      world.clients[1].subscribe(isPlain: false, at: .exact, every: Client.rest)
    }
    after(27) { world in
      world.move()
      // It wakes shortly before an interval in which a town may be sent.
      let length: Int64 = 1_000_000_000
      world.sleep(length + Self.rest(of: .city, in: length) - 1_000_000, isAnnounced: true, isProbed: false)
    }
    after(33) { world in
      world.checks.receivedAfterSleep(world.clients[1])
      world.checks.recorded(world.clients[1])
      world.clients[1].exit()
    }
    return begin + 33_100_000
  }

  /// The rest of a level's interval, in which reduced locations do not change, now or after some time.
  static func rest(of level: AccuracyLevel, in time: Int64 = 0) -> Int64 {
    let length = level.minimumInterval.microseconds
    return length - (kernel_boottime() + time) % length
  }

  /// The machine moves within an interval, in which the source is released to rest. Later calls must not be answered with
  /// the location from then. Returns the end.
  func planOldCell(at begin: Int64) -> Int64 {
    at(begin) { world in
      let begin = Self.rest(of: .street)
      let moment = { (time: Int64, action: @escaping () -> Void) in world.schedule.after(begin + time, action) }
      moment(100_000) {
        world.clients[1].start()
        for level in [.street, .exact] as [AccuracyLevel] { world.clients[1].subscribe(isPlain: true, at: level) }
        world.clients[2].start()
        world.clients[2].subscribe(isPlain: false, at: .exact, every: Client.rest)
      }
      moment(3_000_000) { world.move() }
      moment(7_000_000) { world.clients[1].closeSubscriptions() }
      moment(65_000_000) { world.clients[1].locateTown(at: .street) }
      moment(76_000_000) { for client in world.clients[1...2] { client.exit() } }
    }
    return begin + 86_000_000
  }

  /// A program monitors a region with locations of a town. Another one has the location of an interval repeated.
  /// Returns the end.
  func planTown(at begin: Int64) -> Int64 {
    at(begin) { world in
      let begin = Self.rest(of: .city) + 2_000_000
      let moment = { (seconds: Int64, action: @escaping () -> Void) in
        world.schedule.after(begin + seconds * 1_000_000, action)
      }
      moment(0) {
        world.clients[1].start()
        world.clients[1].monitorTown()
      }
      moment(200) { world.clients[2].callBriefly() }
      let time = world.schedule.now + begin
      moment(560) {
        world.checks.kept(world.clients[1], since: time)
        world.clients[1].exit()
      }
    }
    return begin + 870_000_000
  }

  /// A short sleep hides the town of an interval from a program that starts after it. Returns the end.
  func planHiddenTown(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in
      // It wakes shortly after the beginning of an interval.
      world.sleep(Self.rest(of: .city) + 2_000_000, isAnnounced: true, isProbed: false)
    }
    for seconds in [3, 12] as [Double] {
      after(seconds) { world in
        world.clients[1].start()
        world.clients[1].subscribe(isPlain: true, at: .city)
      }
    }
    after(8) { $0.clients[1].exit() }
    after(9) { $0.sleep(5_000_000, isAnnounced: true, isProbed: false) }
    // The only measurement is shortly before the end of the interval.
    after(12.5) { world in
      if world.seed % 4 < 2 { world.geoclue.measureOnce(in: Self.rest(of: .city) - 9_000_000, of: 306_000_000) }
    }
    after(315) { world in
      world.checks.receivedTown(world.clients[1], since: begin + 12_000_000)
      world.clients[1].exit()
    }
    return begin + 315_100_000
  }

  /// A few locations are outside a region. All later ones may be inside: they are close to its border, or clearly inside.
  private func planBorder(until end: Int64) {
    let before = moments { end - $0 }

    before(326) { world in
      world.geoclue.isPrecise = true
      world.clients[1].start()
      world.clients[1].monitorNearBorder()
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    before(296) { $0.geoclue.offset = 250 / Checks.metresPerDegree }
    before(292.5) { $0.geoclue.offset = ($0.seed.isMultiple(of: 3) ? 0 : 100) / Checks.metresPerDegree }
    before(238) { world in
      world.checks.checkInside(world.clients[1], since: end - 326_000_000)
      (world.geoclue.offset, world.geoclue.isPrecise) = (0, false)
      world.clients[1].exit()
    }
  }

  /// Between two regular checks, the service learns in one of two ways that the machine may be elsewhere.
  private func planSignificantChanges(_ rest: Rest, until end: Int64) {
    let before = moments { end - $0 }

    // The region must know its state first.
    before(420) { $0.geoclue.beginsCoarse = true }
    before(305) { $0.geoclue.beginsCoarse = false }
    before(250) { $0.geoclue.beginsCoarse = true }
    before(1) { $0.geoclue.beginsCoarse = false }
    if rest == .significant, !world.seed.isMultiple(of: 2) {
      // The machine moves soon after an update. The service measures that, must wait until five minutes have passed, and
      // releases the source meanwhile.
      before(330) { world in
        world.move()
        world.sleep(5_000_000, isAnnounced: true, isProbed: false)
      }
      before(86) { $0.checks.resumed(soonAfterUpdate: true) }
    }
    before(300) { world in
      // On another network, only the region needs locations. Otherwise the subscription does, and with even seeds also the
      // region.
      if rest == .onAnotherNetwork || world.seed.isMultiple(of: 2) { world.clients[0].monitor(isHere: true) }
      if rest == .onAnotherNetwork { world.clients[0].closeSubscriptions() }
    }
    if !world.isSession { planDialogs(until: end - 150_000_000) }
    before(150) { $0.setClock(60_000_000) }
    if rest == .onAnotherNetwork {
      // The later changes follow the first one so soon that they wait for the end of a minute.
      for seconds in [155, 115, 100] as [Double] { before(seconds) { $0.network.changeConnection() } }
      before(110) { $0.move() }
    } else {
      before(80) { world in
        world.move()
        world.sleep(20_000_000, isAnnounced: true, isProbed: false)
      }
    }
    before(45) { $0.checks.resumed() }
  }

  /// Nobody answers a dialog until the call ends. The program asks again while polkit still closes the dialog.
  private func planDialogs(until end: Int64) {
    let before = moments { end - $0 }
    let user = world.clients[1].user
    let agent = world.agents.first { $0.user == user }

    // Consent to precise access would change nothing, because the agent does not permit it.
    before(145) { world in
      agent?.setLevel(.city)
      world.truth.set(.challenge, to: Truth.accessPrecise, of: user)
      world.polkit.announce()
      world.clients[1].start()
      world.clients[1].authorize()
    }
    before(137) { $0.clients[1].authorize(isInteractive: true) }
    before(135) { world in
      world.clients[1].exit()
      agent?.setLevel(.exact)
      world.polkit.set(nil, for: user)
    }
    // The program can be named although systemd is slow. No program of the desktop shows dialogs.
    before(134.5) { world in
      world.polkit.lacking = [user]
      world.polkit.set(.challenge, for: user)
      world.systemd.latency = 200_000...200_000
      world.clients[1].start()
      world.clients[1].authorize(isInteractive: true) { reply in
        guard reply.values.first?.string?.hasPrefix("authorized") == true else { return }
        world.checks.broken("a dialog that nobody shows is no consent", reply.story)
      }
    }
    before(131) { world in
      world.clients[1].exit()
      world.polkit.set(nil, for: user)
      world.polkit.lacking = []
      world.systemd.latency = 50...4_000
    }
    before(129) { $0.clients[1].start() }
    before(128) { world in
      world.polkit.unattended = [user]
      world.polkit.set(.challenge, for: user)
    }
    before(127) { world in
      world.polkit.closesSlowly = true
      let client = world.clients[1]
      client.authorize(isInteractive: true) { reply in
        guard reply.kind == .reply else { return }
        client.authorize(isInteractive: true)
        world.schedule.after(2_000_000) {
          // A user whose session is inactive is refused without a dialog.
          let isActive = client.isConnected && world.truth.session(of: user) == .active
          if isActive { world.polkit.checkDialog(of: client) }
        }
      }
    }
    before(4) { world in
      world.clients[1].exit()
      world.polkit.closesSlowly = false
      world.polkit.unattended = []
      world.polkit.set(nil, for: user)
    }
  }

  /// A program that has been told that its user has no agent needs the location some time later. Then one comes.
  private func planLateAgent(at begin: Int64) {
    let after = moments { begin + $0 }
    let agent = world.agents.last

    after(0) { _ in agent?.exit() }
    after(1) { world in
      world.clients[2].start()
      world.clients[2].askForAuthorization()
    }
    after(5) { $0.clients[2].subscribe(isPlain: true, at: .exact) }
    after(10) { _ in agent?.start() }
    // No other call has made the service search.
    after(33) { world in
      world.checks.truths(of: world.clients[2].user)
      world.clients[2].exit()
    }
  }

  /// The only program of a user leaves and returns while logind is asked about that user. Then the session changes.
  private func planReturn(at begin: Int64) {
    let after = moments { begin + $0 }

    after(0) { world in
      world.logind.latency = 400_000...400_000
      world.clients[1].start()
      world.clients[1].locate()
    }
    after(0.3) { $0.clients[1].exit() }
    after(0.35) { world in
      world.clients[1].start()
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    after(3) { $0.logind.latency = 50...4_000 }
    after(5) { world in world.setSession(.inactive, of: world.clients[1].user) }
    after(8) { world in
      world.checks.truths(of: world.clients[1].user)
      // What polkit said while the session was inactive no longer counts, although it does not answer at once.
      world.polkit.raiseDoubt()
      world.setSession(.active, of: world.clients[1].user)
    }
    // Its agent is heard first.
    let agent = world.agents.first { [world] in $0.user == world.clients[1].user }
    after(8.05) { _ in agent?.setLevel(.street) }
    after(8.2) { world in world.checks.returned(world.clients[1]) }
    after(9) { _ in agent?.setLevel(.exact) }
    // The session is inactive only for the moment in which polkit is asked for another reason.
    after(10.6) { world in
      world.logind.latency = 10_000...10_000
      world.setSession(.inactive, of: world.clients[1].user)
      world.polkit.announce()
    }
    after(10.615) { world in world.setSession(.active, of: world.clients[1].user) }
    after(11) { $0.logind.latency = 50...4_000 }
    after(11.4) { world in world.checks.returned(world.clients[1]) }
    // polkit is asked while the session is inactive and logind does not answer for so long that it is unknown.
    after(12) { world in world.setSession(.inactive, of: world.clients[1].user) }
    after(12.5) { world in
      world.logind.latency = 600_000...600_000
      world.polkit.announce()
    }
    after(13.8) { world in
      world.setSession(.active, of: world.clients[1].user)
      world.logind.latency = 50...4_000
    }
    after(15) { world in world.checks.returned(world.clients[1]) }
    // Without a session, the user shares an account, but not after its return. Lines about it then do not count for the
    // shared limit.
    after(15.2) { world in world.setSession(.none, of: world.clients[1].user) }
    // Sometimes the program has come without it.
    if !world.seed.isMultiple(of: 2) {
      after(15.5) { $0.clients[1].exit() }
      after(15.6) { world in
        world.clients[1].start()
        world.clients[1].subscribe(isPlain: true, at: .exact)
      }
    }
    after(15.7) { $0.clients[1].locate() }
    after(16.2) { world in world.setSession(.active, of: world.clients[1].user) }
    after(16.8) { $0.throng.fillLog() }
    // More than two answers in succession are overtaken, and then all is quiet.
    after(16.9) { world in world.logind.latency = 30_000...30_000 }
    for number in 0..<Int(world.seed % 4) + 5 {
      after(16.9 + Double(number) * 0.06) { world in world.logind.announce(world.clients[1].user) }
    }
    after(18.1) { world in
      world.logind.latency = 50...4_000
      world.checks.returned(world.clients[1])
    }
    after(18.2) { world in
      world.checks.losesAccess(world.clients[1])
      agent?.setLevel(.none)
    }
    after(18.8) { world in
      world.clients[1].exit()
      world.truth.forgetSessions()
      agent?.setLevel(.exact)
    }
  }

  /// The machine moves to the east while one client needs a reduced location. Returns the end.
  private func planJourney(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(1) { world in
      world.clients[2].start()
      world.clients[2].subscribe(isPlain: true, at: .neighborhood)
    }
    after(5) { $0.moveEast(6_000) }
    after(130) { $0.checks.hasTravelled($0.clients[2], since: begin + 5_000_000) }
    after(131) { world in
      world.clients[2].exit()
      world.moveEast(0)
    }
    // The last call was long before. Then the location of the level's interval, which is not remembered, may change.
    after(260) { $0.checks.exited() }
    return begin + 262_000_000
  }

  /// All clients leave, and after a few that come briefly, the service exits. Returns the time of the next storm.
  func planDeparture(_ round: Int, at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    if round % 8 == 3, !world.isSession {
      // The clients of the user to whom that happens have no objects, but have called. A town of theirs is remembered.
      after(-15) { world in
        for client in world.clients where client.user == world.users[0] { client.subscribe(isPlain: true, at: .city) }
      }
      after(-5) { world in
        for client in world.clients where client.user == world.users[0] {
          client.exit()
          client.start()
          client.authorize()
        }
      }
      after(0) { $0.checks.turnedOff($0.users[0]) }
    }
    after(-3) { world in
      let user = world.users[0]
      guard !world.isSession, world.clients.contains(where: { $0.user == user && $0.entitlement.level == .exact })
      else { return }
      world.agents.first { $0.user == user }?.setLevel(.none)
    }
    // The agent of the session allows more while nobody watches it. Then GeoClue alone knows that it allows less.
    let isUnwatched = world.isSession && round % 8 == 3
    if isUnwatched {
      after(-3) { $0.agents.first?.setLevel(.street) }
      after(9.5) { $0.agents.first?.setLevel(.exact) }
      after(9.8) { world in
        world.clients[5].start()
        world.clients[5].subscribe(isPlain: true, at: .exact)
      }
      after(11.8) { world in
        world.checks.allowed(world.clients[5])
        world.clients[5].exit()
      }
    }
    at(begin + 1) { [self] world in
      // Without its connection, the service does not learn that they leave.
      let isUnseen = world.isBusFaulty && round % 8 == 7
      if isUnseen { world.closeServiceConnection() }
      for client in world.clients.dropFirst() { client.exit() }
      if isUnwatched || isUnseen { world.clients[0].exit() } else { world.clients[0].flap(80) }
      if isUnseen { world.schedule.after(3_800_000) { world.checks.unneeded() } }
      for library in world.libraries { library.task = .exit }
      recover()
      world.truth.forgetSessions()
    }
    // A user turns location off while none of the user's programs runs. Then one comes, and the agent is slow.
    after(0) { world in
      guard round % 8 == 7, !world.isSession, !world.isBusFaulty,
        let client = world.clients.last(where: { $0.entitlement.level == .exact && $0.user >= 1_000 }),
        let agent = world.agents.first(where: { $0.user == client.user })
      else { return }
      let usual = agent.latency
      world.schedule.after(1_100_000) {
        agent.latency = 100_000...150_000
        agent.setLevel(.none)
      }
      world.schedule.after(2_100_000) {
        client.start()
        client.subscribe(isPlain: true, at: .exact)
        client.askForAuthorization()
      }
      world.schedule.after(3_100_000) {
        client.exit()
        agent.latency = usual
        agent.setLevel(.exact)
      }
    }
    // A program comes and leaves while GeoClue is slow, so that GeoClue's answer is too late.
    after(5) { world in
      world.geoclue.latency = 3_000_000...3_500_000
      world.clients[1].callBriefly()
    }
    for index in 0..<12 { after(8 + Double(index) / 20) { $0.clients[2].callAndLeave() } }
    after(8.65) { $0.clients[3].callAtOnce() }
    after(9) { $0.geoclue.latency = 50...4_000 }
    after(14) { $0.checks.unneeded() }
    // Programs of several users connect at the same time. The service knows none of them. One who has turned location off
    // does nothing more.
    after(14.1) { world in
      for client in world.clients[..<3] where round % 8 != 3 || client.user != world.users[0] {
        client.start()
        client.askForAuthorization()
      }
    }
    after(14.9) { world in
      for client in world.clients[..<3] { client.exit() }
    }
    // The only client leaves while GeoClue cannot be started.
    after(15) { world in
      world.geoclueFails = true
      world.geoclue.exit()
      world.clients[1].start()
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    after(23) { world in
      world.clients[1].exit()
      world.geoclueFails = false
    }
    // logind does not answer, for which the call of a client that had access waits only a second.
    if !world.isSession {
      after(23.2) { world in
        world.clients[1].start()
        world.clients[1].authorize()
      }
      after(23.6) { world in
        let client = world.clients[1]
        guard world.logind.answersSoon, world.polkit.answersSoon, world.polkit.denied[client.user] == nil,
          world.truth.authorization(of: client, asking: .exact).status.hasPrefix("authorized")
        else { return }
        world.logind.hang()
        world.logind.announce(client.user)
        world.schedule.after(200_000) { client.authorize(within: 1_000_000) }
      }
      after(26.2) { $0.logind.recover() }
      after(26.5) { $0.clients[1].exit() }
    }
    // The only client is one that needs the location briefly.
    after(27) { world in
      world.clients[4].start()
      world.clients[4].forecast()
    }
    if round % 8 == 7, !world.isSession { planLateAgent(at: begin + 28_000_000) }
    after(62) { $0.checks.properties() }
    after(66) { world in if !world.isSession { world.clients.first { $0.user == 0 }?.tuneLog() } }
    after(67) { world in
      world.clients[4].exit()
      world.clients[5].start()
      world.clients[5].subscribe(isPlain: true, at: .exact)
      if round % 16 == 3 { world.clients[5].forecast() }
      world.clients[5].subscribe(isPlain: true, at: .city)
    }
    // The user's town is remembered although the country was reported after it.
    after(69) { $0.clients[5].subscribe(isPlain: true, at: .country) }
    // For a moment, a coarser level is enough.
    after(69.5) { $0.clients[5].subscribe(isPlain: true, at: .street) }
    after(70) { $0.clients[5].closeSubscriptions(at: .exact) }
    after(71.5) { $0.clients[5].subscribe(isPlain: true, at: .exact) }
    after(74.9) { $0.checks.kept(before: begin + 70_000_000, for: $0.clients[5]) }
    after(75) { $0.clients[5].exit() }
    if !world.isSession { planReturn(at: begin + 76_000_000) }
    after(97) { $0.checks.left() }
    if round % 8 != 7 {
      after(102) { world in
        let before = world.wakeUps
        world.schedule.after(20_000_000) { world.checks.hardlyWakes(since: before) }
      }
    }
    // Records that were erased before may not have been written again yet.
    if round % 8 == 3, world.seed.isMultiple(of: 2) { after(97.5) { $0.eraseRecords() } }
    // A program calls when the service has just decided to exit.
    let isLong = round % 8 != 7
    after(98) { world in
      world.clients[2].start()
      world.bus.onRelease = { [weak world] in world?.clients[2].callLate(areLastCallsLong: isLong) }
    }
    if round % 8 == 7, !world.isSession {
      // A shorter time counts for a service that is already idle. Another service follows because of the late call.
      after(100) { world in
        let service = world.serviceName
        world.setIdleTimeout(15)
        world.schedule.after(18_000_000) { if world.serviceName == service { world.checks.exited() } }
      }
      after(146) { $0.setIdleTimeout(60) }
    }
    // Sometimes the machine also sleeps while no service runs.
    if round % 8 != 7, round % 16 != 3 { after(180) { $0.sleep(5_000_000, isAnnounced: true) } }
    at(begin + 189_999_999) { world in
      world.bus.onRelease = nil
      world.checks.exited()
      world.setRemembers(round % 8 != 7)
      world.spoilRecords(round / 4 + Int(world.seed % 60))
    }
    if round % 8 == 7 { return planJourney(at: begin + 190_000_000) }
    guard round % 16 == 3 else { return begin + 190_000_000 }
    // The only use of a new service is a call for the town, for which a receiver must be used if there is nothing else.
    // Before that has measured, the user's agent may permit the town only.
    if !world.seed.isMultiple(of: 2) {
      let agent = world.agents.first { [world] in $0.user == world.clients[2].user }
      let isLimited = world.seed % 4 == 1
      after(189.9) { $0.geoclue.beginsLate = isLimited }
      after(190) { world in
        world.clients[2].start()
        world.clients[2].locateTown()
      }
      after(194) { _ in if isLimited { agent?.setLevel(.city) } }
      after(199.5) { world in if isLimited { world.checks.requestsNoMore(than: .city, for: world.clients[2]) } }
      after(200.5) { world in
        world.clients[2].exit()
        world.geoclue.beginsLate = false
        if isLimited { agent?.setLevel(.exact) }
      }
    }
    // Then its only client needs an almanac. That of a new service begins with a remembered place.
    after(206) { world in
      world.clients[5].start()
      world.clients[5].forecast()
    }
    after(250) { world in
      world.checks.renewed(world.clients[5])
      world.clients[5].exit()
    }
    return begin + 350_000_000
  }
}
