// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

/// Every order of events up to a depth. The checks must hold in each reachable state.
@Suite struct ExplorationTests {
  @Test func `from every reachable state, answers from logind determine the session's state`() {
    let events: [SessionState.Event] = [
      .wanted, .doubted, .served, .left, .came, .answered(.active), .answered(.inactive), .lost, .timer,
    ]
    let found = Exploration(
      SessionState(), depth: 4, events,
      state: { "\($0.state)\($0.isAsking ? " asking" : "")\($0.isDoubtful ? " doubtful" : "")" }, deadline: \.deadline,
      { _ = $0.handle($1, at: $2) })
    // A known state that is being asked for is doubtful, unless it has merely aged.
    let states = [
      "active", "active asking", "active asking doubtful", "active doubtful", "inactive", "inactive asking",
      "inactive asking doubtful", "inactive doubtful", "unknown", "unknown asking",
    ]
    #expect(found.differences(from: states) == [])
    for node in found.nodes {
      var (machine, now) = (node.machine, node.now)
      if machine.isHeld(at: now) {
        #expect(machine.deadline.map { $0 <= now + Confirmation.holdTime } ?? false, "held for ever after \(node.path)")
      }
      _ = machine.handle(.wanted, at: now)
      for _ in 0..<8 {
        now = machine.isAsking ? now + 1_000 : max(now, machine.deadline ?? now)
        _ = machine.handle(machine.isAsking ? .answered(.active) : .timer, at: now)
      }
      let isKnown = machine.state != .unknown && !machine.isDoubtful && !machine.isAsking
      #expect(isKnown, "after \(node.path): \(machine)")
    }
  }

  @Test func `from every reachable state, the search finds an agent that answers`() throws {
    let (agent, other) = (BusName(":1.1"), BusName(":1.2"))
    let events: [AgentSearch.Event] = [
      .wanted(again: false), .wanted(again: true, isGeoClueThere: false), .listed([agent, other], isComplete: true),
      .answered(agent, .exact), .answered(agent, nil), .answered(other, .city), .silent(agent), .silent(other),
      .verified(agent, isAgent: true), .verified(other, isAgent: false), .announced(agent, .none), .invalidated(agent),
      .left(agent), .doubted, .served, .timer,
    ]
    let found = Exploration(
      AgentSearch(), depth: 3, events,
      state: {
        "\(caseName(of: "search", in: $0) == "nil" ? "idle" : "searching")\($0.knows(agent) ? " listening" : "")"
      }, deadline: \.deadline,
      { _ = $0.handle($1, at: $2) })
    #expect(found.differences(from: ["idle", "idle listening", "searching", "searching listening"]) == [])
    for node in found.nodes {
      var (machine, now) = (node.machine, node.now)
      let answers: [AgentSearch.Event] = [
        .wanted(again: true), .listed([agent, other], isComplete: true), .answered(agent, .exact),
        .answered(other, nil),
        .verified(agent, isAgent: true), .verified(other, isAgent: false), .announced(agent, .exact), .timer,
      ]
      for _ in 0..<8 {
        // Silent connections are not asked for a while.
        now += 200_000_000
        for answer in answers { _ = machine.handle(answer, at: now) }
      }
      #expect(machine.levels.level(without: ":1.9") == .level(.exact), "after \(node.path): \(machine)")
      #expect(!machine.isHeld(at: now), "after \(node.path): \(machine)")
    }
  }

  @Test func `from every reachable state, answers from polkit lead to a decision`() {
    let events: [PolicyAnswers.Event] =
      [.wanted, .doubted(isServed: true), .doubted(isServed: false)]
      + PolkitAction.allCases.map { .answered($0, PolkitReply(.yes)) }
      + [
        .answered(.accessPrecise, PolkitReply(.challenge)), .answered(.access, PolkitReply(.no)),
        .answered(.accessWithoutAgent, .unavailable), .consented(.accessPrecise, PolkitReply(.yes)),
        .timer(isServed: true, isPolkitThere: true), .timer(isServed: false, isPolkitThere: false),
      ]
    let found = Exploration(
      PolicyAnswers(), depth: 3, events,
      state: { caseName(of: "round", in: $0) == "nil" ? "idle" : "asking" }, deadline: \.deadline,
      { _ = $0.handle($1, at: $2) })
    #expect(found.differences(from: ["asking", "idle"]) == [])
    for node in found.nodes {
      var (machine, now) = (node.machine, node.now)
      for _ in 0..<8 {
        now += 40_000_000
        _ = machine.handle(.timer(isServed: true, isPolkitThere: true), at: now)
        _ = machine.handle(.wanted, at: now)
        for action in PolkitAction.allCases {
          _ = machine.handle(.answered(action, PolkitReply(action == .accessWithoutAgent ? .no : .yes)), at: now)
        }
      }
      let isDecided = PolkitAction.allCases.allSatisfy { machine.answer(to: $0) != .unknown || $0 == .access }
      #expect(isDecided && !machine.isHeld(at: now), "after \(node.path): \(machine)")
    }
  }
}
