// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeoClue

/// While a client exists, GeoClue ignores every coarse fix after an exact one, regardless of its age.
@Suite nonisolated struct SourceLossTests {
  @Test func `a change of GeoClue's available accuracy is reported`() {
    var driver = MachineDriver.running()
    #expect(driver.send(.available(AccuracyLevel.none)) == [], "there was no fix that could hide another")
    #expect(
      driver.machine.status
        == SourceStatus(state: .unavailable, reason: .noSource, availableAccuracy: AccuracyLevel.none))
    driver.send(.available(.city))
    #expect(driver.reason == .noFix)
    #expect(driver.machine.status.availableAccuracy == .city)
  }

  @Test(arguments: [AccuracyLevel.city, .none])
  func `when the source of the last fix disappears, the GeoClue client is replaced`(left: AccuracyLevel) {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: true))
    #expect(driver.send(.available(left)) == [.deleteClient("/1"), .createClient, .readAvailableAccuracy])
    driver.send(.created(client: "/2"), .started)
    #expect(driver.state == (left == .none ? .unavailable : .waiting))
    #expect(driver.reason == (left == .none ? .noSource : .noFix))
    #expect(driver.send(.available(left)) == [])
  }

  @Test func `a higher available accuracy does not replace the GeoClue client`() {
    var driver = MachineDriver.running()
    driver.send(.available(.city), .fix(isNew: true))
    #expect(driver.send(.available(.exact)) == [])
    // The receiver that has connected and disconnected has measured nothing.
    #expect(driver.send(.available(.city)) == [])
    #expect(driver.send(.available(.country)).contains(.deleteClient("/1")))
  }

  @Test func `when a receiver stops sending fixes, the GeoClue client is replaced`() {
    var driver = MachineDriver.running()
    for _ in 0..<100 {
      driver.send(.fix(isNew: true))
      #expect(driver.pass(1_000) == [])
    }
    #expect(driver.pass(SourceWatch.patience - .milliseconds(1_001)) == [])
    #expect(driver.pass(1) == [.deleteClient("/1"), .createClient, .readAvailableAccuracy])
    driver.send(.created(client: "/2"), .started)
    #expect(driver.reason == .noFix)
    // GeoClue may have kept the old fix for another program. One new client is enough.
    driver.send(.fix(isNew: true))
    #expect(driver.machine.deadline == nil)
  }

  @Test func `a source that is not a receiver may be silent without counting as lost`() {
    var driver = MachineDriver.running()
    for _ in 0..<20 {
      driver.send(.fix(isNew: true))
      #expect(driver.pass(11_000) == [])
    }
    #expect(driver.pass(86_400_000) == [])
    #expect(driver.state == .running)
  }

  @Test func `a source that keeps appearing and disappearing causes only a few GeoClue clients`() {
    var driver = MachineDriver.running()
    var clients = 1
    for _ in 0..<1_000 {
      var actions = driver.send(.available(.exact))
      driver.send(.fix(isNew: true))
      actions += driver.send(.available(.city)) + driver.pass(10)
      for action in actions where action == .createClient {
        clients += 1
        driver.send(.created(client: "/\(clients)"), .started)
      }
    }
    #expect(clients <= 22, "in 10 s")
  }

  @Test func `an old location that is read again does not count as a sign of life of the receiver`() {
    var driver = MachineDriver.running()
    for _ in 0..<10 {
      driver.send(.fix(isNew: true))
      driver.pass(1_000)
    }
    #expect(driver.machine.deadline != nil)
    var actions: [ConnectionMachine.Action] = []
    for _ in 0..<30 {
      #expect(driver.send(.refresh).count <= 1)
      driver.send(.fix(isNew: false))
      actions += driver.pass(1_000)
    }
    #expect(actions.contains(.deleteClient("/1")))
  }

  @Test func `the old location of a new GeoClue client counts as a fix, but not as a sign of life`() {
    var driver = MachineDriver.running()
    driver.send(.fix(isNew: false))
    #expect(driver.state == .running)
    #expect(driver.machine.deadline == nil)
    #expect(driver.machine.deadline == nil)
  }
}
