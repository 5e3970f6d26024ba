import LocationModel
import Testing

@Suite struct UpstreamStatusTests {
  @Test func `The words are the contract's`() {
    #expect(UpstreamState.allCases.map(\.rawValue) == ["idle", "starting", "waiting", "running", "unavailable"])
    #expect(
      UpstreamReason.allCases.map(\.rawValue) == [
        "", "no-agent", "geoclue-not-installed", "geoclue-restarting", "no-source", "no-fix",
      ])
  }

  @Test(arguments: [(nil, "unknown"), (.some(.none), "none"), (.city, "city")] as [(AccuracyLevel?, String)])
  func `Nothing and not known are not the same`(level: AccuracyLevel?, name: String) {
    #expect(UpstreamStatus(state: .running, availableAccuracy: level).availableAccuracyName == name)
  }
}
