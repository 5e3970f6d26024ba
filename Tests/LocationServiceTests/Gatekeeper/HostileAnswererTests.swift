import DBus
import LocationModel
import MainLoop
import TestSupport
import Testing

@testable import LocationService

/// Those who are asked about consumers may be silent, or talk too much.
@Suite struct HostileAnswererTests {
  private let bus: PrivateBus
  private let service: Connection
  private let other: Connection

  init() throws {
    bus = try PrivateBus(.session)
    service = try Connection(to: .address(bus.address))
    other = try Connection(to: .address(bus.address))
  }

  private func turning(_ awaited: String, _ condition: () throws -> Bool) throws {
    try eventually(
      awaited,
      turn: {
        MainLoop.main.iterate()
        nap()
      }, condition)
  }

  /// A logind that was silent was asked anew for each consumer that came and went, until the bus allowed no more calls.
  @Test func aSilentLogindIsAskedOnceForAUser() throws {
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
    let watch = SessionWatch(on: service)
    for _ in 0..<200 {
      watch.find(1_000) {}
      watch.forget(1_000)
    }
    var isKnown = false
    watch.find(1_000) { isKnown = true }
    watch.find(1_001) {}
    try turning("it is asked for both") { logind.kept.count >= 2 }
    #expect(logind.asked == [[.uint32(1_000)], [.uint32(1_001)]])

    watch.forget(1_001)
    logind.isSilent = false
    for call in logind.kept { call.fail(DBusError(.failed, "There is no such user")) }
    try turning("its answer counts for who asked last") { isKnown }
    #expect(watch.state(of: 1_000) == .inactive)
  }

  /// Each such signal made a question, and each 64 questions a new connection to the bus.
  @Test func anAgentThatSaysAThousandTimesThatItHasChangedIsAskedOnceMore() throws {
    final class Agent { var reads: [PropertyRead] = [] }
    let agent = Agent()
    let object = other.objects.export(
      AgentQuestion.path,
      Implementation(
        of: Interface<Agent>(
          AgentQuestion.interface,
          [
            .property(
              "MaxAccuracyLevel", "u", emits: .invalidates,
              readLater: { agent, read in agent.reads.append(read) })
          ]),
        by: agent))
    var opened = 0
    let finder = AgentFinder(
      on: service,
      ProbePool { [bus] () throws(DBusError) in
        opened += 1
        return try Connection(to: .address(bus.address))
      },
      SandboxCheck(on: service) { _ in "0::/user.slice/agent.service" })
    let user = UserID.own
    // What another connection of this user's answers is not what counts here.
    finder.find(user, for: service.uniqueName) {}
    try turning("the agent is asked") { !agent.reads.isEmpty }
    agent.reads[0].answer(.uint32(8))
    try turning("it is known") { finder.level(for: user, without: service.uniqueName) == .level(.exact) }

    var isOver = false
    let end = service.onSignal(MatchRule(interface: "a.b")) { _ in isOver = true }
    for _ in 0..<1_000 {
      object.propertyChanged("MaxAccuracyLevel", of: AgentQuestion.interface)
      object.flushChanges()
    }
    other.send(try Message(signal: "End", of: "a.b", at: "/"))
    try turning("all of that has come") { isOver }
    // The second is not answered; when it is given up, one more may follow.
    #expect(agent.reads.count <= 3)
    #expect(opened == 1)
    withExtendedLifetime(end) {}
  }
}
