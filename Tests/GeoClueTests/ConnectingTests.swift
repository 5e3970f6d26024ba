// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeoClue

/// The steps from the first demand to a client that sends fixes.
@Suite nonisolated struct ConnectingTests {
  @Test func `without subscribers, GeoClue is neither started nor called`() {
    var driver = MachineDriver()
    #expect(driver.send(.serviceAppeared) == [.readAvailableAccuracy])
    #expect(driver.send(.available(.city)) == [])
    #expect(driver.machine.status == SourceStatus(state: .idle, reason: .none, availableAccuracy: .city))
    #expect(driver.machine.deadline == nil)
    #expect(driver.authorization == .undecided)
    driver.send(.serviceVanished)
    #expect(driver.machine.status == SourceStatus())
  }

  @Test func `the first subscriber starts GeoClue, and a client is created when GeoClue is running`() {
    var driver = MachineDriver()
    #expect(driver.send(.demand(.city)) == [.activate])
    #expect(driver.state == .starting)
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
    #expect(driver.send(.activated) == [])
    #expect(driver.send(.available(.exact)) == [])
    #expect(driver.send(.created(client: "/1")) == [.startClient("/1", .city)])
    #expect(driver.state == .starting)
    #expect(driver.send(.started) == [])
    #expect(driver.machine.status == SourceStatus(state: .waiting, reason: .noFix, availableAccuracy: .exact))
    #expect(driver.authorization == .authorized(.always))
    #expect(driver.send(.fix(isNew: true)) == [])
    #expect(driver.state == .running && driver.reason == .none)
    #expect(driver.machine.client == "/1")
  }

  @Test func `in the system deployment, the agent is registered before each client is created`() {
    var driver = MachineDriver(registersAgent: true, after: .demand(.city))
    #expect(driver.send(.serviceAppeared) == [.registerAgent, .createClient, .readAvailableAccuracy])
    driver.send(.created(client: "/1"), .started, .serviceVanished)
    driver.pass(1_000)
    #expect(driver.send(.serviceAppeared) == [.registerAgent, .createClient, .readAvailableAccuracy])
  }

  @Test func `a fix that arrives without a client is ignored`() {
    var driver = MachineDriver.withoutAgent()
    let before = driver.machine.status
    #expect(!driver.machine.acceptsFixes)
    #expect(driver.send(.fix(isNew: true)) == [])
    #expect(driver.machine.status == before)
    #expect(driver.authorization == .refused(.noAgent))
  }

  @Test func `GeoClue is reported as not installed if it cannot be activated`() {
    var driver = MachineDriver(after: .demand(.exact))
    #expect(driver.send(.activationFailed(notInstalled: true)) == [])
    #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .geoclueNotInstalled))
    // The reason remains valid during the next attempt.
    #expect(driver.pass(210) == [.activate])
    #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .geoclueNotInstalled))
    // GeoClue is installed and started.
    driver.send(.activationFailed(notInstalled: true))
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
    #expect(driver.state == .starting)
  }

  @Test func `a failed start of GeoClue is reported`() {
    let driver = MachineDriver(after: .demand(.exact), .activationFailed(notInstalled: false))
    #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .geoclueRestarting))
  }

  @Test func `a start of GeoClue that is not answered times out`() {
    var driver = MachineDriver(after: .demand(.exact))
    #expect(driver.pass(ConnectionMachine.activationDeadline) == [])
    #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .geoclueRestarting))
    #expect(driver.pass(210) == [.activate])
  }

  @Test func `a GeoClue that has replied to its start but does not appear on the bus is started again`() {
    var driver = MachineDriver(after: .demand(.exact), .activated)
    driver.pass(ConnectionPacing.clientGap)
    #expect(driver.state == .unavailable)
    #expect(driver.machine.deadline != nil)
  }

  @Test func `a late answer to an earlier start of GeoClue is ignored`() {
    var driver = MachineDriver.running()
    #expect(driver.send(.activationFailed(notInstalled: true)) == [])
    #expect(driver.send(.activated) == [])
    #expect(driver.state == .waiting)
    #expect(driver.machine.client == "/1")
  }

  @Test func `subscribers that leave and return cause only one start of GeoClue`() {
    var driver = MachineDriver()
    #expect(driver.send(.demand(.exact)) == [.activate])
    for _ in 0..<10 {
      #expect(driver.send(.demand(nil)) == [])
      #expect(driver.send(.demand(.exact)) == [])
    }
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
  }
}
