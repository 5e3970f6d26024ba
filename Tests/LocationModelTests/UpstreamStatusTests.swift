// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct UpstreamStatusTests {
  @Test func `the words are the contract's`() {
    #expect(UpstreamState.allCases.map(\.rawValue) == ["idle", "starting", "waiting", "running", "unavailable"])
    #expect(
      UpstreamReason.allCases.map(\.rawValue) == [
        "", "no-agent", "geoclue-not-installed", "geoclue-restarting", "no-source", "no-fix", "resting",
        "disabled-by-user", "rejected-by-agent", "disallowed-by-configuration", "disallowed-by-policy",
      ])
  }

  @Test func `a refusal keeps its word`() {
    for reason in AuthorizationReason.allCases {
      let upstream = UpstreamReason(refusal: reason)
      #expect(upstream == .none || upstream.rawValue == reason.rawValue)
    }
    #expect(UpstreamReason(refusal: .disabledByUser) == .disabledByUser)
    #expect(UpstreamReason(refusal: .noAgent) == .noAgent)
    #expect(UpstreamReason(refusal: .undecided) == .none)
    #expect(UpstreamReason(refusal: .reducedAccuracy) == .none)
  }

  @Test(arguments: [(nil, "unknown"), (.some(.none), "none"), (.city, "city")] as [(AccuracyLevel?, String)])
  func `none and unknown are different`(level: AccuracyLevel?, name: String) {
    #expect(UpstreamStatus(state: .running, availableAccuracy: level).availableAccuracyName == name)
  }
}
