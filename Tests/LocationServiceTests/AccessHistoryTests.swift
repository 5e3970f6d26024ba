// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop
import Testing

@testable import GeopublicistService

@Suite struct AccessHistoryTests {
  private let history = AccessHistory()

  private func time(_ seconds: Int64) -> BootInstant { BootInstant(microseconds: seconds * 1_000_000) }

  private func grant(at seconds: Int64, again: Bool = false) {
    if !again { history.clientCame() }
    history.granted(wasAuthorized: again, since: time(seconds), at: time(seconds))
  }

  private func refuse(_ reason: AuthorizationReason, wasAuthorized: Bool = true, at seconds: Int64) {
    history.refused(.refused(reason), wasAuthorized: wasAuthorized, at: time(seconds))
  }

  @Test func `a user whose first client is authorized could have received what is recent`() {
    grant(at: 100)
    grant(at: 200)
    #expect(history.knownFrom == time(70))
    #expect(history.exactFrom == .origin)
  }

  @Test func `without an authorized client, a user is known to have had access until the next location`() {
    grant(at: 100)
    history.clientLeft(wasAuthorized: true)
    #expect(history.knownFrom == time(70) && !history.isOver)
    history.locationArrived(newest: time(150))
    #expect(history.knownFrom == nil && history.isOver)
  }

  /// Regression: a program in doubt still counted as authorized.
  @Test func `a doubt is no refusal, but its user is not known to have access`() {
    grant(at: 100)
    refuse(.undecided, at: 110)
    #expect(history.exactFrom == .origin && history.knownFrom == time(70))
    history.locationArrived(newest: time(120))
    #expect(history.knownFrom == nil)
  }

  @Test func `a location that arrives for an authorized client changes nothing`() {
    grant(at: 100)
    history.locationArrived(newest: time(150))
    #expect(history.knownFrom == time(70))
  }

  @Test(
    arguments: [
      .sessionInactive, .disabledByUser, .disallowedByPolicy, .policyUnavailable,
    ] as [AuthorizationReason])
  func `a refusal of the user counts until a location arrives after its end`(reason: AuthorizationReason) {
    grant(at: 100)
    refuse(reason, at: 110)
    #expect(history.deniedAt == time(110) && history.exactFrom == .distantFuture && history.knownFrom == nil)
    history.locationArrived(newest: time(115))
    history.granted(wasAuthorized: false, since: time(120), at: time(121))
    #expect(history.exactFrom == time(120))
    history.locationArrived(newest: time(115))
    #expect(history.exactFrom == time(120))
    history.locationArrived(newest: time(122))
    #expect(history.exactFrom == .origin && history.deniedAt == .origin)
  }

  @Test(arguments: [.sandboxed, .rejectedByAgent, .disallowedByConfiguration, .noAgent] as [AuthorizationReason])
  func `a refusal of one program does not count for the others`(reason: AuthorizationReason) {
    history.clientCame()
    refuse(reason, wasAuthorized: false, at: 90)
    #expect(history.exactFrom == .origin)
  }

  @Test func `a refusal does not count while another client is authorized`() {
    grant(at: 100)
    history.clientCame()
    refuse(.disallowedByPolicy, wasAuthorized: false, at: 110)
    #expect(history.exactFrom == .origin && history.knownFrom == time(70))
    refuse(.disallowedByPolicy, at: 111)
    #expect(history.exactFrom == .distantFuture)
  }
}
