// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeoClue

/// GeoClue does not answer `CreateClient` until the user has an agent.
@Suite nonisolated struct WithoutAgentTests {
  @Test func `if CreateClient is not answered for two seconds, the agent is reported as missing`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .available(.exact))
    driver.pass(ConnectionMachine.agentDeadline - .milliseconds(1))
    #expect(driver.state == .starting)
    driver.pass(1)
    #expect(driver.machine.status == SourceStatus(state: .waiting, reason: .noAgent, availableAccuracy: .exact))
    #expect(driver.authorization == .refused(.noAgent))
    #expect(ConnectionMachine.agentDeadline <= .seconds(2), "a call with a deadline of 5 s can still report it")
  }

  /// Regression: this mistake was reported as a missing desktop session, even to root.
  @Test func `if the whitelist lacks the service's agent, the reason is disallowed-by-configuration`() {
    var driver = MachineDriver.withoutAgent()
    driver.send(.agentRefused)
    #expect(driver.state == .unavailable && driver.reason == .disallowedByConfiguration)
    driver.pass(120_000)
    driver.send(.available(.exact))
    #expect(driver.reason == .disallowedByConfiguration)
    // The administrator corrects the whitelist and restarts GeoClue.
    driver.send(.serviceVanished, .serviceAppeared, .created(client: "/7"), .started)
    #expect(driver.reason == .noFix)
  }

  @Test func `CreateClient is not called again while a call is pending`() {
    var driver = MachineDriver.withoutAgent()
    let actions = driver.pass(3_600_000)
    #expect(!actions.contains(.createClient))
    #expect(Set(actions.map { "\($0)" }) == ["readAvailableAccuracy"])
  }

  @Test func `the client that GeoClue creates for a late agent is started`() {
    var driver = MachineDriver.withoutAgent()
    driver.pass(40_000)
    #expect(driver.send(.created(client: "/7")) == [.startClient("/7", .exact)])
    #expect(driver.state == .starting)
    driver.send(.started)
    #expect(driver.state == .waiting && driver.reason == .noFix)
    #expect(driver.authorization == .authorized(.always))
  }

  @Test func `a client that GeoClue creates after the last subscriber has left is deleted`() {
    var driver = MachineDriver.withoutAgent()
    #expect(driver.send(.demand(nil)) == [])
    #expect(driver.state == .idle)
    #expect(driver.authorization == .undecided)
    #expect(driver.machine.deadline == nil)
    #expect(driver.send(.created(client: "/7")) == [.deleteClient("/7")])
    #expect(driver.machine.client == nil)
  }

  @Test func `a new subscriber is informed immediately that there is no agent, although CreateClient is still pending`()
  {
    var driver = MachineDriver.withoutAgent()
    driver.send(.demand(nil))
    driver.pass(10_000)
    #expect(driver.send(.demand(.city)) == [.readAvailableAccuracy])
    driver.send(.available(.exact))
    #expect(driver.reason == .noAgent)
    #expect(driver.authorization == .refused(.noAgent))
    #expect(driver.send(.created(client: "/7")) == [.startClient("/7", .city)])
  }

  @Test func `without an agent, a GeoClue that has exited is not started again for a minute`() {
    var driver = MachineDriver.withoutAgent()
    driver.pass(58_000)
    #expect(driver.send(.serviceVanished) == [])
    #expect(driver.state == .waiting && driver.reason == .noAgent)
    #expect(driver.pass(59_000) == [])
    #expect(driver.pass(2_000) == [.activate])
    #expect(driver.reason == .noAgent, "no agent has been found since")
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
    #expect(driver.reason == .noAgent)
    driver.send(.created(client: "/1"))
    #expect(driver.state == .starting)
  }

  @Test func `an error from a GeoClue that is exiting does not change the reason no-agent`() {
    var driver = MachineDriver.withoutAgent()
    #expect(driver.send(.creationFailed(.other)) == [])
    #expect(driver.reason == .noAgent)
    #expect(driver.send(.serviceVanished) == [])
    #expect(driver.reason == .noAgent)
    #expect(driver.pass(50_000).isEmpty)
  }

  @Test func `an agent, a request or another program that starts GeoClue causes an earlier attempt`() {
    var driver = MachineDriver.withoutAgent()
    driver.pass(58_000)
    driver.send(.serviceVanished)
    let paused = driver
    #expect(driver.send(.serviceAppeared).contains(.createClient))
    driver = paused
    #expect(driver.send(.agentChanged(.exact)) == [.activate])
    driver = paused
    #expect(driver.send(.refresh) == [])
    #expect(driver.pass(0) == [.activate])
    driver = paused
    driver.send(.demand(nil))
    #expect(driver.send(.demand(.exact)) == [.activate])
  }

  @Test func `the service's agent is registered again after another agent has exited`() {
    var driver = MachineDriver.withoutAgent(registersAgent: true)
    #expect(driver.reason == .noAgent)
    let actions = driver.pass(6_000)
    #expect(actions == [.readAvailableAccuracy, .registerAgent])
  }

  @Test func `a GeoClue that hangs is not reported as a missing agent`() {
    var driver = MachineDriver()
    driver.isAlive = false
    driver.send(.serviceAppeared, .demand(.exact))
    driver.pass(ConnectionMachine.agentDeadline)
    #expect(driver.state == .unavailable && driver.reason == .geoclueRestarting)
    #expect(driver.authorization == .undecided)
    // GeoClue resumes and answers pending calls. Only now can the machine determine whether there is an agent.
    driver.send(.available(.exact))
    #expect(driver.reason == .geoclueRestarting)
    driver.isAlive = true
    driver.pass(ConnectionMachine.agentDeadline)
    #expect(driver.reason == .noAgent)
    #expect(driver.authorization == .refused(.noAgent))
    // GeoClue hangs again.
    driver.isAlive = false
    driver.pass(120_000)
    #expect(driver.reason == .geoclueRestarting)
    #expect(driver.send(.created(client: "/1")) == [.startClient("/1", .exact)])
  }

  @Test func `a GeoClue that still hangs is not reported as a missing agent when a subscriber returns`() {
    var driver = MachineDriver()
    driver.isAlive = false
    driver.send(.serviceAppeared, .demand(.exact))
    driver.pass(10_000)
    driver.send(.demand(nil))
    driver.pass(10_000)
    driver.send(.demand(.exact))
    driver.pass(ConnectionMachine.agentDeadline - .milliseconds(1))
    #expect(driver.machine.status == SourceStatus(state: .starting))
    driver.pass(1)
    #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .geoclueRestarting))
  }

  @Test func `a GeoClue that begins to hang is not reported as a missing agent`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .available(.exact))
    driver.isAlive = false
    driver.pass(ConnectionMachine.agentDeadline)
    #expect(driver.state == .starting, "it is asked once more")
    driver.pass(ConnectionMachine.agentDeadline)
    #expect(driver.machine.status.reason == .geoclueRestarting)
    #expect(driver.authorization == .undecided)
  }

  @Test func `an error reply to a read of the available accuracy shows that GeoClue does not hang`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .available(nil))
    driver.pass(ConnectionMachine.agentDeadline)
    #expect(driver.machine.status == SourceStatus(state: .waiting, reason: .noAgent))
  }
}
