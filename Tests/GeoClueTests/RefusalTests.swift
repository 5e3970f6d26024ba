// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeoClue

/// Refusals by GeoClue.
@Suite nonisolated struct RefusalTests {
  private func refused(_ reason: AuthorizationReason) -> MachineDriver {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .created(client: "/1"))
    #expect(driver.send(.startFailed(.refused(reason))) == [.deleteClient("/1")])
    return driver
  }

  @Test(
    arguments: [
      (.disabledByUser, .unavailable, .disabledByUser),
      (.disallowedByConfiguration, .unavailable, .disallowedByConfiguration),
      (.rejectedByAgent, .unavailable, .rejectedByAgent),
      (.disallowedByPolicy, .unavailable, .disallowedByPolicy),
      (.noAgent, .waiting, .noAgent),
      (.undecided, .starting, .none),
    ] as [(AuthorizationReason, SourceState, SourceReason)])
  func `each refusal by GeoClue is reported, and Start is tried again later`(
    reason: AuthorizationReason, state: SourceState, told: SourceReason
  ) {
    let driver = refused(reason)
    #expect(driver.state == state)
    #expect(driver.reason == told)
    #expect(driver.authorization == .refused(reason))
    #expect(driver.machine.client == nil)
    #expect(driver.machine.deadline != nil, "GeoClue is asked again later")
  }

  @Test func `a start that GeoClue refuses is tried again at growing intervals`() {
    var driver = refused(.disabledByUser)
    var attempts: [MonotonicInstant] = []
    for client in 2..<12 {
      while driver.pass(100).isEmpty {}
      attempts.append(driver.now)
      #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .disabledByUser))
      #expect(driver.authorization == .refused(.disabledByUser))
      driver.send(.created(client: "/\(client)"))
      #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .disabledByUser))
      driver.send(.startFailed(.refused(.disabledByUser)))
    }
    let gaps = zip(attempts, attempts.dropFirst()).map { $1 - $0 }
    #expect(gaps == gaps.sorted())
    #expect(gaps.last == .seconds(300))
  }

  @Test func `after a refused start, an agent that announces a level causes another attempt`() {
    var driver = refused(.disabledByUser)
    driver.pass(ConnectionPacing.clientGap)
    #expect(driver.send(.agentChanged(.exact)) == [.createClient, .readAvailableAccuracy])
    driver.send(.created(client: "/2"), .started)
    #expect(driver.authorization == .authorized(.always))
    #expect(driver.reason == .noFix)
  }

  @Test func `after a refusal, a restarted GeoClue is asked immediately`() {
    var driver = refused(.disallowedByConfiguration)
    driver.send(.serviceVanished)
    #expect(driver.reason == .disallowedByConfiguration)
    #expect(driver.authorization == .refused(.disallowedByConfiguration))
    #expect(driver.send(.serviceAppeared) == [.createClient, .readAvailableAccuracy])
    #expect(driver.authorization == .undecided && driver.state == .starting, "the new one has refused nothing")
    driver.send(.created(client: "/1"), .started)
    #expect(driver.authorization.isAuthorized)
  }

  @Test func `location remains off across a restart of GeoClue if the agent has announced it`() {
    var driver = refused(.disabledByUser)
    driver.send(.agentChanged(AccuracyLevel.none), .serviceVanished, .serviceAppeared)
    #expect(driver.authorization == .refused(.disabledByUser))
  }

  /// Regression: the refusal was forgotten, and programs were told that the authorization was undecided.
  @Test func `location remains off while GeoClue cannot be started if the agent has announced it`() {
    var driver = refused(.disabledByUser)
    driver.send(.agentChanged(AccuracyLevel.none), .serviceVanished)
    #expect(driver.pass(ConnectionMachine.announcedOff).contains(.activate))
    driver.send(.activationFailed(notInstalled: false))
    #expect(driver.reason == .geoclueRestarting)
    #expect(driver.authorization == .refused(.disabledByUser))
  }

  @Test func `after a refusal, a new subscriber causes another attempt immediately`() {
    var driver = refused(.disabledByUser)
    #expect(driver.send(.demand(nil)) == [])
    #expect(driver.authorization == .undecided, "without demand the switch is not observed")
    #expect(driver.state == .idle)
    #expect(driver.send(.demand(.city)) == [.createClient, .readAvailableAccuracy])
    #expect(driver.state == .starting)
  }

  @Test func `a CreateClient that GeoClue refuses is reported`() {
    var driver = MachineDriver(after: .serviceAppeared, .demand(.exact))
    #expect(driver.send(.creationFailed(.refused(.disallowedByPolicy))) == [])
    #expect(driver.reason == .disallowedByPolicy)
    #expect(driver.authorization == .refused(.disallowedByPolicy))
    #expect(driver.pass(2_000) == [.createClient, .readAvailableAccuracy])
  }

  @Test func `a Start that fails or is not answered is repeated later`() {
    for isAnswered in [true, false] {
      var driver = MachineDriver(after: .serviceAppeared, .demand(.exact), .created(client: "/1"))
      let actions = isAnswered ? driver.send(.startFailed(.other)) : driver.pass(ConnectionMachine.startDeadline)
      #expect(actions == [.deleteClient("/1")])
      #expect(driver.machine.status == SourceStatus(state: .unavailable, reason: .geoclueRestarting))
      #expect(driver.send(.started) == [], "too late")
      #expect(driver.machine.client == nil)
      #expect(driver.pass(260).contains(.createClient))
    }
  }
}
