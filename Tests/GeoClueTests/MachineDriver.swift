// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

@testable import GeoClue

/// Drives a connection machine in virtual time, as the shell drives it in real time.
nonisolated struct MachineDriver {
  var machine: ConnectionMachine
  private(set) var now = MonotonicInstant(sinceOrigin: .seconds(1_000))
  var chance = 0.5
  /// Whether GeoClue answers a ping.
  var isAlive = true

  /// A machine that has handled some events.
  init(registersAgent: Bool = false, after events: ConnectionMachine.Event...) {
    machine = ConnectionMachine(registersAgent: registersAgent)
    for event in events { send(event) }
  }

  var state: SourceState { machine.status.state }
  var reason: SourceReason { machine.status.reason }
  var authorization: Authorization { machine.authorization }

  @discardableResult
  mutating func send(_ events: ConnectionMachine.Event...) -> [ConnectionMachine.Action] {
    events.flatMap { machine.handle($0, at: now, chance: chance) }
  }

  /// Advances time; the timer fires whenever it is due. Returns all actions.
  @discardableResult
  mutating func pass(_ milliseconds: Int) -> [ConnectionMachine.Action] { pass(.milliseconds(milliseconds)) }

  @discardableResult
  mutating func pass(_ time: Duration) -> [ConnectionMachine.Action] {
    let end = now + time
    var actions: [ConnectionMachine.Action] = []
    while let deadline = machine.deadline, deadline <= end {
      now = max(now, deadline)
      let due = machine.handle(.timer, at: now, chance: chance)
      actions += due
      if isAlive, due.contains(.readAvailableAccuracy) { send(.available(nil)) }
    }
    now = end
    return actions
  }

  /// A machine whose client is running.
  static func running(_ level: AccuracyLevel = .exact, client: String = "/1", registersAgent: Bool = false) -> Self {
    var driver = MachineDriver(
      registersAgent: registersAgent, after: .serviceAppeared, .demand(level), .available(.exact),
      .created(client: client), .started)
    // Old enough that the client may be replaced immediately.
    driver.pass(ConnectionPacing.clientGap)
    return driver
  }

  /// A machine that waits for an agent.
  static func withoutAgent(registersAgent: Bool = false) -> Self {
    var driver = MachineDriver(
      registersAgent: registersAgent, after: .serviceAppeared, .demand(.exact), .available(.exact))
    driver.pass(ConnectionMachine.agentDeadline)
    return driver
  }
}
