// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// Every order of events up to a depth.
@Suite struct ExplorationTests {
  @Test func `from every state a new GeoClue leads to locations again`() {
    let events: [ConnectionMachine.Event] = [
      .demand(.exact), .demand(.city), .demand(nil), .refresh, .startOver, .serviceAppeared, .serviceVanished,
      .activated,
      .activationFailed(notInstalled: false), .created(client: "/1"), .creationFailed(.other),
      .creationFailed(.refused(.disallowedByConfiguration)), .started, .startFailed(.other), .active(false),
      .active(true), .available(.exact), .available(AccuracyLevel.none), .fix(isNew: true),
      .agentChanged(AccuracyLevel.none), .agentRefused,
      .timer,
    ]
    let found = Exploration(ConnectionMachine(), depth: 3, step: .milliseconds(1), events, wakeUp: \.deadline) {
      _ = $0.handle($1, at: $2, chance: 0.5)
    }
    for node in found.nodes {
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
