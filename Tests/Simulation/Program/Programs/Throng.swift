// SPDX-License-Identifier: Apache-2.0
import DBus

/// Programs that come for a moment.
final class Throng {
  private unowned let world: World
  private var programs: [Program] = []
  private var listener: Listener?

  init(_ world: World) { self.world = world }

  /// Programs of many users come while logind is slow, and leave before it has answered.
  func visit() {
    world.logind.latency = 300_000...300_000
    come(users: (0..<20).map { 2_000 + $0 })
    world.schedule.after(100_000) { [self] in leave() }
    world.schedule.after(700_000) { [world] in world.logind.latency = 50...4_000 }
  }

  /// The only program of a user comes, leaves while logind is asked about the user, and returns at once.
  func comeBack() {
    let user: UInt32 = 2_100
    world.logind.latency = 300_000...300_000
    come(users: [user])
    world.schedule.after(100_000) { [self] in
      leave()
      var answer: Parcel?
      come(users: [user]) { answer = $0 }
      world.schedule.after(3_000_000) { [self] in
        leave()
        if answer?.values.last?.string != "session-inactive", !world.bus.isDown, world.servingSince != nil,
          world.polkit.answersSoon, world.logind.answersSoon
        {
          world.checks.broken("a user who returns is answered", answer?.story ?? "not at all")
        }
      }
    }
    world.schedule.after(1_500_000) { [world] in world.logind.latency = 50...4_000 }
  }

  /// The first programs of two users, who have no agents, come in the same moment. logind answers about both together, so
  /// that the second user is to be searched while the connections are being listed for the first.
  func comeTogether() {
    let users: [UInt32] = [2_150, 2_151]
    guard programs.isEmpty, world.polkit.answersSoon, world.logind.answersSoon, !world.bus.isDown else { return }
    for user in users { world.truth.set(.active, of: user) }
    world.logind.latency = 50_000...50_000
    var answers: [UInt32: (time: Int64, reason: String?)] = [:]
    for user in users {
      come(users: [user]) { [world] in answers[user] = (world.schedule.now, $0.values.last?.string) }
    }
    world.schedule.after(200_000) { [world] in world.logind.latency = 50...4_000 }
    world.schedule.after(3_000_000) { [self] in
      leave()
      for user in users { world.truth.set(.none, of: user) }
      guard !answers.isEmpty, !world.isBusFaulty else { return }
      let times = answers.values.map(\.time)
      if times.count < 2 || answers.values.contains(where: { $0.reason != "no-agent" })
        || (times[0] - times[1]).magnitude > 500_000
      {
        world.checks.broken("a user who comes while connections are listed is answered soon", "\(answers)")
      }
    }
  }

  /// The bus answers as many look-ups as the service makes at a time too late. Later ones must not wait for these.
  func loseLookups() {
    guard programs.isEmpty, world.polkit.answersSoon, world.logind.answersSoon, !world.bus.isDown else { return }
    let (user, others): (UInt32, _) = (2_170, (0..<4).map { _ in Program(world, user: 2_171) })
    for other in others { other.connect() }
    world.bus.answersLate = Set(others.map(\.name))
    world.truth.set(.active, of: user)
    come(users: [user]) { _ in }
    world.schedule.after(11_000_000) { [self] in
      world.bus.answersLate = []
      for other in others where other.isConnected { other.disconnect() }
      world.truth.set(.none, of: user)
      leave()
    }
  }

  /// In the session deployment, a program of another user says, like an agent, that location is off.
  func forgeForeignAgent() {
    let begin = world.schedule.now
    guard programs.isEmpty, !world.bus.isDown, !world.isBusFaulty, world.truth.changedAt < begin - 5_000_000 else {
      return
    }
    let program = ForeignProgram(world, user: 1_050)
    come(program)
    program.propertiesChanged(Agent.path, Agent.interface, [("MaxAccuracyLevel", .uint32(0))])
    world.schedule.after(1_000_000) { [self] in leave() }
    // A service that believes it soon has another client of GeoClue, which shows the opposite.
    world.schedule.after(200_000) { [self] in
      guard world.truth.changedAt < begin else { return }
      for client in world.clients where client.isReading {
        for subscription in client.subscriptions
        where subscription.startedAt < begin - 5_000_000 && subscription.refusedAt > begin {
          world.checks.broken("only agents of the session's user count", subscription.path)
        }
      }
    }
  }

  /// A program of a user says several times, like an agent, that location is off.
  func forgeAgent(of user: UInt32) {
    let begin = world.schedule.now
    guard programs.isEmpty, !world.bus.isDown, !world.isBusFaulty, world.truth.changedAt < begin - 5_000_000 else {
      return
    }
    let program = Announcer(world, user: user)
    come(program)
    for time in [100_000, 900_000, 1_600_000] as [Int64] {
      world.schedule.after(time) { if program.isConnected { program.announce() } }
    }
    world.schedule.after(2_500_000) { [self] in
      leave()
      guard world.truth.changedAt < begin else { return }
      for client in world.clients where client.isReading && client.user == user {
        for subscription in client.subscriptions
        where subscription.toldAt > begin && subscription.startedAt < begin - 5_000_000
          && subscription.told?.reason == "disabled-by-user"
        {
          world.checks.broken("a program without a level is no agent", subscription.path)
        }
      }
    }
  }

  /// Says that location is off, also when it is asked for its level. Then it answers that it has none.
  private final class Announcer: Program {
    func announce() { propertiesChanged(Agent.path, Agent.interface, [("MaxAccuracyLevel", .uint32(0))]) }

    override func called(_ call: Parcel) {
      if isConnected { announce() }
      world.schedule.after(1_000) { [self] in if isConnected { refuse(call, "UnknownObject", "There is none") } }
    }
  }

  private final class ForeignProgram: Program {
    override var isOnSystemBus: Bool { true }
  }

  /// Programs of root come in a sandbox, and must be refused like those of others. So must a program whose process has
  /// exited before it is looked up.
  func comeInSandbox() {
    guard programs.isEmpty, world.systemd.isRunning, !world.bus.isDown, !world.isBusFaulty else { return }
    for user in [0, 0, world.users[0]] {
      let program = Program(world, user: user)
      (program.isSandboxed, program.hasLostProcess) = (user == 0, user > 0)
      come(program)
      ask(program, isInteractive: false) { [world] in
        guard $0.values.last?.string != "sandboxed", !program.isUnverifiable, !Self.isRefused($0) else { return }
        let rule =
          program.isSandboxed
          ? "a program in a sandbox is refused, whoever its user is" : "a program that cannot be verified is refused"
        world.checks.broken(rule, "\($0.story): \($0.values)")
      }
    }
    world.schedule.after(1_000_000) { [self] in leave() }
  }

  /// A program that makes no more calls after it has come.
  private final class Listener: Program {
    var status = ""

    override func signalled(_ signal: Parcel) {
      if signal.member == "AuthorizationChanged" { status = signal.values.first?.string ?? "" }
    }
  }

  /// While a program of root is checked, the processes of its unit have too many arguments. It makes no more calls.
  func listenBehindLongLists() {
    guard listener == nil, world.systemd.isRunning, !world.bus.isDown, !world.isBusFaulty else { return }
    let listener = Listener(world, user: 0)
    self.listener = listener
    listener.connect()
    world.systemd.longLists = [0]
    // Receives no location, which only the other clients may.
    let options = Value.options([("required-accuracy", .double(0.001))])
    listener.call(Client.service, Client.path, Client.service, "CreateSubscription", [options]) { [weak listener] in
      guard let path = $0.values.first?.objectPath?.rawValue else { return }
      listener?.call(Client.service, path, "org.geopublicist.Location1.Subscription", "Start")
    }
    world.schedule.after(8_000_000) { [world] in world.systemd.longLists = [] }
    world.schedule.after(42_000_000) { [self] in
      if listener.status == "not-determined", world.systemd.isRunning, !listener.isUnverifiable {
        world.checks.broken("a program is checked until there is a result", "after it came at \(listener.connectedAt)")
      }
      listener.disconnect()
      self.listener = nil
    }
  }

  /// A user's agent and second program come when the connections have just been listed for the first program, and those
  /// that were listed are still being identified. One of these leaves.
  func comeWhenListed() {
    let user: UInt32 = 2_160
    guard programs.isEmpty, world.polkit.answersSoon, world.logind.answersSoon, !world.bus.isDown else { return }
    world.truth.set(.active, of: user)
    let others = (0..<30).map { _ in Program(world, user: 2_161) }
    for other in others { other.connect() }
    var answer: Parcel?
    let begin = world.schedule.now
    var times: [Int64] = []
    let noteTime = { [world] in times.append(world.schedule.now) }
    world.bus.onList = { [self] in
      others.last?.disconnect()
      let agent = Agent(world, user: user)
      programs.append(agent)
      agent.start()
      come(users: [user]) {
        answer = $0
        noteTime()
      }
    }
    come(users: [user]) { _ in noteTime() }
    world.schedule.after(3_000_000) { [self] in
      world.bus.onList = nil
      for other in others where other.isConnected { other.disconnect() }
      let hasCome = programs.count > 1
      leave()
      world.truth.set(.none, of: user)
      if hasCome, !world.isBusFaulty, answer?.values.first?.string != "authorized-when-in-use" {
        world.checks.broken("an agent that comes before a call is found", answer?.story ?? "not at all")
      } else if hasCome, !world.isBusFaulty, let last = times.max(), last > begin + 1_000_000 {
        world.checks.broken("a connection that leaves does not delay a search", "\((last - begin) / 1_000) ms")
      }
    }
  }

  /// Many programs of one user wait for polkit, which does not answer about them, and answer no question themselves.
  /// A client of another user, whose agent is new, must not wait for them.
  func press(of user: UInt32, against client: Client, _ agent: Agent) {
    world.polkit.ignored = user
    come(users: Array(repeating: user, count: 40))
    world.schedule.after(300_000) { [self] in
      client.exit()
      if agent.isConnected, !agent.isSilent {
        agent.exit()
        agent.start()
      }
      client.start()
      client.subscribe(isPlain: true, at: .exact)
      world.schedule.after(1_500_000) { [world] in
        let expected = world.truth.authorization(of: client, asking: .exact)
        guard expected == ("authorized-when-in-use", ""), client.isConnected,
          !client.subscriptions.contains(where: { $0.told ?? ("", "") == expected })
        else { return }
        world.checks.broken("one user's programs do not delay another's access", "client \(client.number)")
      }
    }
    world.schedule.after(3_000_000) { [self] in
      leave()
      world.polkit.ignored = nil
    }
  }

  /// Programs of many users without a session are refused. These users share one account, and thus one limit of log lines.
  func fillLog() {
    come(users: (0..<40).map { 2_200 + $0 })
    world.schedule.after(1_000_000) { [self] in leave() }
  }

  /// Programs of one user make as many short calls as they may, which count for all of them together.
  ///
  /// - Parameter areLong: Whether the calls are longer than they may be.
  func hurry(of user: UInt32, areLong: Bool) {
    guard programs.isEmpty else { return }
    world.floodedAt[user] = world.schedule.now
    come(users: Array(repeating: user, count: 12)) { _ in }
    guard !areLong else { return hurryWithLongCalls() }
    for program in programs {
      for _ in 0..<95 {
        let values = [Value.string(Client.service), .string("AuthorizationStatus")]
        program.call(Client.service, Client.path, Program.properties, "Get", values)
      }
    }
    world.schedule.after(3_000_000) { [self] in leave() }
  }

  /// Those that have come make calls that are refused because of their length, which is charged.
  private func hurryWithLongCalls() {
    var refused = 0
    // No call waits any more, so they are refused at once.
    world.schedule.after(1_500_000) { [self] in
      let values = [Value.string(Client.service), .string(String(repeating: "a", count: World.messageBytes + 100))]
      for program in programs {
        for _ in 0..<95 {
          program.call(Client.service, Client.path, Program.properties, "Get", values) {
            if $0.errorName.hasSuffix("LimitsExceeded") { refused += 1 }
          }
        }
      }
    }
    world.schedule.after(3_000_000) { [self] in
      leave()
      // Each costs 5 of the 2,500 that an account has, and of the 200 that it receives in a second.
      if refused > 600 { world.checks.broken("a refusal costs as much as its call is long", "\(refused)") }
    }
  }

  /// Programs of one user leave with answers that they have not read. The service must not ping the user's others more
  /// often because of these.
  func hoard(of user: UInt32) {
    world.floodedAt[user] = world.schedule.now
    come(users: Array(repeating: user, count: 8))
    for program in programs {
      for _ in 0..<180 { program.call(Client.service, Client.path, Client.introspectable, "Introspect") }
    }
    world.schedule.after(15_500_000) { [self] in leave() }
  }

  /// A program of a user comes, and first reads whether it has access.
  func readAuthorization(of user: UInt32) {
    // A change takes a moment to be known. A program that is its own agent is one for this program, too.
    guard programs.isEmpty, !world.bus.isDown, world.truth.changedAt < world.schedule.now - 5_000_000,
      !world.clients.contains(where: { $0.user == user && $0.poses && !$0.isSandboxed })
    else { return }
    let program = Program(world, user: user)
    come(program)
    let before = world.truth.authorization(of: program, asking: .exact)
    let values = [Value.string(Client.service), .string("AuthorizationStatus")]
    program.call(Client.service, Client.path, Program.properties, "Get", values) { [world] reply in
      let expected = world.truth.authorization(of: program, asking: .exact)
      let answer = reply.kind == .reply ? reply.values.first?.unwrapped.string : reply.errorName
      guard answer != expected.status, before == expected, !program.isUnverifiable, !Self.isRefused(reply)
      else { return }
      world.checks.broken("a program first reads its true authorization", "\(answer ?? ""), not \(expected)")
    }
    world.schedule.after(2_000_000) { [self] in leave() }
  }

  /// A program of a user comes and at once requests the present location, which is known because others need it.
  func locate(for user: UInt32) {
    let begin = world.schedule.now
    guard programs.isEmpty, !world.bus.isDown, !world.isBusFaulty, world.polkit.answersSoon, world.logind.answersSoon,
      world.truth.changedAt < begin - 5_000_000, world.polkit.denied[user] == nil,
      max(world.wokeAt, world.clockSetAt, world.outlierAt, world.movedAt) < begin - 20_000_000,
      world.geoclue.hasBeenRead(in: begin - 5_000_000..<begin - 500_000),
      world.clients.contains(where: { $0.user == user && $0.entitlement.level == .exact && $0.isServed && !$0.poses })
    else { return }
    let program = Program(world, user: user)
    come(program)
    let values = [Value.options([("timeout", .uint32(0)), ("maximum-age", .uint32(30_000))])]
    program.call(Client.service, Client.path, Client.service, "GetLocation", values) { [world] reply in
      guard reply.kind == .error, !program.isUnverifiable, !Self.isRefused(reply),
        world.truth.authorization(of: program, asking: .exact).status.hasPrefix("authorized"),
        world.truth.changedAt < begin
      else { return }
      world.checks.broken("a program first requests a location that is known", reply.story)
    }
    world.schedule.after(1_000_000) { [self] in leave() }
  }

  /// A program of a user is refused because of a condition that polkit does not announce. Two seconds later, it may have
  /// access.
  func insist(of user: UInt32) {
    // The refusal also erases the user's record.
    world.checks.forgetTowns { $0 == user }
    world.checks.erasedUntil[user] = world.schedule.now + 4_000_000
    askTwice(of: user, 2_500_000, "a refusal of polkit counts for a second") { [world] in
      world.polkit.deniedProgram = $0.name
      world.schedule.after(500_000) { world.polkit.deniedProgram = nil }
    }
  }

  /// A program of a user comes just before the rules name the user, and asks again just after that.
  func comeBeforeRule(about user: UInt32) {
    askTwice(of: user, 600_000, "an answer of polkit does not outlive a change of its rules") { _ in }
  }

  /// A program of a user asks for its authorization, and again after a time, when it must be answered the truth.
  private func askTwice(of user: UInt32, _ time: Int64, _ rule: String, _ begins: (Program) -> Void) {
    guard programs.isEmpty, !world.bus.isDown else { return }
    let program = Program(world, user: user)
    let begin = world.schedule.now
    let isUsual = world.clients.contains {
      $0.user == user && $0.entitlement.level == .exact && $0.entitlement.since < begin - 5_000_000
    }
    come(program)
    begins(program)
    ask(program, isInteractive: false) { _ in }
    world.schedule.after(time) { [self] in
      let expected = world.truth.authorization(of: program, asking: .exact)
      ask(program, isInteractive: false) { [world] reply in
        guard isUsual, expected.status.hasPrefix("authorized"), !program.isUnverifiable, !Self.isRefused(reply),
          world.truth.authorization(of: program, asking: .exact) == expected, world.polkit.denied[user] == nil,
          max(world.polkit.slowAt, world.logind.slowAt) < begin - 3_000_000,
          reply.values.first?.string != expected.status
        else { return }
        world.checks.broken(rule, "\(reply.story): \(reply.values), not \(expected)")
      }
    }
    world.schedule.after(time + 800_000) { [self] in leave() }
  }

  /// A system user whom `/etc/subuid` lists by name.
  static let named: UInt32 = 990
  /// The first subordinate id of each system user who has some.
  static let subordinates: [UInt32: UInt32] = [named: 200_000, 991: 300_000]

  /// Programs of subordinate ids, and then one of their owner, create as many objects as they may. All count for the
  /// owner.
  func share(of owner: UInt32) {
    share(by: users(sharing: owner))
  }

  /// As many subordinate ids as can use up the share of their owner, and the owner.
  private func users(sharing owner: UInt32) -> [UInt32] {
    let first = Self.subordinates[owner] ?? owner
    return (0...world.limit / 16).map { first + $0 } + [owner]
  }

  /// The programs that have come create as many objects as they may, and try to create another one. Almanacs count as
  /// subscriptions.
  private func createObjects(_ answered: @escaping (Program, Parcel) -> Void) {
    let most = World.subscriptionsPerConnection
    for program in programs {
      var created = 0
      for index in 0...most {
        let member = index.isMultiple(of: 2) ? "CreateSubscription" : "CreateAlmanac"
        program.call(Client.service, Client.path, Client.service, member, [.options([])]) { [world] in
          if $0.kind == .reply { created += 1 }
          if created > most { world.checks.broken("a program has no more objects than its limit", "\(created)") }
          if index < most { answered(program, $0) }
        }
      }
    }
  }

  /// `/etc/subuid` vanishes. Programs of ids that it listed no longer count for their owner, who may create objects.
  func share(withoutFileOf owner: UInt32) {
    guard programs.isEmpty else { return }
    world.listSubordinates(false)
    var (created, refused) = (0, 0)
    come(users: users(sharing: owner)) { _ in }
    createObjects { program, reply in
      guard program.user == owner else { return }
      if reply.kind == .reply { created += 1 } else { refused += 1 }
    }
    world.schedule.after(2_000_000) { [self] in
      if refused > 0, !world.isBusFaulty { world.checks.broken("a user has a full share", "\(created) of \(owner)") }
      leave()
      world.listSubordinates(true)
    }
  }

  /// Programs of many users without a session create as many objects as they may. These users share one account.
  func shareOfStrangers() { share(by: (0...world.limit / 16).map { 2_300 + UInt32($0) }) }

  /// Whether programs use up what users without a session may have together.
  private(set) var fillsCommonAccount = false

  /// Programs of a user without a session are refused many objects. When they have left, and two users whom nothing was
  /// permitted have objects, that user may have some again.
  func insistOnObjects() {
    let (stranger, others): (UInt32, [UInt32]) = (2_320, [2_180, 2_181])
    guard programs.isEmpty, !world.isBusFaulty, world.logind.answersSoon else { return }
    for user in others { world.truth.set(.active, of: user) }
    fillsCommonAccount = true
    come(users: Array(repeating: stranger, count: 16)) { _ in }
    for program in programs {
      for _ in 0..<10 { create(by: program, atMost: 6) }
    }
    world.schedule.after(5_000_000) { [self] in
      leave()
      come(users: others) { _ in }
      for program in programs { create(by: program, atMost: 1) }
    }
    world.schedule.after(5_500_000) { [self] in
      come(users: [stranger]) { _ in }
      create(by: programs[2], atMost: 1) { [world] in
        if Self.isRefused($0) { world.checks.broken("objects that were refused do not count", $0.story) }
      }
    }
    world.schedule.after(6_500_000) { [self] in
      leave()
      fillsCommonAccount = false
      for user in others { world.truth.set(.none, of: user) }
    }
  }

  /// A program creates an object, and tries again when it is refused.
  private func create(by program: Program, atMost count: Int, _ answered: ((Parcel) -> Void)? = nil) {
    program.call(Client.service, Client.path, Client.service, "CreateSubscription", [.options([])]) { [self] in
      answered?($0)
      if Self.isRefused($0), count > 1, program.isConnected { create(by: program, atMost: count - 1, answered) }
    }
  }

  /// Many programs of a user without a session make calls with long answers. That of another one must not wait for an
  /// answer to each program.
  func crowdOut() {
    guard programs.isEmpty, !world.isBusFaulty, world.logind.answersSoon else { return }
    come(users: Array(repeating: 2_330, count: 60)) { _ in }
    let (crowd, other) = (programs, Program(world, user: 2_331))
    come(other)
    ask(other, isInteractive: false) { _ in }
    world.schedule.after(3_000_000) { [self] in
      var answers = 0
      for program in crowd {
        for _ in 0..<4 {
          program.call(Client.service, Client.path, Client.introspectable, "Introspect") { _ in answers += 1 }
        }
      }
      world.schedule.after(1_000) { [world] in
        let begin = answers
        let values = [Value.string(Client.service), .string("Version")]
        other.call(Client.service, Client.path, Program.properties, "Get", values) { _ in
          if answers - begin > Self.mostBefore {
            world.checks.broken("users without a session take turns", "after \(answers - begin) answers")
          }
        }
      }
    }
    world.schedule.after(9_500_000) { [self] in leave() }
  }

  /// The service may have read some of the crowd's calls before that of the other user.
  private static let mostBefore = 25

  private func share(by users: [UInt32]) {
    guard programs.isEmpty else { return }
    // The limit may change meanwhile.
    let (limit, begin) = (world.limit, world.schedule.now)
    var created = 0
    come(users: users) { _ in }
    createObjects { if $1.kind == .reply { created += 1 } }
    world.schedule.after(2_000_000) { [self] in
      if created > max(limit, world.limit) {
        world.checks.broken("a user has few objects", "\(created) of \(users[0]) and others")
      }
      if created == 0, !world.isBusFaulty, world.servingSince.map({ $0 < begin }) ?? false {
        world.checks.broken("a program that shares an account may create objects", "\(users[0])")
      }
      leave()
    }
  }

  /// As many programs of a user as may have dialogs leave while these are open. They must not count for the next one,
  /// which was refused a dialog meanwhile.
  func leaveDialogs(of user: UInt32) {
    // Users without a session share one account.
    guard programs.isEmpty, !world.isBusFaulty, world.truth.session(of: user) != .none,
      world.mayKnowSession(of: user, at: world.schedule.now - 5_000_000),
      !world.clients.contains(where: { $0.user == user && $0.isInteracting })
    else { return }
    world.tell("programs of \(user) open dialogs and leave")
    var (isAnswered, isOpen, wasRefused) = (false, false, false)
    var secondRefused = false
    come(users: [user], isInteractive: true) { _ in isAnswered = true }
    world.schedule.after(150_000) { [self] in
      if let first = programs.first { ask(first, isInteractive: true) { secondRefused = Self.isRefused($0) } }
      world.schedule.after(50_000) { [self] in come(users: [user], isInteractive: true) { _ in isAnswered = true } }
    }
    world.schedule.after(300_000) { [self] in
      guard let first = programs.first else { return }
      // The refusal must not release the place of the open dialog.
      ask(first, isInteractive: true) { [self] in
        guard Self.isRefused($0), !isAnswered else { return }
        isOpen = true
        ask(first, isInteractive: true) { _ in isOpen = false }
      }
      come(users: [user], isInteractive: true) { wasRefused = Self.isRefused($0) }
    }
    world.schedule.after(1_000_000) { [self] in
      // The calls of a user who makes too many wait for their turn, even to be refused.
      let isFlooded = world.schedule.now - (world.floodedAt[user] ?? .min / 2) < 15_000_000
      if isOpen, !isAnswered, !isFlooded { world.checks.broken("a program has one dialog", "user \(user)") }
      let isFast = world.polkit.answersSoon && world.polkit.slowAt < world.schedule.now - 3_000_000
      if !secondRefused, !isAnswered, !isFlooded, isFast {
        world.checks.broken("a program has one dialog", "the second was not refused to user \(user)")
      }
      if !wasRefused, !isAnswered, !isFlooded, isFast {
        world.checks.broken("a user has at most two dialogs", "user \(user)")
      }
      for program in programs.prefix(2) { program.disconnect() }
      programs.removeFirst(min(2, programs.count))
    }
    world.schedule.after(1_200_000) { [self] in
      guard wasRefused, let last = programs.first else { return }
      ask(last, isInteractive: true) { [world] in
        if Self.isRefused($0) { world.checks.broken("a program that has left has no dialog", "user \(user)") }
      }
    }
    world.schedule.after(2_200_000) { [self] in leave() }
  }

  private static func isRefused(_ reply: Parcel) -> Bool { reply.errorName.hasSuffix("LimitsExceeded") }

  private var all: [Program] { programs + [listener].compactMap(\.self) }
  func program(of process: UInt32) -> Program? { all.first { $0.process == process } }
  func programs(of user: UInt32) -> [Program] { all.filter { $0.user == user } }

  private func come(_ program: Program) {
    programs.append(program)
    program.connect()
  }

  /// - Parameter answered: Called with each answer. Without it, the programs do not read.
  private func come(users: [UInt32], isInteractive: Bool = false, answered: ((Parcel) -> Void)? = nil) {
    guard !world.bus.isDown else { return }
    for user in users {
      let program = Program(world, user: user)
      come(program)
      program.isReading = answered != nil
      ask(program, isInteractive: isInteractive) { answered?($0) }
    }
  }

  private func ask(_ program: Program, isInteractive: Bool, _ answered: @escaping (Parcel) -> Void) {
    program.call(
      Client.service, Client.path, Client.service, "RequestAuthorization", [.options([])],
      isInteractive: isInteractive, answered)
  }

  private func leave() {
    for program in programs { program.disconnect() }
    programs = []
  }
}
