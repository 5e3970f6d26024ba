// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeoClue

/// The user turns location off and on, or changes the allowed level.
@Suite nonisolated struct SwitchTests {
  @Test func `the property Active shows whether location is turned off`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: true))
    #expect(driver.send(.active(false)) == [], "the client remains: its Active shows when location is on again")
    #expect(
      driver.machine.status == SourceStatus(state: .unavailable, reason: .disabledByUser, availableAccuracy: .exact))
    #expect(driver.authorization == .refused(.disabledByUser))
    #expect(!driver.machine.acceptsFixes)
    driver.send(.fix(isNew: true))
    #expect(driver.authorization == .refused(.disabledByUser), "a late fix is ignored")
    #expect(driver.send(.active(true)) == [])
    #expect(driver.authorization == .authorized(.always))
    #expect(driver.reason == .noFix, "the earlier fix may be outdated")
    driver.send(.fix(isNew: true))
    #expect(driver.state == .running)
  }

  @Test func `turning location off is noticed even before the reply to Start`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .created(client: "/1"), .active(true))
    driver.send(.active(false), .started)
    #expect(driver.authorization == .refused(.disabledByUser))
    #expect(driver.reason == .disabledByUser)
  }

  @Test func `while location is off, the GeoClue client remains until the last subscriber leaves`() {
    var driver = MachineDriver.running()
    driver.send(.active(false))
    #expect(driver.send(.demand(nil)) == [.deleteClient("/1")])
    #expect(driver.send(.active(true)) == [])
    #expect(driver.state == .idle)
    #expect(driver.authorization == .undecided)
  }

  @Test func `when an agent changes its level, the GeoClue client is replaced after a delay`() {
    for level in [AccuracyLevel.exact, .city, .none] {
      var driver = MachineDriver.running()
      driver.send(.fix(isNew: true))
      #expect(driver.send(.agentChanged(level)) == [.deleteClient("/1")])
      #expect(!driver.machine.acceptsFixes)
      #expect(driver.send(.agentChanged(level)) == [])
      #expect(driver.pass(ConnectionPacing.agentDelay - .milliseconds(1)) == [])
      #expect(driver.pass(1) == [.createClient, .readAvailableAccuracy])
    }
  }

  @Test func `location counts as off as soon as an agent has announced level 0`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(AccuracyLevel.none))
    #expect(driver.authorization == .refused(.disabledByUser))
    #expect(
      driver.machine.status == SourceStatus(state: .unavailable, reason: .disabledByUser, availableAccuracy: .exact))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"), .startFailed(.refused(.disabledByUser)))
    #expect(driver.authorization == .refused(.disabledByUser))
  }

  @Test func `while an agent has announced level 0, GeoClue clients are not created repeatedly`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(AccuracyLevel.none))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"), .startFailed(.refused(.disabledByUser)))
    #expect(driver.pass(ConnectionMachine.announcedOff - .milliseconds(1)) == [])
    #expect(driver.send(.agentChanged(.exact)) == [.createClient, .readAvailableAccuracy])
  }

  @Test func `an agent that allows locations while GeoClue is not running ends the refusal`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(AccuracyLevel.none))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"), .startFailed(.refused(.disabledByUser)), .serviceVanished)
    #expect(driver.send(.agentChanged(nil)) == [])
    driver.send(.agentChanged(.exact))
    #expect(driver.pass(5_000) == [.activate])
  }

  @Test func `location turned on again during a pause after an exit of GeoClue is noticed immediately`() {
    var driver = MachineDriver.running()
    driver.send(.serviceVanished)
    for _ in 0..<10 {
      driver.pass(.seconds(60))
      driver.send(.activationFailed(notInstalled: false))
    }
    driver.send(.agentChanged(AccuracyLevel.none))
    #expect(driver.authorization == .refused(.disabledByUser))
    driver.send(.agentChanged(.exact))
    #expect(driver.pass(ConnectionPacing.activationGap) == [.activate])
  }

  @Test func `an agent that allows locations again ends its refusal before GeoClue has created a client`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(AccuracyLevel.none), .agentChanged(.exact))
    #expect(driver.authorization == .undecided && driver.reason == .none)
    driver.pass(ConnectionPacing.clientGap)
    driver.send(.creationFailed(.other))
    #expect(driver.authorization == .undecided)
  }

  @Test func `a client that GeoClue starts although an agent has announced level 0 counts as authorized`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(AccuracyLevel.none))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"), .started)
    #expect(driver.authorization == .authorized(.always))
    #expect(driver.reason == .noFix)
  }

  /// Regression: each program that left the bus caused a refusal of a quarter of a second or more.
  @Test func `an old level 0 that is reported again does not refuse what GeoClue has permitted`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(AccuracyLevel.none))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"), .started, .fix(isNew: true))
    #expect(driver.send(.agentChanged(AccuracyLevel.none)) == [.deleteClient("/2")])
    #expect(driver.authorization == .authorized(.always) && !driver.machine.acceptsFixes)
    #expect(driver.pass(5_000).first == .createClient)
    driver.send(.created(client: "/3"), .startFailed(.refused(.disabledByUser)))
    #expect(driver.authorization == .refused(.disabledByUser), "GeoClue decides")
  }

  /// Regression: GeoClue 2.6 does not reopen a source that is still closing.
  @Test func `a request just after a change of the agent waits until the sources have closed`() {
    var driver = MachineDriver.running()
    driver.pass(1_000)
    driver.send(.agentChanged(.city))
    driver.send(.refresh)
    #expect(driver.pass(ConnectionPacing.agentDelay - .milliseconds(1)) == [])
    #expect(driver.pass(1).first == .createClient)
  }

  @Test func `an agent that withdraws level 0 ends the refusal`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(AccuracyLevel.none))
    #expect(driver.authorization == .refused(.disabledByUser))
    driver.send(.agentChanged(nil))
    #expect(driver.authorization == .undecided && driver.reason != .disabledByUser)
  }

  @Test func `a level that an agent has lowered is reported as reduced accuracy`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(.city))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"), .started)
    #expect(driver.authorization == .authorized(.always, level: .city))
    #expect(driver.authorization.reason == .reducedAccuracy)
    // The agent's connection has closed, and the next agent has announced nothing yet.
    driver.pass(1_000)
    driver.send(.agentChanged(nil))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/3"), .started)
    #expect(driver.authorization == .authorized(.always))
  }

  @Test func `a lowered level counts before GeoClue has started the next client`() {
    var driver = MachineDriver.running()
    driver.send(.agentChanged(.city))
    #expect(driver.authorization == .authorized(.always, level: .city))
    driver.send(.agentChanged(.exact))
    #expect(driver.authorization == .authorized(.always, level: .city), "a higher level waits for the client")
  }

  /// Regression: after a rest, a location from before it was delivered at the level exact.
  @Test(arguments: [true, false]) func `a level that an agent has lowered counts after a rest`(isDuringRest: Bool) {
    var driver = MachineDriver.running()
    if !isDuringRest { driver.send(.agentChanged(.city)) }
    driver.send(.demand(nil))
    if isDuringRest { driver.send(.agentChanged(.city)) }
    driver.send(.demand(.exact))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"), .started)
    #expect(driver.authorization == .authorized(.always, level: .city))
  }

  @Test func `a refusal ends when GeoClue does not start the next client`() {
    var driver = MachineDriver.running()
    driver.send(.active(false))
    #expect(driver.authorization == .refused(.disabledByUser))
    driver.send(.agentChanged(nil))
    driver.pass(ConnectionPacing.agentDelay)
    driver.send(.created(client: "/2"))
    driver.pass(ConnectionMachine.startDeadline)
    #expect(driver.authorization == .undecided)
  }

  @Test func `when the agent exits, the agent is reported as missing`() {
    var driver = MachineDriver.running()
    #expect(driver.send(.agentChanged(nil)).first == .deleteClient("/1"))
    driver.pass(ConnectionPacing.agentDelay)
    driver.pass(ConnectionMachine.agentDeadline)
    #expect(driver.reason == .noAgent)
    #expect(driver.authorization == .refused(.noAgent))
  }

  /// Regression: the client was started with the level of the agent that had left.
  @Test func `a client that was being created when its agent left is deleted`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .available(.exact))
    driver.send(.agentChanged(nil))
    #expect(driver.send(.created(client: "/1")) == [.deleteClient("/1")])
    #expect(driver.state == .starting)
    #expect(driver.pass(ConnectionPacing.clientGap) == [.createClient, .readAvailableAccuracy])
    driver.send(.agentChanged(nil))
    #expect(
      driver.send(.created(client: "/2")) == [.startClient("/2", .exact)],
      "programs that leave again and again do not prevent every client")
  }

  @Test func `the change of an agent during a rest concerns the client that is being created`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .available(.exact))
    driver.send(.demand(nil), .agentChanged(nil), .demand(.exact))
    #expect(driver.send(.created(client: "/1")) == [.deleteClient("/1")])
  }

  @Test func `a client that waited for an agent is used, although another program left meanwhile`() {
    var driver = MachineDriver.withoutAgent()
    driver.send(.agentChanged(nil))
    #expect(driver.send(.created(client: "/1")) == [.startClient("/1", .exact)])
  }

  @Test func `an agent that keeps changing its level causes only a few GeoClue clients`() {
    var driver = MachineDriver.running()
    var clients = 1
    for _ in 0..<1_000 {
      var actions = driver.send(.agentChanged(.exact))
      actions += driver.pass(5)
      for action in actions where action == .createClient {
        clients += 1
        driver.send(.created(client: "/\(clients)"), .started)
      }
      #expect(driver.machine.client == nil || driver.machine.acceptsFixes)
    }
    #expect(clients <= 12, "in 5 s")
  }

  @Test func `GeoClue's decision is dropped when the last subscriber leaves`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: true), .demand(nil))
    #expect(driver.authorization == .undecided)
    driver.send(.demand(.exact))
    #expect(driver.authorization == .undecided)
    driver.send(.created(client: "/2"), .startFailed(.refused(.disabledByUser)))
    #expect(driver.authorization == .refused(.disabledByUser))
  }
}
