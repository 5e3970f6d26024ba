// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeoClue

/// The level that subscribers need, and single requests.
@Suite nonisolated struct DemandTests {
  @Test func `the GeoClue client is deleted as soon as the last subscriber leaves`() {
    var driver = MachineDriver.running()
    #expect(driver.send(.demand(nil)) == [.deleteClient("/1")])
    #expect(driver.machine.deadline == nil)
    #expect(driver.machine.status == SourceStatus(availableAccuracy: .exact))
  }

  @Test func `a GeoClue client that is still starting is deleted when the last subscriber leaves`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .created(client: "/1"))
    #expect(driver.send(.demand(nil)) == [.deleteClient("/1")])
    #expect(driver.send(.started) == [])
    #expect(driver.state == .idle)
    #expect(driver.authorization == .undecided)
  }

  @Test func `a finer level immediately replaces the GeoClue client, which reads its level only at the start`() {
    var driver = MachineDriver.running(.city)
    driver.send(.fix(isNew: true))
    #expect(driver.send(.demand(.exact)) == [.deleteClient("/1"), .createClient, .readAvailableAccuracy])
    #expect(driver.state == .starting)
    #expect(driver.send(.created(client: "/2")) == [.startClient("/2", .exact)])
  }

  @Test func `a coarser level replaces the GeoClue client only after a delay`() {
    var driver = MachineDriver.running(.exact)
    #expect(driver.send(.demand(.city)) == [])
    #expect(driver.pass(HeldClient.coarserDelay - .milliseconds(1)) == [])
    #expect(driver.pass(1) == [.deleteClient("/1"), .createClient, .readAvailableAccuracy])
    #expect(driver.send(.created(client: "/2")) == [.startClient("/2", .city)])
    driver.send(.started)
    #expect(driver.machine.deadline == nil)
  }

  @Test func `a level that is coarser for only a moment does not replace the GeoClue client`() {
    var driver = MachineDriver.running(.exact)
    for _ in 0..<100 {
      #expect(driver.send(.demand(.city)) == [])
      #expect(driver.pass(50) == [])
      #expect(driver.send(.demand(.exact)) == [])
      #expect(driver.pass(50) == [])
    }
    #expect(driver.pass(10_000) == [])
    #expect(driver.machine.client == "/1")
  }

  @Test func `a client that GeoClue creates late is started at the current level`() {
    var driver = MachineDriver.withoutAgent()
    driver.send(.demand(.city))
    #expect(driver.send(.created(client: "/1")) == [.startClient("/1", .city)])
    #expect(driver.send(.demand(.street)).contains(.deleteClient("/1")))
  }

  @Test func `a request replaces the client of a silent source, but only once`() {
    let replacement: [ConnectionMachine.Action] = [.deleteClient("/1"), .createClient, .readAvailableAccuracy]
    var driver = MachineDriver.running()
    #expect(driver.send(.refresh) == [], "the first fix is pending")
    driver.send(.fix(isNew: true))
    var switchedOff = driver
    #expect(driver.send(.refresh) == [], "it may be about to measure")
    #expect(driver.pass(HeldClient.renewalDelay - .milliseconds(1)) == [])
    #expect(driver.send(.refresh) == [])
    #expect(driver.pass(1) == replacement)
    driver.send(.created(client: "/2"), .started, .fix(isNew: false))
    #expect(driver.pass(60_000) == [])
    switchedOff.send(.active(false))
    switchedOff.pass(HeldClient.renewalDelay)
    #expect(switchedOff.send(.refresh) == [])
    switchedOff.send(.demand(nil))
    #expect(switchedOff.send(.refresh) == [])
  }

  /// Regression: such a client was kept for ever. GeoClue does not measure for a client while another program uses the
  /// silent source, but it does for a client that follows after that program has left.
  @Test func `a request replaces a client that has only repeated a measurement`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: false))
    #expect(driver.send(.refresh) == [])
    #expect(driver.pass(HeldClient.renewalDelay - .milliseconds(1)) == [])
    driver.send(.fix(isNew: false))
    #expect(driver.pass(1) == [.deleteClient("/1"), .createClient, .readAvailableAccuracy])
    driver.send(.created(client: "/2"), .started, .fix(isNew: false))
    #expect(driver.pass(60_000) == [], "the request has been carried out")
    #expect(driver.send(.refresh) == [.deleteClient("/2"), .createClient, .readAvailableAccuracy])
  }

  @Test func `a source that delivers a fix after a request is not replaced`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: true), .refresh)
    driver.pass(10_000)
    driver.send(.fix(isNew: true))
    #expect(driver.pass(60_000) == [])
    var steady = MachineDriver.running()
    for _ in 0..<20 {
      steady.send(.fix(isNew: true))
      #expect(steady.send(.refresh) == [])
      #expect(steady.pass(1_000) == [])
    }
  }

  @Test func `startOver replaces the GeoClue client, which would keep its old fix`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: true))
    #expect(driver.send(.startOver) == [.deleteClient("/1"), .createClient, .readAvailableAccuracy])
    driver.send(.created(client: "/2"), .started)
    #expect(driver.reason == .noFix)
    driver.send(.demand(nil))
    #expect(driver.send(.startOver) == [])
  }

  @Test func `startOver shortens the pause before the next attempt`() {
    var driver = MachineDriver(after: .demand(.exact))
    for _ in 0..<9 {
      driver.send(.activationFailed(notInstalled: true))
      while driver.pass(1_000).isEmpty {}
    }
    driver.send(.activationFailed(notInstalled: true))
    #expect(driver.send(.startOver) == [])
    #expect(driver.pass(ConnectionPacing.activationGap).count == 1)
  }

  @Test func `many requests create at most four GeoClue clients a minute`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: true))
    var clients = 0
    for _ in 0..<6_000 {
      for action in driver.send(.refresh) + driver.pass(10) where action == .createClient {
        clients += 1
        driver.send(.created(client: "/\(clients + 1)"), .started, .fix(isNew: true))
      }
    }
    #expect((3...4).contains(clients))
  }

  @Test func `subscribers that repeatedly leave and return cause only a few GeoClue clients`() {
    var driver = MachineDriver(after: .serviceAppeared)
    var clients = 0
    for _ in 0..<261 {
      for action in driver.send(.demand(.exact)) + driver.pass(10) where action == .createClient {
        clients += 1
        driver.send(.created(client: "/\(clients)"), .started)
      }
      driver.send(.demand(nil))
      driver.pass(10)
    }
    #expect(clients <= 10, "in 5.2 s")
    driver.send(.demand(.exact))
    #expect(driver.pass(ConnectionPacing.clientInterval).contains(.createClient), "the next one does not wait long")
  }
}
