// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// A condition that limits or extends one user's access during a whole quiet time. At its end, the service must have
/// reported it.
enum LastingCondition: CaseIterable {
  case agentOff, agentAllowsCountry, agentAllowsCity, agentAllowsStreet, agentAbsent, agentLate, agentSilent,
    agentSlowOnce, secondAgent, polkitSilent, logindLost
  case sessionInactive, sessionEnded
  case policyReduces, policyAsks, policyAsksInVain, consentExpires, policyDenies, policyGrantsAlways
  /// Only in the session deployment.
  case agentReplaced, agentReturns, agentRejects

  /// Dialogs have the most situations.
  static let all =
    allCases.filter { ![.agentReplaced, .agentReturns, .agentRejects].contains($0) } + [.policyAsks, .policyAsks]
  static let ofSession = [agentOff, agentAbsent, agentReplaced, agentReturns, agentReturns, agentRejects]

  func begin(for user: UInt32, in world: World) {
    world.tell("LASTING: \(self) (\(user))")
    let agent = world.agents.first { $0.user == user }
    switch self {
    case .agentOff where world.isSession:
      // GeoClue limits what a service receives that has not found the agent yet. It finds one that announces a change.
      world.schedule.after(1_000_000) { agent?.setLevel(.street) }
      world.schedule.after(3_000_000) { agent?.setLevel(.exact) }
      world.schedule.after(5_000_000) { if agent?.isKnown == true { agent?.setLevel(.none) } }
      world.schedule.after(20_000_000) {
        // What only GeoClue has told may have changed.
        let isAnnounced = agent?.level == AccuracyLevel.none && agent?.manner != .invalidates
        if isAnnounced { world.checks.refusedUntil = world.schedule.now + 15_000_000 }
        world.geoclue.exit()
      }
      // Another program starts it.
      world.schedule.after(25_000_000) { world.geoclue.start() }
      guard world.seed.isMultiple(of: 4) else { return }
      // It permits location again while GeoClue is slow.
      world.schedule.after(50_000_000) {
        world.geoclue.latency = 1_500_000...1_500_000
        agent?.setLevel(.exact)
      }
      world.schedule.after(51_000_000) { world.checks.permitsAgain(agent) }
      world.schedule.after(52_000_000) { world.geoclue.latency = 50...4_000 }
    case .agentOff: agent?.setLevel(.none)
    case .agentReplaced:
      // The next agent announces nothing.
      world.schedule.after(5_000_000) { if agent?.isKnown == true { agent?.setLevel(.street) } }
      world.schedule.after(15_000_000) {
        agent?.exit()
        agent?.setLevel(.exact)
        agent?.start()
      }
    case .agentReturns:
      // It has announced nothing to GeoClue's present client.
      world.schedule.after(20_000_000) {
        agent?.exit()
        world.checks.replaced(since: world.schedule.now)
      }
      world.schedule.after(20_500_000) { agent?.start() }
    case .agentRejects:
      // It is asked when GeoClue starts a client for the service again.
      world.schedule.after(5_000_000) {
        agent?.rejects = true
        world.geoclue.exit()
      }
    case .agentAllowsCity:
      // What a client was told of a wide region before contains a finer location.
      let client = world.clients.first { $0.user == user && $0.isConnected && !$0.isSandboxed }
      client?.monitor(isWide: true)
      // The machine crosses a border 9 s before the reduction. The exact locations until then must not confirm that.
      client?.monitorBorder()
      world.schedule.after(31_000_000) {
        // The machine may have moved for another user.
        guard world.geoclue.interval == 1_000_000, world.movedAt < world.schedule.now - 1_000_000 else { return }
        world.move()
      }
      // A stay that is due after the reduction began with an exact location, which is still the newest evidence if a
      // town of the same interval is known.
      world.schedule.after(34_000_000) {
        client?.monitorStay(isWide: true)
        if user.isMultiple(of: 2) { client?.subscribe(isPlain: true, at: .city) }
      }
      world.schedule.after(40_000_000) { agent?.setLevel(.city) }
      world.schedule.after(42_000_000) { client?.readAll() }
    case .agentAllowsCountry: agent?.setLevel(.country)
    case .agentAllowsStreet:
      // The service asks the agents when GeoClue exits and again when it returns. The last answer arrives after the
      // announcement of the next level.
      world.schedule.after(3_000_000) { world.geoclue.exit() }
      world.schedule.after(3_020_000) { agent?.overtaking = .street }
      world.schedule.after(8_000_000) {
        agent?.overtaking = nil
        agent?.setLevel(.street)
      }
    case .agentAbsent where world.isSession:
      // GeoClue, which returns without the agent, makes no client until there is one.
      world.schedule.after(5_000_000) {
        agent?.exit()
        world.geoclue.exit()
      }
      world.schedule.after(62_000_000) { agent?.start() }
    case .agentAbsent:
      agent?.exit()
      // In a new session, an agent may still start.
      if user.isMultiple(of: 2) {
        world.setSession(.none, of: user)
        world.schedule.after(500_000) { world.setSession(.active, of: user) }
      } else {
        world.schedule.after(2_000_000) { world.logind.beginSession(of: user) }
      }
      world.schedule.after(15_000_000) { world.checks.awaitsAgent(user, isNew: true) }
      world.schedule.after(34_000_000) { world.checks.awaitsAgent(user, isNew: false) }
      if !world.isSession, user == world.users.last { beOwnAgent(user, in: world) }
      // The agent comes for a moment, and leaves before systemd has described its process, which still exists then.
      world.schedule.after(45_000_000) {
        world.systemd.latency = 200_000...300_000
        agent?.start()
        world.schedule.after(350_000) { agent?.exit() }
        world.schedule.after(2_000_000) { world.systemd.latency = 50...4_000 }
      }
      // A program does not become an agent by sending an agent's signals.
      world.schedule.after(5_000_000) { world.clients.first { $0.user == user }?.forge(0) }
    case .agentLate:
      // The service has just come to know the user. Until the agent comes, a program could be one that does not answer.
      agent?.exit()
      let clients = world.clients.filter { $0.user == user && $0.isConnected }
      for client in clients { client.exit() }
      for client in clients {
        client.start()
        client.subscribe(isPlain: true, at: .exact)
      }
      let silent = clients.last { !$0.isSandboxed }
      silent?.isReading = false
      // Another user's is on the bus for long before it is an agent.
      let isEarly = user.isMultiple(of: 2)
      if isEarly { world.schedule.after(1_000_000) { agent?.start(exports: false) } }
      world.schedule.after(48_000_000) { world.checks.awaitsAgent(user, isNew: false, hasAsked: true) }
      world.schedule.after(50_000_000) { if isEarly { agent?.export() } else { agent?.start() } }
      // The probe, whose calls make the service search again, comes later.
      world.schedule.after(59_000_000) {
        world.checks.truths(of: user)
        silent?.isReading = true
      }
    case .agentSilent:
      agent?.hang()
      // The service asks the agents again when GeoClue returns.
      world.schedule.after(3_000_000) {
        if let agent { world.checks.remainsKnown(agent) }
        world.geoclue.exit()
      }
      world.schedule.after(10_000_000) { agent?.loseTrust() }
    case .agentSlowOnce:
      // A new agent does not answer the first question.
      agent?.exit()
      agent?.start()
      agent?.hang()
      world.schedule.after(10_000_000) { agent?.recover(forgets: true) }
    case .secondAgent:
      let second = world.seconds.first { $0.user == user }
      if user.isMultiple(of: 2) {
        second?.start()
        second?.setLevel(.city)
      } else {
        // The service has asked it before it begins to be an agent.
        second?.start(exports: false)
        world.schedule.after(5_000_000) {
          second?.export()
          second?.setLevel(second?.level == .city ? .street : .city)
        }
      }
      // Its last level limits the user's programs while it does not answer, because the other agent does.
      world.schedule.after(8_000_000) {
        guard let second, second.isKnown, second.unit == .described else { return }
        second.hang()
        world.geoclue.exit()
      }
    case .polkitSilent:
      // After 8 s, the service knows the sessions.
      world.schedule.after(8_000_000) { silencePolkit(in: world) }
    case .logindLost:
      // It returns only when a program calls it, and no user's session is known then.
      world.schedule.after(8_000_000) {
        world.logind.exitsWhenAsked = true
        for user in world.users { world.logind.announce(user) }
      }
      // No new client has made the service ask by then.
      world.schedule.after(20_000_000) { world.checks.truths { $0.user == user && $1.isUndecided } }
      // logind exits while no question is open, and the session changes. The service must ask again by itself.
      world.schedule.after(40_000_000) {
        world.logind.exit()
        world.truth.set(.inactive, of: user)
      }
      world.schedule.after(43_000_000) { world.checks.truths(of: user) }
      world.schedule.after(45_000_000) {
        world.logind.start()
        world.setSession(.active, of: user)
      }
    case .sessionInactive, .sessionEnded:
      world.setSession(self == .sessionEnded ? .none : .inactive, of: user)
      guard user.isMultiple(of: 2) else { return }
      // Meanwhile, the service must ask polkit, which denies everything.
      world.schedule.after(10_000_000) { world.polkit.announce() }
      if world.seed.isMultiple(of: 2) { world.schedule.after(30_000_000) { silencePolkit(in: world) } }
      world.schedule.after(50_000_000) { world.setSession(.active, of: user) }
      // No call has made the service ask again by then.
      world.schedule.after(60_000_000) { world.checks.truths(of: user) }
    case .policyReduces:
      let clients = { world.clients.filter { $0.user == user && $0.isConnected } }
      // Calls wait for polkit's answer while locations arrive, and others for their timeout with one that they may not
      // return.
      world.schedule.after(7_000_000) { for client in clients() { client.locateAtBest() } }
      world.schedule.after(9_990_000) { for client in clients() { client.locateNow() } }
      world.schedule.after(10_000_000) {
        // The first answers are overtaken, so four come one after the other within a second.
        world.polkit.raiseDoubt(latency: 40_000...60_000)
        set([Truth.access: .yes, Truth.accessPrecise: .no], for: user, in: world)
        for client in clients() { client.locate() }
        world.geoclue.measureSoon()
      }
      // With a change of the clock, calls look for a location again.
      world.schedule.after(10_200_000) { world.setClock(1_000_000) }
    case .policyAsks:
      world.polkit.set(.challenge, for: user)
      // With odd seeds, each user answers, although the rules have changed meanwhile.
      if user != world.users[0], world.seed.isMultiple(of: 2) {
        world.polkit.unattended.insert(user)
        // For one user, the dialog ends with polkitd.
        world.schedule.after(20_800_000) {
          guard !world.truth.isPolkitSilent, user.isMultiple(of: 2) else { return }
          world.polkit.exit()
          world.schedule.after(600_000) { world.polkit.start() }
        }
      }
      world.schedule.after(12_000_000) { world.throng.leaveDialogs(of: user) }
      // The user agrees in a dialog after an administrator has forbidden what it is about.
      askLater(user, in: world)
      world.schedule.after(22_000_000) { world.polkit.set(.no, for: user) }
      // The user agrees in a dialog after rules have changed that still require that.
      guard !world.polkit.unattended.contains(user) else { return }
      world.schedule.after(30_000_000) { world.polkit.set(.challenge, for: user) }
      world.schedule.after(32_000_000) {
        let client = asking(user, in: world)
        client?.agree()
        // The consent counts when polkit asks again, too.
        world.schedule.after(5_500_000) { world.polkit.announce() }
        world.schedule.after(7_000_000) { if client?.hasConsent == true { client?.askForAuthorization() } }
      }
      world.schedule.after(33_000_000) { world.polkit.announce() }
      world.schedule.after(40_000_000) { world.polkit.set(.no, for: user) }
      // The consent from before does not count.
      guard (UInt64(user) + world.seed / 2).isMultiple(of: 2) else { return }
      world.schedule.after(44_000_000) {
        if world.polkit.denied[user] == nil { world.polkit.set(.challenge, for: user) }
      }
      // Programs of others come and leave while the dialog is open.
      world.schedule.after(53_000_000) {
        world.polkit.refusing.insert(user)
        asking(user, in: world)?.beRefused(at: (world.seed / 4).isMultiple(of: 2) ? .city : .exact)
      }
    case .policyAsksInVain:
      set([Truth.access: .yes, Truth.accessPrecise: .challenge], for: user, in: world)
      agent?.setLevel(.city)
      askLater(user, in: world)
    case .consentExpires:
      world.polkit.set(.challenge, for: user)
      // The user agrees for some time.
      world.polkit.temporaryFor.insert(user)
      askLater(user, in: world)
    case .policyDenies:
      let isSlow = !user.isMultiple(of: 2)
      world.schedule.after(10_000_000) {
        world.polkit.raiseDoubt(latency: isSlow ? 800_000...900_000 : 80_000...100_000)
        world.polkit.set(.no, for: user)
        // Reads of objects that are closed immediately afterwards still wait when access is refused.
        for client in world.clients where client.user == user && client.isConnected && !isSlow { client.readAndClose() }
      }
      // The best location at the timeout of a call may no longer be returned, although polkit has not answered yet.
      world.schedule.after(2_350_000) {
        for client in world.clients where client.user == user && client.isConnected && isSlow { client.locateAtBest() }
      }
      // Reads during a long doubt have no answer before its end.
      world.schedule.after(10_400_000) {
        for client in world.clients where client.user == user && client.isConnected && isSlow { client.readAll() }
      }
    case .policyGrantsAlways:
      world.schedule.after(5_600_000) { world.throng.comeBeforeRule(about: user) }
      world.schedule.after(6_000_000) { set([Truth.accessWithoutAgent: .yes], for: user, in: world) }
      // It does not matter whether the user has a session, so no location waits for that.
      for seconds in [47, 63] as [Int64] {
        world.schedule.after(seconds * 1_000_000) {
          world.logind.latency = 900_000...900_000
          world.logind.announce(user)
          world.geoclue.pauseBriefly()
          world.geoclue.measureSoon(accuracy: 2)
        }
        world.schedule.after(seconds * 1_000_000 + 500_000) {
          let now = world.schedule.now
          if world.geoclue.hasBeenRead(in: now - 400_000..<now - 200_000) { world.checks.newest(of: user) }
        }
        world.schedule.after(seconds * 1_000_000 + 1_000_000) { world.logind.latency = 50...4_000 }
      }
    }
  }

  private func silencePolkit(in world: World) {
    world.polkit.hang()
    world.polkit.announce()
    world.truth.isPolkitSilent = true
  }

  /// The only program of the user also is an agent, which does not count for itself.
  private func beOwnAgent(_ user: UInt32, in world: World) {
    let clients = world.clients.filter { $0.user == user }
    guard let client = clients.first, !client.poses, !world.isBusFaulty else { return }
    for client in clients { client.exit() }
    client.poses = true
    client.start()
    client.subscribe(isPlain: true, at: .exact)
    world.schedule.after(99_000_000) {
      client.exit()
      client.poses = false
    }
  }

  /// A program of the user requests access interactively.
  private func askLater(_ user: UInt32, in world: World) {
    world.schedule.after(20_000_000) { asking(user, in: world)?.authorize(isInteractive: true) }
  }

  private func asking(_ user: UInt32, in world: World) -> Client? {
    world.clients.first { $0.user == user && $0.isConnected && !$0.isSandboxed }
  }

  private func set(_ answers: [String: Truth.Answer], for user: UInt32, in world: World) {
    for (action, answer) in answers.sorted(by: { $0.key < $1.key }) { world.truth.set(answer, to: action, of: user) }
    world.polkit.announce()
  }
}
