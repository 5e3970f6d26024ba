// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// Every order of events up to a depth.
@Suite struct ExplorationTests {
  @Test func `from every reachable state, a new GeoClue delivers locations`() {
    let events: [ConnectionMachine.Event] = [
      .demand(.exact), .demand(.city), .demand(nil), .refresh, .startOver, .serviceAppeared, .serviceVanished,
      .activated,
      .activationFailed(notInstalled: false), .created(client: "/1"), .creationFailed(.other),
      .creationFailed(.refused(.disallowedByConfiguration)), .started, .startFailed(.other), .active(false),
      .active(true), .available(.exact), .available(AccuracyLevel.none), .fix(isNew: true),
      .agentChanged(AccuracyLevel.none), .agentRefused,
      .timer,
    ]
    func explore(_ machine: ConnectionMachine, depth: Int) -> Exploration<
      ConnectionMachine, ConnectionMachine.Event, MonotonicClock
    > {
      Exploration(
        machine, depth: depth, step: .milliseconds(1), events, state: { caseName(of: "state", in: $0) },
        deadline: \.deadline,
        { _ = $0.handle($1, at: $2, chance: 0.5) })
    }
    let all = explore(ConnectionMachine(), depth: 3)
    #expect(all.differences(from: ["activating", "creating", "idle", "pausing"]) == [])
    var held = ConnectionMachine()
    for event in [.demand(.city), .serviceAppeared, .created(client: "/1")] as [ConnectionMachine.Event] {
      _ = held.handle(event, at: all.nodes[0].now, chance: 0.5)
    }
    let further = explore(held, depth: 2)
    #expect(further.differences(from: ["running", "starting"]).filter { $0.hasPrefix("missing") } == [])
    for node in all.nodes + further.nodes {
      var machine = node.machine
      #expect(machine.deadline != nil || machine.client != nil || machine.status.state == .idle, "after \(node.path)")
      // GeoClue exits. From now on, it answers all calls.
      var (now, answers) = (node.now, [ConnectionMachine.Event.serviceVanished, .demand(.exact)])
      for _ in 0..<60 where machine.status.state != .running {
        if answers.isEmpty {
          now = max(now, machine.deadline ?? now)
          answers = [.timer]
        }
        for action in machine.handle(answers.removeFirst(), at: now, chance: 0.5) {
          switch action {
          case .activate: answers += [.serviceAppeared, .activated]
          case .createClient: answers.append(.created(client: "/2"))
          case .startClient: answers += [.started, .active(true), .fix(isNew: true)]
          case .readAvailableAccuracy: answers.append(.available(.exact))
          case .registerAgent, .deleteClient: break
          }
        }
      }
      #expect(machine.status.state == .running, "after \(node.path): \(machine)")
    }
  }
}
