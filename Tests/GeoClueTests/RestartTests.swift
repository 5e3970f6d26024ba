// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeoClue

/// GeoClue crashes, restarts, is upgraded, is replaced.
@Suite nonisolated struct RestartTests {
  @Test func `after a crash, GeoClue is started again after 250 ms`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: true))
    #expect(driver.send(.serviceVanished) == [], "its clients are removed with it")
    #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .geoclueRestarting))
    #expect(!driver.machine.acceptsFixes)
    #expect(driver.pass(250) == [.activate])
    #expect(driver.reason == .geoclueRestarting)
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
    #expect(driver.state == .starting)
    #expect(driver.send(.created(client: "/1")) == [.startClient("/1", .exact)])
    driver.send(.started, .fix(isNew: true))
    #expect(driver.state == .running)
  }

  @Test func `when another process takes over GeoClue's name, a new client is created`() {
    var driver = MachineDriver.running()
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
    #expect(driver.machine.client == nil)
    #expect(driver.machine.status.availableAccuracy == nil, "the value came from the previous owner")
    #expect(driver.send(.created(client: "/1")) == [.startClient("/1", .exact)])
  }

  @Test func `a CreateClient call to the previous owner of the name does not block the next one`() {
    var driver = MachineDriver.withoutAgent()
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
  }

  @Test func `without subscribers, GeoClue is not started after a crash`() {
    var driver = MachineDriver.running()
    driver.send(.demand(nil))
    #expect(driver.send(.serviceVanished) == [])
    #expect(driver.machine.deadline == nil)
    #expect(driver.send(.demand(.exact)) == [.activate])
  }

  @Test func `after repeated crashes, GeoClue is started at growing intervals`() {
    var driver = MachineDriver.running()
    var activations: [MonotonicInstant] = []
    for _ in 0..<14 {
      driver.send(.serviceVanished)
      while driver.pass(50).isEmpty {}
      activations.append(driver.now)
      driver.send(.serviceAppeared, .created(client: "/1"), .started, .fix(isNew: true))
      driver.pass(100)
    }
    let gaps = zip(activations, activations.dropFirst()).map { $1 - $0 }
    #expect(gaps == gaps.sorted())
    #expect(gaps.last.map { $0 >= .seconds(60) } == true)
  }

  @Test func `a GeoClue that crashes after a long time is started again after 250 ms`() {
    var driver = MachineDriver.running()
    for _ in 0..<20 {
      driver.pass(ConnectionPacing.steadyRun)
      driver.send(.serviceVanished)
      #expect(driver.pass(250) == [.activate])
      driver.send(.serviceAppeared, .created(client: "/1"), .started)
    }
  }

  @Test func `GeoClue's time counts, not that of the client that was replaced last`() {
    var driver = MachineDriver.running()
    for _ in 0..<20 {
      driver.pass(ConnectionPacing.steadyRun)
      driver.send(.startOver)
      driver.pass(1_000)
      driver.send(.created(client: "/2"), .started, .serviceVanished)
      #expect(driver.pass(250) == [.activate])
      driver.send(.serviceAppeared, .created(client: "/1"), .started)
    }
  }

  @Test func `a GeoClue that another program has started is used and not started again`() {
    var driver = MachineDriver.running()
    driver.send(.serviceVanished)
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
    #expect(driver.pass(1_000).contains(.activate) == false)
  }

  @Test func `an authorization is withdrawn when GeoClue cannot be started again`() {
    var driver = MachineDriver.running()
    driver.send(.serviceVanished)
    #expect(driver.authorization.isAuthorized, "a restart is not reported to clients")
    driver.pass(250)
    driver.send(.activationFailed(notInstalled: true))
    #expect(driver.authorization == .undecided)
  }

  @Test func `new subscribers do not cause unlimited starts of GeoClue`() {
    var driver = MachineDriver()
    var activations = 0
    for _ in 0..<6_000 {
      var actions = driver.send(.demand(.exact))
      actions += driver.pass(5)
      for action in actions where action == .activate {
        activations += 1
        driver.send(.activationFailed(notInstalled: true))
      }
      driver.send(.demand(nil))
      driver.pass(5)
    }
    // In one minute. The first pauses are shorter than the minimum gap, which applies afterwards.
    #expect(activations <= 6 + 12)
    #expect(activations >= 10, "each request is answered in the end")
  }

  @Test func `requests do not cause unlimited starts of GeoClue`() {
    var driver = MachineDriver(after: .demand(.exact), .activationFailed(notInstalled: true))
    var activations = 0
    for _ in 0..<6_000 {
      var actions = driver.send(.refresh)
      actions += driver.pass(10)
      for action in actions where action == .activate {
        activations += 1
        driver.send(.activationFailed(notInstalled: true))
      }
    }
    #expect(activations <= 6 + 12)
  }
}
