// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct SourceStatusTests {
  @Test func `the words are the contract's`() {
    #expect(SourceState.allCases.map(\.rawValue) == ["idle", "starting", "waiting", "running", "unavailable"])
    #expect(
      SourceReason.allCases.map(\.rawValue) == [
        "", "no-agent", "geoclue-not-installed", "geoclue-restarting", "no-source", "no-fix", "resting",
        "disabled-by-user", "rejected-by-agent", "disallowed-by-configuration", "disallowed-by-policy",
      ])
  }

  @Test func `a refusal keeps its word`() {
    for reason in AuthorizationReason.allCases {
      let upstream = SourceReason(refusal: reason)
      #expect(upstream == .none || upstream.rawValue == reason.rawValue)
    }
    #expect(SourceReason(refusal: .disabledByUser) == .disabledByUser)
    #expect(SourceReason(refusal: .noAgent) == .noAgent)
    #expect(SourceReason(refusal: .undecided) == .none)
    #expect(SourceReason(refusal: .reducedAccuracy) == .none)
  }

  @Test(arguments: [(nil, "unknown"), (.some(.none), "none"), (.city, "city")] as [(AccuracyLevel?, String)])
  func `none and unknown are different`(level: AccuracyLevel?, name: String) {
    #expect(SourceStatus(state: .running, availableAccuracy: level).availableAccuracyName == name)
  }
}
