// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Glibc
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

@Suite struct HostileAnswererTests {
  private let bus: PrivateBus
  private let service: Connection
  private let other: Connection

  init() throws {
    bus = try PrivateBus(.session)
    service = try Connection(to: .address(bus.address))
    other = try Connection(to: .address(bus.address))
  }

  /// Regression: a silent logind was asked again for each new client until the bus allowed no more calls.
  @Test func `a logind that does not answer is asked only once for each user`() throws {
    final class Logind {
      var isSilent = true
      var asked: [[Value]] = []
      var kept: [MethodCall] = []

      func answer(_ call: MethodCall) {
        asked.append(call.arguments)
        if isSilent { kept.append(call) } else { call.fail(DBusError(.failed, "There is no such user")) }
      }
    }
    let logind = Logind()
    other.objects.export(
      "/org/freedesktop/login1",
      Implementation(
        of: Interface<Logind>(
          "org.freedesktop.login1.Manager",
          [.method("GetUser", in: ["uid": "u"], out: ["path": "o"]) { logind, call in logind.answer(call) }]),
        by: logind))
    try other.own("org.freedesktop.login1")
    let watch = SessionWatch(on: service) { user, _ in .user(user) }
    for _ in 0..<200 {
      watch.find(1_000, for: AnswerGroup {})
      watch.forget(1_000)
    }
    var isKnown = false
    let round = AnswerGroup { isKnown = true }
    watch.find(1_000, for: round)
    round.allExpected()
    watch.find(1_001, for: AnswerGroup {})
    try turning("logind is asked about both") { logind.kept.count >= 2 }
    #expect(logind.asked == [[.uint32(1_000)], [.uint32(1_001)]])

    watch.forget(1_001)
    logind.isSilent = false
    for call in logind.kept { call.fail(DBusError(.failed, "There is no such user")) }
    try turning("the last caller receives the answer") { isKnown }
    #expect(watch.state(of: 1_000) == .inactive)
  }

  private final class Agent {
    var reads: [PropertyRead] = []
  }

  private func export(_ agent: Agent, on connection: Connection? = nil) -> ExportedObject {
    (connection ?? other).objects.export(
      GeoClueNames.agentPath,
      Implementation(
        of: Interface<Agent>(
          GeoClueNames.agent,
          [
            .property(
              "MaxAccuracyLevel", "u", emits: .invalidates,
              readLater: { agent, read in agent.reads.append(read) })
          ]),
        by: agent))
  }

  private func finder(_ onOpen: @escaping () -> Void = {}) -> AgentFinder {
    AgentFinder(
      on: service, CredentialsLookup(on: service),
      ProbePool { [bus] () throws(DBusError) in
        onOpen()
        return try Connection(to: .address(bus.address))
      },
      SandboxCheck(on: service, controlGroup: { _ in "0::/user.slice/agent.service" }), accountOf: { .user($0) })
  }

  /// Regression: the second of two calls reported that there is no agent before the agent had answered the first
  /// question.
  @Test func `a second search waits for the answers to the first search's questions`() throws {
    let agent = Agent()
    let object = export(agent)
    let finder = finder()
    var done = 0
    finder.find(UserID.own, for: service.uniqueName) { done += 1 }
    try turning("the agent is asked") { !agent.reads.isEmpty }
    finder.find(UserID.own, for: service.uniqueName) { done += 1 }
    // The bus answers in the order of the questions.
    var isListed = false
    let listing = service.call(Message(callingBus: "ListNames"), expecting: "as") { _ in isListed = true }
    try turning("the second search has sent its questions") { isListed }
    #expect(done == 0)
    for read in agent.reads { read.answer(.uint32(8)) }
    try turning("both searches have ended") { done == 2 }
    #expect(finder.levels(of: UserID.own).level(without: service.uniqueName) == .level(.exact))
    withExtendedLifetime((object, listing)) {}
  }

  /// Regression: on a busy machine an agent counted as missing before its answer arrived.
  @Test func `an agent that answers after 600 ms does not count as missing`() throws {
    let agent = Agent()
    let object = export(agent)
    let finder = finder()
    // On an even busier machine the attempt is repeated.
    for _ in 0..<5 where finder.levels(of: UserID.own).level(without: service.uniqueName) != .level(.exact) {
      var isDone = false
      agent.reads = []
      finder.find(UserID.own, for: service.uniqueName, again: true) { isDone = true }
      try turning("the agent is asked") { !agent.reads.isEmpty }
      let answer = MainLoop.main.after(.milliseconds(600)) { for read in agent.reads { read.answer(.uint32(8)) } }
      try turning("the search has ended") { isDone }
      withExtendedLifetime(answer) {}
    }
    #expect(finder.levels(of: UserID.own).level(without: service.uniqueName) == .level(.exact))
    withExtendedLifetime(object) {}
  }

  /// The bus refuses a connection's calls when 128 are unanswered.
  @Test func `a connection with many unanswered questions is replaced before the bus refuses more`() throws {
    var opened = 0
    let pool = ProbePool { [bus] () throws(DBusError) in
      opened += 1
      return try Connection(to: .address(bus.address))
    }
    for _ in 0..<1_000 { try #require(pool.take(for: peer, of: .user(0))).answered(peer) }
    #expect(opened == 1, "each answer frees a place")
    let probes = try (0..<UInt32(3 * ProbePool.tolerance)).map { try #require(pool.take(for: peer, of: .user($0))) }
    #expect(opened == 3)
    let uses = Dictionary(grouping: probes, by: ObjectIdentifier.init).values.map(\.count)
    #expect(uses.allSatisfy { $0 == ProbePool.tolerance })
    #expect(probes.map { pool.isOurs($0.connection.uniqueName) }.firstIndex(of: true) == 2 * ProbePool.tolerance)
  }

  private let peer: BusName = ":7.1"

  /// Regression: the connection was dropped before, so that nobody's agents could be asked; and one user could take all
  /// its places.
  @Test func `until the bus admits its successor, accounts share the places of a connection`() throws {
    let pool = ProbePool { [bus] () throws(DBusError) in try Connection(joining: .address(bus.address)) }
    var first: ProbePool.Probe?
    try turning("the bus has admitted a connection") {
      first = pool.take(for: peer, of: .user(1))
      return first != nil
    }
    bus.suspend(true)
    func taken(_ peer: BusName, of account: Account) -> Int {
      var count = 0
      while let probe = pool.take(for: peer, of: account) {
        #expect(probe === first)
        count += 1
      }
      return count
    }
    #expect(taken(":7.2", of: .user(1)) == ProbePool.limit / 2 - 1)
    let rest = taken(":7.3", of: .user(2))
    #expect(rest > Quota.free)
    #expect(pool.takeAlone() == nil)
    // The bus does not count the calls to a program that has left.
    pool.left(":7.3")
    #expect(taken(":7.4", of: .user(2)) == rest)
    bus.suspend(false)
    try turning("the successor is used") { pool.take(for: peer, of: .user(1)).map { $0 !== first } ?? false }
  }

  /// Regression: these questions remained charged, and a new connection was opened after every 64.
  @Test func `an answer to a question of a client that has left frees its place`() throws {
    let agent = Agent()
    let object = export(agent)
    var opened = 0
    let finder = finder { opened += 1 }
    for _ in 0..<ProbePool.tolerance + 10 {
      finder.find(UserID.own, for: service.uniqueName) {}
      try turning("the agent is asked") { !agent.reads.isEmpty }
      finder.forget(UserID.own)
      for read in agent.reads { read.answer(.uint32(8)) }
      agent.reads = []
    }
    #expect(opened == 1)
    withExtendedLifetime(object) {}
  }

  /// Regression: these questions remained charged until the agent left.
  @Test func `an answer that comes too late frees the place of its question`() throws {
    let agent = Agent()
    let object = export(agent)
    var (probe, lost): (ProbePool.Probe?, Int) = (nil, 0)
    let pool = ProbePool { [bus] () throws(DBusError) in try Connection(to: .address(bus.address)) }
    let calls = try (0..<ProbePool.tolerance / 2).map { _ in
      probe = try #require(pool.take(for: other.uniqueName, of: .user(0)))
      return try #require(probe).connection.call(
        GeoClueAgent.levelQuestion(to: other.uniqueName), timeout: .milliseconds(1)
      ) { if case .failure(.lost) = $0 { lost += 1 } }
    }
    try turning("the agent is too slow") { lost == calls.count && agent.reads.count == calls.count }
    #expect(probe?.unanswered == calls.count)
    for read in agent.reads { read.answer(.uint32(8)) }
    try turning("the answers are read") { probe?.unanswered == 0 }
    withExtendedLifetime(object) {}
  }

  /// Regression: neither of two callers was asked, and the agent counted as missing.
  @Test func `an agent that calls together with another program does not count as missing`() throws {
    let agent = Agent()
    let object = export(agent)
    let finder = finder()
    // Both callers are part of the list after this one.
    finder.find(UserID.own &+ 1) {}
    var isDone = false
    finder.find(UserID.own, for: other.uniqueName) {}
    finder.find(UserID.own, for: service.uniqueName) { isDone = true }
    try turning("the search ends") { isDone }
    #expect(agent.reads.isEmpty, "a caller may wait for its own call")
    #expect(finder.levels(of: UserID.own).level(without: service.uniqueName) == .unknown)
    finder.find(UserID.own, again: true) {}
    try turning("the next search finds the agent") {
      for read in agent.reads { read.answer(.uint32(8)) }
      agent.reads = []
      return finder.levels(of: UserID.own).level(without: service.uniqueName) == .level(.exact)
    }
    withExtendedLifetime(object) {}
  }

  @Test func `the answer to a question from before the rules changed does not count`() throws {
    let agent = Agent()
    let object = export(agent)
    let finder = finder()
    finder.find(UserID.own, for: service.uniqueName) {}
    try turning("the agent is asked") { agent.reads.count == 1 }
    finder.startOver()
    try turning("it is asked again") { agent.reads.count == 2 }
    var levels: Set<Facts.AgentLevel> = []
    finder.onChange = { user, _ in levels.insert(finder.levels(of: user).level(without: ":1.999")) }
    agent.reads[0].answer(.uint32(8))
    agent.reads[1].answer(.uint32(0))
    try turning("the second answer counts") { levels.contains(.level(.none)) }
    #expect(levels == [.level(.none)])
    withExtendedLifetime(object) {}
  }

  /// Regression: it counted as silent, so that any program that ended the connection hid other users' agents.
  @Test func `an agent whose question is lost with its connection is asked again`() throws {
    let agent = Agent()
    let object = export(agent)
    var opened: [Connection] = []
    let finder = AgentFinder(
      on: service, CredentialsLookup(on: service),
      ProbePool { [bus] () throws(DBusError) in
        let connection = try Connection(to: .address(bus.address))
        opened.append(connection)
        return connection
      },
      SandboxCheck(on: service, controlGroup: { _ in "0::/user.slice/agent.service" }), accountOf: { .user($0) })
    finder.find(UserID.own, for: service.uniqueName) {}
    try turning("the agent is asked") { !agent.reads.isEmpty }
    // What it receives ends the connection.
    opened[0].largestMessage = 16
    try turning("the agent is found", within: .seconds(20)) {
      for read in agent.reads { read.answer(.uint32(8)) }
      return finder.levels(of: UserID.own).level(without: service.uniqueName) == .level(.exact)
    }
    #expect(agent.reads.count >= 2)
    withExtendedLifetime(object) {}
  }

  /// Regression: it was asked again each second, and ended the questions to others each time.
  @Test func `a connection whose answer ends each question counts as silent`() throws {
    let object = export(Agent())
    var opened = 0
    let finder = AgentFinder(
      on: service, CredentialsLookup(on: service),
      ProbePool { [bus] () throws(DBusError) in
        opened += 1
        let connection = try Connection(to: .address(bus.address))
        connection.largestMessage = 16
        return connection
      },
      SandboxCheck(on: service, controlGroup: { _ in "0::/user.slice/agent.service" }), accountOf: { .user($0) })
    var isDone = false
    finder.find(UserID.own, for: service.uniqueName) { isDone = true }
    try turning("the search ends") { isDone }
    let before = opened
    try turning(for: .milliseconds(1_500), "it is not asked again soon") { opened <= before + 1 }
    withExtendedLifetime(object) {}
  }

  /// Regression: each such signal caused a question, and every 64 questions a new connection to the bus.
  @Test func `an agent that announces a thousand changes is asked only one more time`() throws {
    let agent = Agent()
    let object = export(agent)
    var opened = 0
    let finder = finder { opened += 1 }
    let user = UserID.own
    // Another connection of this user also answers, which does not matter here.
    finder.find(user, for: service.uniqueName) {}
    try turning("the agent is asked") { !agent.reads.isEmpty }
    agent.reads[0].answer(.uint32(8))
    try turning("it is known") { finder.levels(of: user).level(without: service.uniqueName) == .level(.exact) }

    var isOver = false
    let end = service.onSignal(MatchRule(interface: "a.b")) { _ in isOver = true }
    for _ in 0..<1_000 {
      object.propertyChanged("MaxAccuracyLevel", of: GeoClueNames.agent)
      object.flushChanges()
    }
    other.send(Message(signal: "End", of: "a.b", at: "/"))
    try turning("all signals have arrived") { isOver }
    // The second question is not answered; after its timeout, another one may follow.
    #expect(agent.reads.count <= 3)
    #expect(opened == 1)
    withExtendedLifetime(end) {}
  }

  /// Regression: while another agent was known, it was not heard. It may be the user's desktop, whose switch is off.
  @Test(arguments: [false, true])
  func `a second agent that announces its level is asked for it`(isAskedBefore: Bool) throws {
    let (first, second) = (Agent(), Agent())
    let object = export(first)
    let finder = finder()
    var newcomer: Connection?
    if isAskedBefore { newcomer = try Connection(to: .address(bus.address)) }
    finder.find(UserID.own, for: service.uniqueName) {}
    try turning("the first agent is found") {
      for read in first.reads { read.answer(.uint32(8)) }
      first.reads = []
      return finder.levels(of: UserID.own).level(without: service.uniqueName) == .level(.exact)
    }
    let made = try newcomer ?? Connection(to: .address(bus.address))
    let added = export(second, on: made)
    added.propertyChanged("MaxAccuracyLevel", of: GeoClueNames.agent)
    added.flushChanges()
    try turning("the second agent counts", within: .seconds(20)) {
      for read in second.reads { read.answer(.uint32(0)) }
      second.reads = []
      return finder.levels(of: UserID.own).level(without: service.uniqueName) == .level(.none)
    }
    withExtendedLifetime((object, added)) {}
  }

  /// Regression: a program that only made calls was refused for as long as it stayed.
  @Test func `a call finds an agent that was exported after its connection had been asked`() throws {
    let agent = Agent()
    let finder = finder()
    var done = 0
    finder.find(UserID.own, for: service.uniqueName) { done += 1 }
    try turning("the first search has ended") { done == 1 }
    #expect(finder.levels(of: UserID.own).level(without: service.uniqueName) == .none)
    let object = export(agent)
    var searches = 1
    try turning("a later search finds the agent", within: .seconds(20)) {
      for read in agent.reads { read.answer(.uint32(8)) }
      agent.reads = []
      if done == searches {
        searches += 1
        finder.find(UserID.own, for: service.uniqueName) { done += 1 }
      }
      return finder.levels(of: UserID.own).level(without: service.uniqueName) == .level(.exact)
    }
    withExtendedLifetime(object) {}
  }

  /// Regression: all users shared one queue, and systemd answers one question after the other.
  @Test func `many processes of one user delay another user's process lookup by only one turn`() throws {
    final class Systemd { var calls: [MethodCall] = [] }
    let systemd = Systemd()
    let object = other.objects.export(
      "/org/freedesktop/systemd1",
      Implementation(
        of: Interface<Systemd>(
          "org.freedesktop.systemd1.Manager",
          [.method("GetUnitByPID", in: ["pid": "u"], out: ["unit": "o"]) { $0.calls.append($1) }]),
        by: systemd))
    try other.own("org.freedesktop.systemd1")
    let check = SandboxCheck(on: service, controlGroup: { _ in nil })
    var done: [UInt32] = []
    for user in Array(repeating: 1_000, count: 200) + [1_001] as [UInt32] {
      let credentials = Credentials(userID: user, processID: UInt32(getpid()), securityLabel: nil)
      check.check(service.uniqueName, credentials) { _, _ in done.append(user) }
    }
    try turning("the other user is answered") {
      while !systemd.calls.isEmpty { systemd.calls.removeFirst().fail(DBusError(.failed, "no unit")) }
      return done.contains(1_001)
    }
    #expect(done.count < 40)
    withExtendedLifetime(object) {}
  }

  /// Regression: a call that had waited for its turn waited for facts for the full time again.
  @Test func `the time that a call has waited in the queue counts towards its deadline for facts`() throws {
    let begin = ContinuousClock.now
    var isOver = false
    let waited = AnswerDeadlines.gathering - .milliseconds(100)
    let arrival = MainLoop.main.clock.boottime() - waited
    let facts = ClientFacts()
    let end = { isOver = true }
    facts.wait(end, since: arrival) { _ = $0.expect() }
    #expect(!isOver)
    try turning("the call is abandoned") { isOver }
    #expect(ContinuousClock.now - begin < AnswerDeadlines.gathering - .milliseconds(500))
  }

  @Test func `abandoned waits for a program that never answers are released`() {
    let waiters = Waiters()
    weak var first: AnswerGroup?
    for attempt in 0..<3 {
      var isOver = false
      let round = AnswerGroup { isOver = true }
      if attempt == 0 { first = round }
      waiters.add(round)
      round.allExpected()
      #expect(!isOver)
      round.giveUp()
      #expect(isOver)
    }
    #expect(first == nil, "an abandoned round is dropped")
    waiters.release()
  }

  /// Regression: while logind was silent, the calls of clients that had left were kept, one by one.
  @Test func `the calls of a client that has left wait for nothing`() {
    final class Call {}
    let registry = ClientFactsRegistry()
    let waiters = Waiters()
    weak var call: Call?
    do {
      let client = GatekeeperClient(":1.1")
      let facts = registry.open(for: client)
      let made = Call()
      call = made
      let answer = { _ = Issue.record("answered \(made)") }
      facts.wait(answer, since: MainLoop.main.clock.boottime()) { waiters.add($0) }
      client.onEnd?()
    }
    #expect(call == nil)
    waiters.release()
  }

  /// Regression: the service crashed when a call that had waited for polkit asked again, as `GetAll` does.
  @Test func `a call that an answer allows to continue may wait for another answer`() {
    let waiters = Waiters()
    var ended: [Int] = []
    let second = AnswerGroup { ended.append(2) }
    let first = AnswerGroup {
      ended.append(1)
      waiters.add(second)
      second.allExpected()
    }
    waiters.add(first)
    first.allExpected()
    waiters.release()
    #expect(ended == [1])
    waiters.release()
    #expect(ended == [1, 2])
  }
}
