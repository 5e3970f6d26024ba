// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

/// Connections that come, go, lie, and stay silent in any order: every search ends in time, only connections that are
/// still there count, and in the end the level is the agents' own.
@Suite struct AgentSimulationTests {
  private final class World: SimulatedTime {
    enum Kind: Hashable { case agent, sandboxed, stranger, silent }

    var connections: [BusName: (kind: Kind, level: AccuracyLevel)] = [:]
    var search = AgentSearch()
    /// When calls began to wait.
    var waiting: [Int64] = []
    var longestWait: Int64 = 0
    private var timer: Int64?
    private var lastName = 0

    func handle(_ event: AgentSearch.Event) {
      let actions = search.handle(event, at: now * 1_000)
      timer = search.wakeUp
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
        case .changed: break
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
        let level = kind == .stranger ? nil : connections[name]?.level
        after(number(0...5)) { [self] in handle(.answered(name, level)) }
      }
    }

    func come() {
      lastName += 1
      let name = BusName(unchecked: ":1.\(lastName)")
      let kind: Kind = [.agent, .sandboxed, .stranger, .silent][Int(number(0...3))]
      connections[name] = (kind, [.none, .city, .exact][Int(number(0...2))])
    }

    func leave() {
      guard let name = connections.keys.sorted(by: { $0.rawValue < $1.rawValue }).randomElement(using: &random) else {
        return
      }
      connections[name] = nil
      handle(.left(name))
    }

    /// An agent changes its level, and tells so or not; if not, GeoClue comes or goes soon.
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

    /// What must hold in each millisecond.
    func check() {
      if let time = timer, now * 1_000 >= time { handle(.timer) }
      if now > 20_000, now % 1_500 == 0 { handle(.wanted(again: true)) }
      if connections.values.allSatisfy({ $0.kind != .agent }), search.level(without: ":1.0") != .unknown {
        #expect(search.level(without: ":1.0") == .none, "a level needs an agent that is there")
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `agents come and go as they like`(_ seed: UInt64) {
    let world = World(seed: seed)
    world.repeatedly(world.step)
    world.run(until: 40_000, world.check)
    #expect(world.waiting.isEmpty)
    #expect(world.longestWait <= 2_001, "\(world.longestWait) ms")
    let least = world.connections.values.filter { $0.kind == .agent }.map(\.level).min()
    #expect(world.search.level(without: ":1.0") == least.map { .level($0) } ?? .none)
    #expect(!world.search.isHeld(at: world.now * 1_000))
  }
}
