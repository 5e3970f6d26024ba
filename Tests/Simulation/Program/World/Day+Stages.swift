// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistSimulatedKernel

/// Situations between a rest and the next storm, with few clients and nothing else.
extension Day {
  /// Ends what the rest has done to GeoClue.
  static func repairGeoClue(in world: World) {
    (world.isRestBlind, world.geoclueFails) = (false, false)
    world.geoclue.setSource(true)
  }

  /// Has a client come and follow the locations of a GeoClue that works.
  static func begin(_ client: Client, at levels: [AccuracyLevel] = [.exact], in world: World) {
    repairGeoClue(in: world)
    client.start()
    for level in levels { client.subscribe(isPlain: true, at: level) }
  }

  /// A client whose user's agent announces each change of its level.
  var announced: (Client, Agent)? { client(whoseAgent: .announces) }

  func client(whoseAgent manner: Agent.Manner) -> (Client, Agent)? {
    world.clients.dropFirst().lazy.compactMap { [world] client in
      world.agents.first { $0.user == client.user && $0.manner == manner }.map { (client, $0) }
    }.first
  }

  /// A client is told of two stays at a place. Returns the end.
  func planStays(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in
      Self.repairGeoClue(in: world)
      world.clients[1].start()
      world.clients[1].monitorStay()
      // Without locations, the service would look only minutes later.
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    after(22) { $0.move() }
    after(33) { $0.move() }
    after(58) { world in
      world.checks.stayed(world.clients[1], since: begin)
      world.clients[1].exit()
    }
    return begin + 66_000_000
  }

  /// GeoClue starts a client only after the service has given it up. Returns the end.
  func planSlowStart(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in
      world.geoclue.startTime = 10_000_000
      world.clients[1].start()
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    after(13) { world in
      world.geoclue.startTime = nil
      world.clients[1].exit()
    }
    after(22) { $0.checks.unneeded() }
    return begin + 23_000_000
  }

  /// A town can be found only with a receiver, and later also without. Another client needs more for a moment. Then a town
  /// can be found only with a receiver again, until no agent permits that. Returns the end.
  func planLevels(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let usual = world.geoclue.hasCoarse
    let (client, agent) = announced ?? (world.clients[1], nil)
    let other = world.clients.first { $0.number > 0 && $0 !== client && $0.user == client.user }

    after(0) { world in
      world.geoclue.hasCoarse = false
      Self.begin(client, at: [.street], in: world)
    }
    after(5) { _ in client.exit() }
    // Another interval has begun, and GeoClue has not exited.
    after(20) { world in
      world.geoclue.hasCoarse = true
      Self.begin(client, at: [.street], in: world)
    }
    after(21.5) { $0.checks.requestsNoMoreThanNeeded(.street) }
    after(24) { _ in
      other?.start()
      other?.subscribe(isPlain: true, at: .exact)
    }
    after(28) { _ in other?.exit() }
    after(36) { world in
      // The location of the network address is always that of a receiver.
      if !world.geoclue.isStatic { world.checks.requestsNoMoreThanNeeded(.street) }
      client.exit()
      world.geoclue.hasCoarse = false
    }
    // A program of a user whose agent permits more has called, and needs nothing any more.
    let idle = world.clients.first { $0.number > 0 && $0.user >= 1_000 && $0.user != client.user }
    after(44) { world in
      Self.begin(client, at: [.street], in: world)
      idle?.start()
      idle?.locateKnown()
    }
    after(56) { _ in agent?.setLevel(.street) }
    after(64) { world in
      // In a session, GeoClue itself obeys the agent.
      if agent != nil, !world.isSession { world.checks.requestsNoMoreThanNeeded(.street) }
      agent?.setLevel(.exact)
      client.exit()
      idle?.exit()
      world.geoclue.hasCoarse = usual
    }
    return planNeedWhileStarting(at: begin + 72_000_000)
  }

  /// More is needed while GeoClue is starting the client for one that needs less. Returns the end.
  private func planNeedWhileStarting(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    let (client, agent) = announced ?? (world.clients[1], nil)

    after(0) { world in
      world.geoclue.startTime = 3_000_000
      Self.begin(client, at: [.street], in: world)
    }
    after(2) { _ in client.subscribe(isPlain: true, at: .exact) }
    after(12) { world in
      world.checks.requestsAsMuchAsNeeded(.exact, for: client)
      world.geoclue.startTime = nil
      client.exit()
      agent?.confirm()
    }
    return begin + 18_000_000
  }

  /// logind exits when it is asked, and then polkit. Neither returns before it is called. Returns the end.
  func planAbsentServices(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, _) = announced else { return begin }

    after(0) { _ in
      client.start()
      client.subscribe(isPlain: true, at: .exact)
    }
    after(6) { world in
      world.logind.exitsWhenAsked = true
      world.logind.announce(client.user)
    }
    after(16) { world in
      world.checks.truths(of: client.user)
      world.logind.exitsWhenAsked = false
      world.logind.start()
    }
    after(20) { $0.polkit.exit() }
    after(24) { _ in client.askForAuthorization() }
    after(34) { world in
      world.checks.truths(of: client.user)
      world.polkit.start()
    }
    after(36) { _ in client.exit() }
    return begin + 44_000_000
  }

  /// A user who may have approximate locations refuses a dialog for more. Returns the end.
  func planRefusedUpgrade(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, _) = announced else { return begin }

    after(0) { world in
      world.truth.set(.challenge, to: Truth.accessPrecise, of: client.user)
      world.polkit.announce()
      world.polkit.refusing = [client.user]
      client.start()
      client.authorize()
    }
    after(4) { _ in client.refuseMore() }
    after(14) { world in
      client.exit()
      world.polkit.refusing = []
      world.polkit.set(nil, for: client.user)
    }
    return begin + 22_000_000
  }

  /// A user agrees in a dialog. The session is inactive for a while in which the program needs nothing. Returns the end.
  func planConsentInSession(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, _) = announced else { return begin }

    after(0) { world in
      world.polkit.set(.challenge, for: client.user)
      client.start()
    }
    after(3) { _ in client.agree() }
    after(10) { $0.setSession(.inactive, of: client.user) }
    after(13) { $0.truth.endConsents(of: client.user) }
    after(16) { $0.setSession(.active, of: client.user) }
    after(22) { _ in client.askForAuthorization() }
    after(26) { world in
      client.exit()
      world.polkit.set(nil, for: client.user)
    }
    return begin + 34_000_000
  }

  /// The bus closes the service's connection. Before it has returned, polkit forbids everything. Returns the end.
  func planMissedChange(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard world.isBusFaulty, let (client, _) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(6) { world in
      world.closeServiceConnection()
      world.polkit.set(.no, for: client.user)
    }
    after(10) { world in
      world.checks.truths(of: client.user)
      client.exit()
      world.polkit.set(nil, for: client.user)
    }
    return begin + 18_000_000
  }

  /// The bus drops an agent's announcement that location is off, and then logind's that the user's session is no longer
  /// active. Returns the end.
  func planDroppedChanges(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(6) { _ in if agent.isKnown { agent.setLevel(.none, isLost: true) } }
    after(41) { world in
      world.checks.learned(client, agent.assumed == agent.level)
      agent.setLevel(.exact)
    }
    // polkit's rules still permit everything.
    after(62) { world in
      world.polkit.remote = [client.user]
      world.setSession(.inactive, of: client.user, isLost: true)
    }
    after(97) { world in
      world.checks.learned(client, !world.truth.isUnheard(client.user))
      client.exit()
      world.setSession(.active, of: client.user)
      world.polkit.remote = []
    }
    return begin + 105_000_000
  }

  /// For a while, GeoClue's configuration does not list the agent of a user. Later the agent exits when the service
  /// asks it again. Returns the end.
  func planMissingAgent(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(6) { $0.acceptAgents(false) }
    after(10) { world in
      world.checks.truths(of: client.user)
      world.acceptAgents(true)
    }
    // A level is confirmed every 30 s, although nothing may have changed it.
    after(18) { _ in agent.exitsWhenAsked = true }
    after(55) { world in
      world.checks.truths(of: client.user)
      client.exit()
      agent.exitsWhenAsked = false
      agent.start()
    }
    return begin + 62_000_000
  }

  /// The agent of the session allows less while the source rests, so that only its announcement tells that. Returns the
  /// end.
  func planLessAtRest(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { world in
      Self.repairGeoClue(in: world)
      client.start()
      client.subscribe(isPlain: false, at: .exact, every: 75_000_000)
    }
    // The service knows an agent that has announced a change.
    after(4) { _ in agent.setLevel(.street) }
    after(6) { _ in agent.setLevel(.exact) }
    after(26) { _ in if agent.isKnown { agent.setLevel(.city) } }
    after(31) { world in
      world.checks.truths(of: client.user)
      client.exit()
      agent.setLevel(.exact)
    }
    return begin + 38_000_000
  }

  /// The agent of the session allows less just before the source is released. Then a call would accept a location from
  /// before. Returns the end.
  func planLessBeforeRelease(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(4) { _ in agent.setLevel(.street) }
    after(6) { _ in agent.setLevel(.exact) }
    after(12) { _ in if agent.isKnown { agent.setLevel(.city) } }
    after(12.5) { _ in client.exit() }
    after(16) { _ in
      client.start()
      client.locateRecently()
    }
    after(22) { _ in
      client.exit()
      agent.setLevel(.exact)
    }
    return begin + 28_000_000
  }

  /// The agent of the session rejects the service several times, each time only for a moment. Then GeoClue starts the
  /// next client slowly. Returns the end.
  func planRejections(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    for number in 0..<4 {
      let time = 6 + Double(number) * 9
      // It is asked when GeoClue starts another client.
      after(time) { world in
        agent.rejects = true
        world.sleep(2_000_000, isAnnounced: true, isProbed: false)
      }
      after(time + 1.4) { _ in agent.rejects = false }
      after(time + 7) { $0.checks.acceptedAgain(client) }
    }
    after(42) { world in
      world.geoclue.startTime = 3_000_000
      world.sleep(2_000_000, isAnnounced: true, isProbed: false)
    }
    after(50) { world in
      world.geoclue.startTime = nil
      client.exit()
    }
    return begin + 58_000_000
  }

  /// The agent of a user who rests allows less, of which only GeoClue hears, once it runs again. Returns the end.
  func planUnheardLevel(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = self.client(whoseAgent: .announcesToGeoClue),
      let other = world.clients.first(where: { $0.user != client.user })
    else { return begin }

    after(0) { world in
      Self.repairGeoClue(in: world)
      client.start()
      client.subscribe(isPlain: false, at: .exact, every: 75_000_000)
    }
    after(15) { $0.geoclue.exit() }
    after(17) { _ in agent.setLevel(.city) }
    after(20) { _ in
      other.start()
      other.subscribe(isPlain: true, at: .exact)
    }
    after(90) { _ in
      client.exit()
      other.exit()
      agent.setLevel(.exact)
    }
    return begin + 98_000_000
  }

  /// A user turns location off for longer than a town may stay the same. An almanac begins again when access returns.
  /// Returns the end.
  func planRefusedAlmanac(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }
    let off = Double(AccuracyLevel.city.minimumInterval.microseconds / 1_000_000) + 20

    var hadAlmanac = false
    after(0) { world in
      Self.repairGeoClue(in: world)
      client.start()
      client.forecast()
    }
    after(8) { _ in
      hadAlmanac = client.almanac != nil
      agent.setLevel(.none)
    }
    after(8 + off) { _ in agent.setLevel(.exact) }
    after(28 + off) { world in
      if hadAlmanac { world.checks.hasAlmanacAgain(client, since: begin + Int64(off + 8) * 1_000_000) }
      client.exit()
    }
    return begin + Int64(off + 36) * 1_000_000
  }

  /// A user turns location off twice within the time for which a record is not written. Then nothing is remembered.
  /// Returns the end.
  func planTwoRefusals(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, at: [.city, .exact], in: $0) }
    after(8) { _ in agent.setLevel(.none) }
    after(20) { _ in agent.setLevel(.exact) }
    after(30) { _ in agent.setLevel(.none) }
    after(30.5) { $0.geoclue.setSource(false) }
    after(42) { _ in agent.setLevel(.exact) }
    after(44) { _ in client.locateErased() }
    after(47) { world in
      client.exit()
      world.geoclue.setSource(true)
    }
    return begin + 55_000_000
  }

  /// The only agent of a user is the program that uses the location, for which it does not count. Returns the end.
  func planOwnAgent(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced, !client.poses, !client.isSandboxed else { return begin }

    after(0) { world in
      agent.exit()
      client.poses = true
      Self.begin(client, in: world)
    }
    after(20) { _ in client.exit() }
    after(21) { _ in
      client.poses = false
      client.start()
      client.locateKnown()
    }
    // Nobody needs an agent for a while.
    after(75) { _ in
      client.exit()
      agent.start()
    }
    return begin + 82_000_000
  }

  /// systemd's list of a user's processes is too long for the bus when a program in a sandbox comes. Returns the end.
  func planLongList(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let client = world.clients.first(where: \.isSandboxed) else { return begin }

    after(0) { world in
      world.systemd.longLists = [client.user]
      client.exit()
      client.start()
      client.locateKnown()
      client.subscribe(isPlain: true, at: .exact)
    }
    after(8) { world in
      client.exit()
      world.systemd.longLists = []
    }
    return begin + 12_000_000
  }

  /// A user turns location off and on. The town of the same interval, which programs may still have, is not remembered.
  /// Returns the end.
  func planErasedTown(at begin: Int64) -> Int64 {
    guard let (client, agent) = announced else { return begin }
    at(begin) { world in
      let begin = Self.rest(of: .city, in: 20_000_000) + 20_000_000
      let moment = { (time: Int64, action: @escaping () -> Void) in world.schedule.after(begin + time, action) }
      moment(0) { Self.begin(client, at: [.city, .exact], in: world) }
      var erasedAt: Int64 = 0
      moment(8_000_000) {
        erasedAt = kernel_realtime() / 1_000_000
        agent.setLevel(.none)
      }
      moment(14_000_000) { agent.setLevel(.exact) }
      // The town may be told once any location has arrived.
      moment(14_002_000) { client.locateTown() }
      moment(18_000_000) { world.geoclue.setSource(false) }
      // Other copies from before a suspend are not used.
      moment(19_000_000) { world.sleep(600_000_000, isAnnounced: true, isProbed: false) }
      moment(23_000_000) { client.locateErased(at: erasedAt) }
      moment(26_000_000) {
        client.exit()
        world.geoclue.setSource(true)
      }
    }
    return begin + AccuracyLevel.city.minimumInterval.microseconds + 55_000_000
  }

  /// A user turns location off when the only program that has received a town needs none any more. Returns the end.
  func planIdleErasure(at begin: Int64) -> Int64 {
    guard let (client, agent) = announced else { return begin }
    let after = moments { begin + $0 }
    var record: [Substring]?

    after(0) { Self.begin(client, at: [.city], in: $0) }
    after(6) { _ in client.closeSubscriptions() }
    after(8) { world in
      record = world.record(of: client.user)
      agent.setLevel(.none)
    }
    after(12) { world in
      world.checks.erased(record, of: client)
      agent.setLevel(.exact)
      client.exit()
    }
    return begin + 14_000_000
  }

  /// polkit withdraws what it permits, and takes its time to say so. Meanwhile the clock is set, so that an almanac
  /// changes. Returns the end.
  func planAlmanacInDoubt(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in
      Self.repairGeoClue(in: world)
      world.clients[1].start()
      world.clients[1].forecast()
    }
    after(8) { world in
      world.polkit.latency = 900_000...900_000
      world.polkit.set(.no, for: world.clients[1].user)
    }
    after(8.2) { $0.setClock(30_000_000_000) }
    after(12) { world in
      world.polkit.latency = 50...4_000
      world.polkit.set(nil, for: world.clients[1].user)
      world.setClock(-30_000_000_000)
    }
    after(16) { $0.clients[1].exit() }
    return begin + 24_000_000
  }

  /// A user's agent does not permit locations for so short a time that it is not reported. A call that comes meanwhile
  /// must be answered. Returns the end.
  func planShortRefusal(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, agent) = announced else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(8) { $0.geoclue.measureOnce(in: 5_900_000, of: 6_000_000) }
    // At the end, the only location is too old.
    after(9.2) { _ in client.locateAtBest(within: 4_000, maximumAge: 2_000) }
    after(10) { _ in agent.setLevel(.none) }
    after(10.01) { _ in client.locateKnown() }
    after(10.03) { _ in agent.setLevel(.exact) }
    // The same without a refusal.
    after(16) { $0.geoclue.measureOnce(in: 9_900_000, of: 10_000_000) }
    after(16.5) { _ in client.locateAtBest(within: 2_500, maximumAge: 2_000) }
    after(22) { _ in client.exit() }
    return begin + 30_000_000
  }

  /// A user turns location off for a moment, while another one uses it. A program that has only called, and calls again,
  /// must not receive the location of that moment, and neither must a new program of the user. Returns the end.
  func planRefusedCaller(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (caller, agent) = announced else { return begin }
    let other = world.clients.first { $0.user != caller.user && $0.number > 0 }

    after(0) { Self.begin(caller, beside: other, in: $0) }
    after(6) { _ in caller.locateRecently() }
    after(7) { _ in agent.setLevel(.none) }
    after(8.6) { world in
      agent.setLevel(.exact)
      world.geoclue.measureOnce(in: 3_900_000, of: 4_000_000)
    }
    let new = companion(of: caller)
    after(9.5) { _ in new?.start() }
    after(10) { _ in
      for client in [caller, new] { client?.locateAfterRefusal(until: begin + 8_600_000) }
    }
    after(13) { _ in
      for client in [caller, new, other] { client?.exit() }
    }
    return begin + 21_000_000
  }

  /// A user turns location off for a moment, in which the last accurate location arrives. The next one is coarser, and
  /// must answer calls for a town, and at a level whose interval has just begun. It is sent when the accurate one is old.
  /// Returns the end.
  func planCoarseAfterRefusal(at begin: Int64) -> Int64 {
    guard let (caller, agent) = announced else { return begin }
    let other = world.clients.first { $0.user != caller.user && $0.number > 0 }

    at(begin) { world in
      // An interval that has begun before a sleep has no location.
      let rest = 60_000_000 + Self.rest(of: .neighborhood, in: 71_000_000)
      let after = { (seconds: Double, action: @escaping () -> Void) in
        world.schedule.after(rest + Int64(seconds * 1_000_000), action)
      }
      after(0) { Self.begin(caller, beside: other, in: world) }
      after(6) { caller.locateRecently() }
      after(7) { agent.setLevel(.none) }
      after(8.6) {
        caller.locateRecently()
        world.geoclue.measureOnce(in: 5_000_000, of: 34_000_000, accuracy: 3_000)
      }
      after(8.7) { agent.setLevel(.exact) }
      after(11.5) {
        for level in [.city, .neighborhood] as [AccuracyLevel] { caller.locateTown(at: level, within: 20_000) }
      }
      after(40) { if let other { world.checks.receivedHeldBack(other) } }
      after(42) { for client in [caller, other] { client?.exit() } }
    }
    return begin + 169_000_000
  }

  /// A client comes that only calls, and another one that uses the location.
  private static func begin(_ caller: Client, beside other: Client?, in world: World) {
    repairGeoClue(in: world)
    caller.start()
    other?.start()
    other?.subscribe(isPlain: true, at: .exact)
  }

  /// Another ordinary program of a client's user.
  private func companion(of client: Client) -> Client? {
    world.clients.first { $0.number > 0 && $0 !== client && $0.user == client.user && !$0.isSandboxed && !$0.poses }
  }

  /// A user's new program may have the location that another one could have received. It must not have one from while the
  /// user had no program. Returns the end.
  func planUnknownUser(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }
    guard let (client, _) = announced, let new = companion(of: client),
      let other = world.clients.first(where: { $0.number > 0 && $0.user != client.user && $0.user > 0 })
    else { return begin }

    after(0) { Self.begin(client, in: $0) }
    after(6) { _ in client.closeSubscriptions() }
    after(38) { _ in new.start() }
    after(39) { _ in new.locateOld(knownFrom: begin + 2_000_000, isKnown: true) }
    after(41) { world in
      for client in [client, new] { client.exit() }
      Self.begin(other, in: world)
    }
    after(46) { _ in other.exit() }
    after(79) { _ in new.start() }
    after(80) { _ in new.locateOld(knownFrom: begin + 41_500_000, isKnown: false) }
    after(82) { _ in new.exit() }
    return begin + 90_000_000
  }

  /// polkit withdraws what it permits, and takes its time to say so. Meanwhile the best location of a call would be due.
  /// Returns the end.
  func planTimeoutInDoubt(at begin: Int64) -> Int64 {
    let after = moments { begin + $0 }

    after(0) { world in
      world.clients[1].start()
      world.clients[1].subscribe(isPlain: true, at: .exact)
    }
    after(5) { $0.clients[1].locateAtBest(within: 2_000) }
    after(6.4) { world in
      world.polkit.latency = 1_200_000...1_200_000
      world.polkit.set(.no, for: world.clients[1].user)
    }
    after(6.6) { $0.clients[1].readDuringChange() }
    after(10) { world in
      world.polkit.latency = 50...4_000
      world.polkit.set(nil, for: world.clients[1].user)
    }
    after(12) { $0.clients[1].exit() }
    return begin + 20_000_000
  }
}
