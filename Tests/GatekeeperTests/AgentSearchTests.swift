// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

@Suite struct AgentSearchTests {
  private let agent: BusName = ":1.1"
  private let other: BusName = ":1.2"
  private let client: BusName = ":1.99"

  private func answered() -> AgentSearch {
    var search = AgentSearch()
    _ = search.handle(.wanted(again: false), at: 0)
    _ = search.handle(.listed([agent], isComplete: true), at: 0)
    _ = search.handle(.answered(agent, .exact), at: 0)
    return search
  }

  private func known() -> AgentSearch {
    var search = answered()
    _ = search.handle(.verified(agent, isAgent: true), at: 0)
    return search
  }

  /// Two agents that allow exact locations.
  private func knownPair() -> AgentSearch {
    var search = known()
    _ = search.handle(.wanted(again: true), at: 1)
    _ = search.handle(.listed([agent, other], isComplete: true), at: 2)
    _ = search.handle(.answered(other, .exact), at: 3)
    _ = search.handle(.verified(other, isAgent: true), at: 4)
    return search
  }

  @Test func `a search lists and asks the user's connections, verifies each agent and ends`() {
    var search = AgentSearch()
    #expect(search.handle(.wanted(again: false), at: 0) == [.list])
    #expect(search.handle(.listed([agent, other], isComplete: true), at: 1) == [.probe(agent), .probe(other)])
    #expect(search.handle(.answered(agent, .city), at: 2) == [.verify(agent)])
    #expect(search.handle(.answered(other, nil), at: 3) == [])
    #expect(search.levels.level(without: client) == .unknown)
    #expect(search.handle(.verified(agent, isAgent: true), at: 4) == [.changed, .ready])
    #expect(search.levels.level(without: client) == .level(.city))
    #expect(search.levels.level(without: agent) == .none, "no client is its own agent")
  }

  /// Regression: the first call was answered at the finer level although the other agent had refused.
  @Test func `a search waits until an agent that has refused is verified, and each has 50 ms to answer`() {
    var search = AgentSearch()
    _ = search.handle(.wanted(again: false), at: 0)
    _ = search.handle(.listed([agent, other], isComplete: true), at: .milliseconds(60))
    _ = search.handle(.answered(agent, .exact), at: .milliseconds(61))
    #expect(search.handle(.verified(agent, isAgent: true), at: .milliseconds(70)) == [])
    #expect(search.levels.least == .unknown)
    #expect(search.deadline == .milliseconds(110))
    #expect(search.handle(.answered(other, AccuracyLevel.none), at: .milliseconds(109)) == [.verify(other)])
    #expect(search.handle(.timer, at: .milliseconds(110)) == [])
    #expect(search.handle(.verified(other, isAgent: true), at: .milliseconds(300)) == [.changed, .ready])
    #expect(search.levels.least == .level(.none))
  }

  @Test func `a verification that takes too long does not prevent a search from ending`() {
    var search = AgentSearch()
    _ = search.handle(.wanted(again: false), at: 0)
    _ = search.handle(.listed([agent, other], isComplete: true), at: .milliseconds(1))
    _ = search.handle(.answered(agent, .exact), at: .milliseconds(2))
    _ = search.handle(.verified(agent, isAgent: true), at: .milliseconds(3))
    _ = search.handle(.answered(other, AccuracyLevel.none), at: .milliseconds(4))
    #expect(search.deadline == .seconds(2))
    #expect(search.handle(.timer, at: .seconds(2)) == [.changed, .ready])
    #expect(search.levels.least == .level(.exact))
  }

  @Test func `a connection that GeoClue does not accept as an agent is ignored`() {
    var search = answered()
    #expect(search.handle(.verified(agent, isAgent: false), at: 0) == [.changed, .ready])
    #expect(search.levels.level(without: client) == .none)
  }

  @Test func `an agent is missing only if all connections have been listed`() {
    var search = AgentSearch()
    _ = search.handle(.wanted(again: false), at: 0)
    _ = search.handle(.listed([other], isComplete: false), at: 1)
    _ = search.handle(.answered(other, nil), at: 2)
    #expect(search.handle(.timer, at: .seconds(2)) == [.ready])
    #expect(search.levels.least == .unknown)
    _ = search.handle(.wanted(again: true), at: .seconds(3))
    _ = search.handle(.listed([other], isComplete: true), at: .seconds(3))
    #expect(search.handle(.answered(other, nil), at: .seconds(3)) == [.changed, .ready])
    #expect(search.levels.least == .none)
  }

  /// The connection may belong to an earlier search, whose check has ended only now.
  @Test func `a verification that nobody waits for does not end a connection's question`() {
    var search = AgentSearch()
    _ = search.handle(.wanted(again: false), at: 0)
    _ = search.handle(.listed([agent], isComplete: true), at: 1)
    #expect(search.handle(.verified(agent, isAgent: true), at: 2) == [])
    #expect(search.handle(.answered(agent, .exact), at: 3) == [.verify(agent)])
  }

  /// Regression: a new silent connection every 0.9 s prevented every search from ending.
  @Test func `connections that never answer do not prevent a search from ending`() {
    var search = AgentSearch()
    var ready = 0
    var number = 0
    for millisecond in stride(from: Int64(0), to: 10_000, by: 100) {
      let now = MonotonicInstant.milliseconds(millisecond)
      var actions: [AgentSearch.Action] = []
      if millisecond % 900 == 0 {
        number += 1
        actions += search.handle(.wanted(again: true), at: now)
        actions += search.handle(
          .listed((1...number).map { BusName(unchecked: ":2.\($0)") }, isComplete: true), at: now)
      }
      if let deadline = search.deadline, now >= deadline { actions += search.handle(.timer, at: now) }
      ready += actions.count { $0 == .ready }
    }
    #expect(ready >= 3)
    #expect(search.levels.level(without: client) == .unknown)
  }

  /// GeoClue's demo agent answers no call while it waits for a GeoClue that hangs.
  @Test func `while a connection does not answer, the agent counts as missing only after 30 s`() {
    var search = AgentSearch()
    var ended: Int64?
    for second in 0..<60 {
      let now = MonotonicInstant.seconds(second)
      let actions =
        search.handle(.wanted(again: true), at: now)
        + search.handle(.listed([agent, other], isComplete: true), at: now)
      for case .probe(let name) in actions {
        _ = name == agent ? search.handle(.silent(agent), at: now) : search.handle(.answered(name, nil), at: now)
      }
      if ended == nil, search.levels.level(without: client) == .none { ended = Int64(second) }
    }
    #expect(ended == 21, "each question also takes up to 2 s, which this test leaves out")
    #expect(search.handle(.listed([":1.3"], isComplete: true), at: 60_000_000).last == .probe(":1.3"))
    #expect(
      search.levels.level(without: client) == .none, "a new connection changes nothing until it answers as an agent")
  }

  @Test func `a search ends after two seconds even if the bus never answers`() {
    var search = AgentSearch()
    _ = search.handle(.wanted(again: false), at: 0)
    _ = search.handle(.wanted(again: false), at: 1_900_000)
    #expect(search.deadline == 2_000_000)
    #expect(search.handle(.timer, at: 2_000_000) == [.ready])
  }

  @Test func `only a few connections are asked at a time, and silent ones at growing intervals`() {
    var search = AgentSearch()
    let names = (0..<100).map { BusName(unchecked: ":3.\($0)") }
    _ = search.handle(.wanted(again: false), at: 0)
    var probed = search.handle(.listed(names, isComplete: true), at: 0)
    #expect(probed.count == AgentSearch.parallel && search.inFlight == AgentSearch.parallel)
    probed += search.handle(.silent(names[0]), at: 2_000_000)
    #expect(probed.count { if case .probe = $0 { true } else { false } } == AgentSearch.parallel + 1)

    var single = AgentSearch()
    var asked: [Int64] = []
    for second in 0..<120 {
      let now = MonotonicInstant.seconds(second)
      for action in single.handle(.wanted(again: true), at: now)
        + single.handle(.listed([agent], isComplete: true), at: now)
      where action == .probe(agent) {
        asked.append(Int64(second))
        _ = single.handle(.silent(agent), at: now)
      }
    }
    #expect(asked == [0, 3, 9, 21, 45, 93])
  }

  /// Regression: a level remained in force after its agent had left.
  @Test func `an agent that disconnects before systemd has verified it is ignored`() {
    var search = answered()
    #expect(search.handle(.left(agent), at: 1) == [.changed, .ready])
    #expect(search.handle(.verified(agent, isAgent: true), at: 2) == [])
    #expect(search.levels.level(without: client) == .none)
  }

  @Test func `a level applies even if systemd has not yet verified the agent that announces it`() {
    var search = answered()
    _ = search.handle(.announced(agent, .none), at: 1)
    _ = search.handle(.verified(agent, isAgent: true), at: 2)
    #expect(search.levels.level(without: client) == .level(.none))
  }

  /// GNOME does not announce that location was turned off while GeoClue cannot be started.
  @Test func `when GeoClue starts or exits, deliveries are held until every agent has answered again`() {
    var search = known()
    #expect(search.handle(.doubted, at: 500_000) == [.probe(agent)])
    #expect(search.isHeld(at: 500_000))
    #expect(
      search.levels.level(without: client) == .level(.exact), "the old level remains until the agent has answered")
    #expect(search.handle(.answered(agent, AccuracyLevel.none), at: 501_000) == [.changed, .released])
    #expect(!search.isHeld(at: 501_000))
    #expect(search.levels.level(without: client) == .level(.none))
  }

  @Test func `an answer to a question from before the latest change is ignored`() {
    var search = known()
    _ = search.handle(.doubted, at: 500_000)
    _ = search.handle(.doubted, at: 600_000)
    #expect(search.handle(.answered(agent, .exact), at: 700_000) == [.probe(agent)])
    #expect(search.isHeld(at: 700_000))
    #expect(search.handle(.answered(agent, AccuracyLevel.none), at: 710_000) == [.changed, .released])
    #expect(!search.isHeld(at: 710_000))
  }

  /// The bus delivers the answer to one connection of the service, and the announcement to another.
  @Test func `an announcement outdates the answer to a question in flight`() {
    var search = known()
    _ = search.handle(.doubted, at: 500_000)
    #expect(search.handle(.announced(agent, .none), at: 501_000) == [.changed])
    #expect(search.handle(.answered(agent, .exact), at: 502_000) == [.released, .probe(agent)])
    #expect(search.levels.level(without: client) == .level(.none))
    #expect(search.handle(.answered(agent, .city), at: 503_000) == [.changed])
    #expect(search.levels.level(without: client) == .level(.city))
  }

  @Test func `an agent whose level is always in doubt is asked ten to thirty times a second`() {
    var search = known()
    var asked = 0
    var answerAt: Int64?
    for millisecond in Int64(1)...1_000 {
      let now = MonotonicInstant.milliseconds(millisecond)
      var actions = search.handle(.invalidated(agent), at: now)
      if let time = search.deadline, time <= now { actions += search.handle(.timer, at: now) }
      if answerAt == millisecond {
        answerAt = nil
        actions += search.handle(.answered(agent, .exact), at: now)
      }
      if actions.contains(.probe(agent)) { (asked, answerAt) = (asked + 1, millisecond + 2) }
      #expect(search.levels.level(without: client) == .level(.exact))
      #expect(!search.isHeld(at: now) || millisecond < 3, "the first answer ends the hold")
    }
    #expect((8...30).contains(asked), "\(asked) questions in a second")
  }

  @Test func `a connection that announces a level before it answers that it has none is asked again`() {
    var search = AgentSearch()
    _ = search.handle(.wanted(again: false), at: 0)
    _ = search.handle(.listed([agent, other], isComplete: true), at: 0)
    _ = search.handle(.announced(agent, .city), at: 1)
    #expect(search.handle(.answered(agent, nil), at: 2) == [.probe(agent)])
    #expect(search.handle(.answered(agent, .city), at: 3) == [.verify(agent)])
    #expect(search.handle(.verified(agent, isAgent: true), at: 4) == [])
    #expect(search.handle(.answered(other, nil), at: 5) == [.changed, .ready])
    #expect(search.levels.level(without: client) == .level(.city))
  }

  /// Regression: a program that announced levels, but had none, could deny its user's other programs.
  @Test func `a connection that only announces levels is no agent, and is not asked all the time`() {
    var search = known()
    #expect(search.handle(.announced(other, .none), at: 10) == [.probe(other)])
    #expect(search.handle(.announced(other, .none), at: 11) == [])
    #expect(search.handle(.answered(other, nil), at: 20) == [.probe(other)], "its object may be newer than its answer")
    #expect(search.handle(.announced(other, .none), at: 21) == [])
    #expect(search.handle(.answered(other, nil), at: 30) == [])
    #expect(search.handle(.announced(other, .none), at: 31) == [])
    #expect(search.deadline == MonotonicInstant(sinceOrigin: .microseconds(30)) + AgentSearch.interval)
    #expect(search.levels.level(without: client) == .level(.exact))
    #expect(!search.isHeld(at: 40))
  }

  @Test func `an agent that announces a level before it answers that it has none is asked again, once`() {
    var search = known()
    _ = search.handle(.doubted, at: .seconds(1))
    _ = search.handle(.announced(agent, .city), at: .seconds(1))
    #expect(search.handle(.answered(agent, nil), at: .seconds(1)) == [.probe(agent)])
    #expect(search.levels.level(without: client) == .level(.city))
    _ = search.handle(.announced(agent, .exact), at: .seconds(1))
    #expect(search.handle(.answered(agent, nil), at: .seconds(1)).contains(.changed))
    #expect(search.levels.level(without: client) != .level(.exact))
  }

  /// Regression: it was asked a third time, because its doubt counted as later than the second question.
  @Test func `an agent that had no level in its first answer is not in doubt after its second one`() {
    var search = known()
    #expect(search.handle(.doubted, at: .milliseconds(1_000)) == [.probe(agent)])
    _ = search.handle(.announced(agent, .city), at: .milliseconds(1_005))
    #expect(search.handle(.answered(agent, nil), at: .milliseconds(1_010)) == [.probe(agent)])
    #expect(search.isHeld(at: .milliseconds(1_010)))
    #expect(search.handle(.answered(agent, .city), at: .milliseconds(1_012)) == [.released])
    #expect(search.deadline == .milliseconds(31_012))
    #expect(search.handle(.timer, at: .milliseconds(1_200)) == [])
  }

  @Test func `a connection that announces a level is asked, but not again and again if it has none`() {
    var search = known()
    #expect(search.handle(.announced(other, .city), at: 10) == [.probe(other)])
    #expect(search.handle(.answered(other, nil), at: 20) == [])
    let end = MonotonicInstant(sinceOrigin: .microseconds(20)) + AgentSearch.interval
    #expect(search.handle(.announced(other, .city), at: 30) == [])
    #expect(search.handle(.invalidated(other), at: 40) == [])
    #expect(search.deadline == end)
    #expect(search.handle(.timer, at: end) == [.probe(other)])
    #expect(search.deadline == .seconds(30))
    #expect(search.handle(.answered(other, .city), at: end) == [.verify(other)])
    #expect(search.handle(.verified(other, isAgent: true), at: end) == [.changed])
    #expect(search.levels.level(without: client) == .level(.city))
  }

  /// Regression: it was forgotten until the next call, although it may forbid what another agent allows.
  @Test func `an agent that announces its level is asked again if it does not answer in time`() {
    var search = known()
    var now: MonotonicInstant = 10
    #expect(search.handle(.announced(other, .city), at: now) == [.probe(other)])
    for silence in 1..<AgentSearch.patience {
      _ = search.handle(.silent(other), at: now)
      #expect(search.deadline == now + AgentSearch.silence * (1 << (silence - 1)))
      now = search.deadline ?? now
      #expect(search.handle(.timer, at: now) == [.probe(other)])
    }
    _ = search.handle(.silent(other), at: now)
    #expect(search.deadline == .seconds(30))
  }

  @Test func `a connection that announces a change while it is asked is asked again`() {
    var search = known()
    _ = search.handle(.invalidated(other), at: 10)
    _ = search.handle(.invalidated(other), at: 20)
    #expect(search.handle(.answered(other, nil), at: 30) == [.probe(other)])
    _ = search.handle(.invalidated(other), at: 40)
    #expect(search.handle(.answered(other, nil), at: 50) == [])
    #expect(search.deadline != nil)
    _ = search.handle(.left(other), at: 60)
    #expect(search.deadline == .seconds(30))
  }

  /// Regression: the agent counted as none, for good beside another one.
  @Test func `an agent that systemd could not verify is asked again, and is not missing`() {
    var search = answered()
    #expect(search.handle(.verified(agent, isAgent: nil), at: 0) == [.ready])
    #expect(search.levels.level(without: client) == .unknown)
    #expect(search.handle(.wanted(again: false), at: 1) == [.list], "a check may cost much")
    _ = search.handle(.listed([agent], isComplete: true), at: 2)
    let later = MonotonicInstant.origin + AgentSearch.silence
    #expect(search.handle(.wanted(again: false), at: later) == [.list, .probe(agent)])
    #expect(search.handle(.answered(agent, .city), at: later) == [.verify(agent)])
    #expect(search.handle(.verified(agent, isAgent: true), at: later).first == .changed)
  }

  @Test func `while GeoClue is not running, each call asks the known agents again`() {
    var search = known()
    #expect(search.handle(.wanted(again: false), at: 500_000) == [.list])
    _ = search.handle(.listed([agent], isComplete: true), at: 500_000)
    #expect(
      search.handle(.wanted(again: false, isGeoClueThere: false), at: 600_000) == [.list, .probe(agent)])
    #expect(search.handle(.wanted(again: false, isGeoClueThere: false), at: 600_001) == [.list])
    _ = search.handle(.listed([agent], isComplete: true), at: 600_002)
    #expect(search.handle(.answered(agent, AccuracyLevel.none), at: 601_000) == [.changed, .released, .ready])
    #expect(search.levels.level(without: client) == .level(.none))
  }

  @Test func `the level of an agent that does not answer for a second is unknown`() {
    var search = known()
    _ = search.handle(.doubted, at: 500_000)
    #expect(search.deadline == 1_500_000)
    #expect(search.handle(.timer, at: 1_500_000) == [.changed, .released])
    #expect(search.levels.level(without: client) == .unknown)
    _ = search.handle(.silent(agent), at: 2_500_000)
    #expect(search.handle(.wanted(again: true), at: 3_000_000).contains(.probe(agent)), "a silent agent is asked again")
    #expect(search.handle(.answered(agent, .city), at: 3_100_000).contains(.changed))
    #expect(search.levels.level(without: client) == .level(.city))
  }

  @Test func `if one of two agents does not answer, its last level still limits that of the other one`() {
    var search = known()
    _ = search.handle(.wanted(again: true), at: 1)
    _ = search.handle(.listed([agent, other], isComplete: true), at: 2)
    _ = search.handle(.answered(other, .city), at: 3)
    _ = search.handle(.verified(other, isAgent: true), at: 4)
    #expect(search.levels == AgentLevels(least: .level(.city), from: other, others: .level(.exact)))
    _ = search.handle(.doubted, at: 500_000)
    _ = search.handle(.answered(agent, .exact), at: 500_001)
    #expect(search.isHeld(at: 500_001))
    #expect(search.handle(.timer, at: 1_500_000) == [.released])
    #expect(!search.isHeld(at: 1_500_000))
    #expect(search.levels == AgentLevels(least: .level(.city), from: other, others: .level(.exact)))
    #expect(search.handle(.answered(other, AccuracyLevel.none), at: 1_600_000) == [.changed])
    #expect(search.levels.least == .level(.none))
  }

  @Test func `if an agent announces a change but does not answer, the levels are unknown`() {
    var search = knownPair()
    _ = search.handle(.invalidated(other), at: 500_000)
    #expect(search.levels.least == .level(.exact) && search.isHeld(at: 700_000))
    _ = search.handle(.timer, at: 1_500_000)
    #expect(search.levels.least == .unknown)
    _ = search.handle(.answered(other, .city), at: 1_600_000)
    #expect(search.levels.least == .level(.city))
  }

  /// Regression: locations were delivered at the level of the other agent.
  @Test func `an agent that announces a lower level and never answers still limits the level`() {
    var search = knownPair()
    _ = search.handle(.doubted, at: .milliseconds(1_000))
    _ = search.handle(.answered(other, .city), at: .milliseconds(1_001))
    _ = search.handle(.announced(agent, .exact), at: .milliseconds(1_500))
    #expect(search.isHeld(at: .milliseconds(1_500)), "only an answer confirms a level that is not lower")
    _ = search.handle(.announced(agent, .none), at: .milliseconds(1_501))
    for time in stride(from: Int64(1_600), through: 4_000, by: 100) {
      _ = search.handle(.timer, at: .milliseconds(time))
      if time == 3_000 { _ = search.handle(.silent(agent), at: .milliseconds(time)) }
      #expect(search.levels.least == .level(.none))
    }
  }

  @Test func `an agent that was silent is asked again while another one answers`() {
    var search = knownPair()
    _ = search.handle(.doubted, at: .milliseconds(1_000))
    _ = search.handle(.answered(other, .exact), at: .milliseconds(1_001))
    _ = search.handle(.timer, at: .milliseconds(2_000))
    #expect(search.levels.level(without: client) == .level(.exact))
    _ = search.handle(.silent(agent), at: .milliseconds(3_000))
    #expect(search.deadline == MonotonicInstant.milliseconds(3_000) + AgentSearch.silence)
    #expect(search.handle(.timer, at: .milliseconds(6_000)) == [.probe(agent)])
    #expect(search.handle(.answered(agent, .city), at: .milliseconds(6_001)).contains(.changed))
    #expect(search.levels.level(without: client) == .level(.city))
  }

  @Test func `an agent that a pause kept from being asked earlier is left out if it stays silent`() {
    var search = knownPair()
    _ = search.handle(.doubted, at: .milliseconds(1_000))
    for name in [agent, other] { _ = search.handle(.answered(name, .exact), at: .milliseconds(1_002)) }
    #expect(search.handle(.doubted, at: .milliseconds(1_010)) == [])
    #expect(Set(search.handle(.timer, at: .milliseconds(1_102))) == [.probe(agent), .probe(other)])
    _ = search.handle(.answered(other, .exact), at: .milliseconds(1_103))
    _ = search.handle(.timer, at: .milliseconds(2_010))
    #expect(search.levels.level(without: client) == .level(.exact))
  }

  /// Found by the simulation: silent connections of the same user delayed the question to the coarser agent.
  @Test func `an agent that has not been asked in time is not left out`() {
    var search = known()
    _ = search.handle(.wanted(again: true), at: 1)
    _ = search.handle(.listed([agent, other], isComplete: true), at: 2)
    _ = search.handle(.answered(other, .city), at: 3)
    _ = search.handle(.verified(other, isAgent: true), at: 4)
    let crowd = (100..<100 + AgentSearch.parallel).map { BusName(unchecked: ":1.\($0)") }
    _ = search.handle(.wanted(again: true), at: 500_000)
    _ = search.handle(.listed(crowd, isComplete: true), at: 500_001)
    #expect(search.handle(.doubted, at: 500_002) == [])
    #expect(search.handle(.timer, at: 1_500_002).contains(.changed))
    #expect(search.levels.least == .unknown)
    for name in crowd { _ = search.handle(.silent(name), at: 2_500_000) }
    _ = search.handle(.answered(agent, .exact), at: 2_500_001)
    #expect(search.levels.least == .unknown)
    _ = search.handle(.answered(other, .city), at: 2_500_002)
    #expect(search.levels.least == .level(.city))
  }

  @Test func `deliveries are held until an agent that announced a change has answered`() {
    var search = known()
    #expect(search.handle(.invalidated(agent), at: 500_000) == [.probe(agent)])
    #expect(search.isHeld(at: 500_000))
    for _ in 0..<1_000 { #expect(search.handle(.invalidated(agent), at: 500_001) == []) }
    #expect(
      search.handle(.answered(agent, .exact), at: 500_002) == [.released, .probe(agent)],
      "this answer is recent enough for deliveries, and one more question covers all announcements")
    #expect(search.handle(.answered(agent, .exact), at: 500_003) == [])
  }

  /// Regression: a level that was lost, because dbus-daemon dropped its announcement, stayed wrong for good.
  @Test func `an agent is asked again after 30 s while a client is served, and no delivery waits for it`() {
    var search = known()
    #expect(search.handle(.served, at: .milliseconds(29_999)) == [])
    #expect(search.deadline == .seconds(30))
    #expect(search.handle(.served, at: .seconds(30)) == [.probe(agent)])
    #expect(search.handle(.timer, at: .seconds(30)) == [])
    #expect(search.deadline == nil)
    #expect(!search.isHeld(at: .milliseconds(31_900)))
    #expect(search.levels.level(without: client) == .level(.exact))
    #expect(search.handle(.answered(agent, AccuracyLevel.none), at: .seconds(31)) == [.changed])
    #expect(search.levels.level(without: client) == .level(.none))
    #expect(search.deadline == .seconds(61))
    _ = search.handle(.announced(agent, .exact), at: .seconds(40))
    #expect(search.deadline == .seconds(70), "an announcement is as good as an answer")
  }

  @Test func `an agent that is slow when its level has aged changes nothing`() {
    var search = known()
    #expect(search.handle(.served, at: .seconds(30)) == [.probe(agent)])
    #expect(search.handle(.silent(agent), at: .seconds(32)) == [])
    #expect(!search.isHeld(at: .seconds(32)))
    #expect(search.levels.level(without: client) == .level(.exact))
    #expect(search.deadline == .seconds(62))
    #expect(search.handle(.served, at: .seconds(62)) == [.probe(agent)])
    #expect(search.handle(.doubted, at: .milliseconds(63_900)) == [])
    #expect(search.isHeld(at: .milliseconds(63_900)))
    #expect(search.handle(.silent(agent), at: .seconds(64)) == [.probe(agent)], "the doubt has not been asked about")
    #expect(search.handle(.answered(agent, .exact), at: .milliseconds(64_001)) == [.released])
  }

  @Test func `an idle client causes no questions, and its next call asks the agent again`() {
    var search = known()
    #expect(search.handle(.timer, at: .seconds(30)) == [])
    #expect(search.deadline == nil)
    #expect(search.handle(.wanted(again: false), at: .seconds(50)) == [.list, .probe(agent)])
    #expect(search.handle(.listed([agent], isComplete: true), at: .milliseconds(50_001)) == [])
    #expect(search.handle(.answered(agent, AccuracyLevel.none), at: .milliseconds(50_002)) == [.changed, .ready])
  }

  @Test func `a level that an agent announces applies immediately`() {
    var search = known()
    #expect(search.handle(.announced(agent, .none), at: 1) == [.changed])
    #expect(search.levels.level(without: client) == .level(.none))
    #expect(search.handle(.announced(agent, .none), at: 2) == [])
  }
}

/// Connections open, close, answer falsely and stay silent in any order. Every search ends in time, only open
/// connections count, and finally the level is that of the agents.
@Suite struct AgentSimulationTests {
  private final class World: SimulatedTime {
    enum Kind: Hashable { case agent, sandboxed, outsider, silent }

    var connections: [BusName: (kind: Kind, level: AccuracyLevel)] = [:]
    var search = AgentSearch()
    /// The time at which calls began to wait.
    var waiting: [Int64] = []
    var longestWait: Int64 = 0
    private var timer: MonotonicInstant?
    private var lastName = 0

    func handle(_ event: AgentSearch.Event) {
      let actions = search.handle(event, at: .milliseconds(now))
      timer = search.deadline
      for action in actions {
        switch action {
        case .list:
          after(number(0...5)) { [self] in
            let names = connections.keys.sorted { $0.rawValue < $1.rawValue }
            after(number(0...5)) { [self] in handle(.listed(names, isComplete: true)) }
          }
        case .probe(let name): probe(name)
        case .verify(let name):
          let isAgent = connections[name]?.kind == .agent
          after(number(0...40)) { [self] in handle(.verified(name, isAgent: isAgent)) }
        case .changed, .released: break
        case .ready:
          longestWait = max(longestWait, waiting.map { now - $0 }.max() ?? 0)
          waiting = []
        }
      }
      #expect(search.inFlight <= AgentSearch.parallel)
    }

    private func probe(_ name: BusName) {
      let kind = connections[name]?.kind
      guard kind != .silent else { return after(2_000) { [self] in handle(.silent(name)) } }
      after(number(0...5)) { [self] in
        let level = kind == .outsider ? nil : connections[name]?.level
        after(number(0...5)) { [self] in handle(.answered(name, level)) }
      }
    }

    func come() {
      lastName += 1
      let name = BusName(unchecked: ":1.\(lastName)")
      let kind: Kind = [.agent, .sandboxed, .outsider, .silent][Int(number(0...3))]
      connections[name] = (kind, [.none, .city, .exact][Int(number(0...2))])
    }

    func leave() {
      guard let name = connections.keys.sorted(by: { $0.rawValue < $1.rawValue }).randomElement(using: &random) else {
        return
      }
      connections[name] = nil
      handle(.left(name))
    }

    /// An agent changes its level with or without an announcement. After an unannounced change, GeoClue starts or exits
    /// soon.
    func change() {
      let agents = connections.filter { $0.value.kind == .agent }.keys.sorted { $0.rawValue < $1.rawValue }
      guard let name = agents.randomElement(using: &random) else { return }
      let level: AccuracyLevel = [.none, .city, .exact][Int(number(0...2))]
      connections[name]?.level = level
      switch number(0...2) {
      case 0: handle(.announced(name, level))
      case 1: handle(.invalidated(name))
      default: after(number(0...300)) { [self] in handle(.doubted) }
      }
    }

    func step() {
      switch number(0...9) {
      case 0...1: come()
      case 2: leave()
      case 3...5: change()
      default:
        waiting.append(now)
        handle(.wanted(again: number(0...1) == 0))
      }
    }

    /// Conditions that must hold at each millisecond.
    func check() {
      if let time = timer, .milliseconds(now) >= time { handle(.timer) }
      if now > 20_000, now % 1_500 == 0 { handle(.wanted(again: true)) }
      if connections.values.allSatisfy({ $0.kind != .agent }), search.levels.level(without: ":1.0") != .unknown {
        #expect(search.levels.level(without: ":1.0") == .none, "a level needs a connected agent")
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `the search finds the strictest agent after any sequence of starts and exits`(_ seed: UInt64) {
    let world = World(seed: seed)
    world.repeatedly(world.step)
    world.run(until: 40_000, world.check)
    #expect(world.waiting.isEmpty)
    #expect(world.longestWait <= 2_001, "\(world.longestWait) ms")
    let least = world.connections.values.filter { $0.kind == .agent }.map(\.level).min()
    #expect(world.search.levels.level(without: ":1.0") == least.map { .level($0) } ?? .none)
    #expect(!world.search.isHeld(at: .milliseconds(world.now)))
  }
}
