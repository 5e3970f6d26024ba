// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import MainLoop
import PublicistTesting
import Testing

@testable import Publicist

/// Regions of a location manager, through CoreLocation's interface and as publishers.
@Suite(.serialized) struct RegionMonitoringTests {
  private let source = FakeLocationSource()
  private let diary = Diary()
  private let manager: LocationManager
  private let region: CircularRegion

  init() throws {
    manager = LocationManager(source: source)
    manager.delegate = diary
    region = try #require(CircularRegion(latitude: 52.5, longitude: 13.25, radius: 1_000))
  }

  private func configuration(_ change: (inout RegionConfiguration) -> Void = { _ in }) -> RegionConfiguration {
    var configuration = RegionConfiguration(region)
    configuration.confirm = .milliseconds(20)
    change(&configuration)
    return configuration
  }

  private func locate(metres: Double) {
    source.move(north: metres, accuracy: 10, at: Timestamp(microsecondsSinceEpoch: MainLoop.main.clock.realtime()))
  }

  @Test func `regionPublisher reports the first state and releases the source far from the border`() throws {
    let publicist = LocationPublicist(manager)
    var events: [RegionEvent] = []
    let subscription = publicist.regionPublisher(for: configuration()).sink { events.append($0) }
    try turning("the source is needed") { source.level == .exact }
    source.authorize(.authorized(.whenInUse))
    try turning("it is outside") {
      locate(metres: 90_000)
      return events.map(\.kind) == [.determined]
    }
    try turning("the source rests") { source.level == nil }
    #expect(source.rests > 0, "the authorization is still observed")
    manager.startOver()
    #expect(events.map(\.kind) == [.determined, .lost])
    try turning("a wake-up causes a check") { source.level == .exact }
    try turning("the entry is reported") {
      locate(metres: 0)
      return events.count == 3
    }
    #expect(events[2].kind == .entered && events[2].hasGap)
    source.authorize(.refused(.disabledByUser))
    #expect(events.last?.reason == .notAuthorized)
    subscription.cancel()
    #expect(source.level == nil)
    #expect(manager.monitors.isEmpty)
  }

  /// Regression: the manager was released, and no event arrived.
  @Test func `a region is monitored as long as it has a subscriber`() throws {
    var events: [RegionEvent] = []
    var subscription: AnyCancellable? = LocationPublicist(LocationManager(source: source))
      .regionPublisher(for: configuration()).sink { events.append($0) }
    try turning("the source is needed") { source.level == .exact }
    source.authorize(.authorized(.whenInUse))
    try turning("it is outside") {
      locate(metres: 90_000)
      return events.map(\.kind) == [.determined]
    }
    subscription = nil
    #expect(subscription == nil && source.level == nil)
  }

  /// Regression: the first events stayed, and later ones were lost.
  @Test func `a subscriber without demand receives the newest events of a region`() throws {
    source.authorize(.authorized(.whenInUse))
    let publicist = LocationPublicist(manager)
    var events: [RegionEvent] = []
    let subscription = publicist.regionPublisher(for: configuration()).sink { events.append($0) }
    let recorder = publicist.regionPublisher(for: configuration()).record(asking: .none)
    try turning("many events", within: .seconds(30)) {
      locate(metres: 90_000)
      if manager.monitors.values.allSatisfy({ $0.host.machine.state == .outside }) { manager.startOver() }
      return events.count >= 80
    }
    recorder.request(.unlimited)
    #expect(recorder.values.count == 64 && recorder.values[0].committedAt > events[9].committedAt)
    subscription.cancel()
  }

  @Test func `the publisher of a region for single use finishes after its event`() throws {
    source.authorize(.authorized(.whenInUse))
    let publicist = LocationPublicist(manager)
    var (events, isFinished) = ([RegionEvent](), false)
    let configuration = configuration {
      $0.isSingleUse = true
      $0.assumed = .outside
    }
    let subscription = publicist.regionPublisher(for: configuration)
      .sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { events.append($0) })
    try turning("the publisher finishes") {
      locate(metres: 0)
      return isFinished
    }
    #expect(events.map(\.kind) == [.entered])
    #expect(source.level == nil && manager.monitors.isEmpty)
    withExtendedLifetime(subscription) {}
  }

  @Test func `while a manager only monitors a region, it uses the source but reports no locations`() throws {
    source.authorize(.authorized(.whenInUse))
    manager.startMonitoring(for: region)
    manager.startMonitoring(for: region)
    #expect(manager.monitoredRegions == [region] && manager.monitors.count == 1)
    try turning("the source is needed") { source.level == .exact }
    locate(metres: 0)
    #expect(diary.regionEvents.isEmpty && diary.locations.isEmpty)
    #expect(source.level == .exact, "the confirmation takes twenty seconds")
    manager.stopMonitoring(for: region)
    #expect(manager.monitoredRegions.isEmpty && source.level == nil)
  }

  /// Regression: a source that is silent because nothing moves was not asked, and the region was lost.
  @Test func `a check while updates run makes the source measure`() {
    MainLoop.main.withVirtualTime { time in
      source.authorize(.authorized(.whenInUse))
      manager.startUpdatingLocation()
      manager.startMonitoring(for: region)
      for _ in 0..<30 {
        time.advance(by: .seconds(1))
        locate(metres: 0)
      }
      #expect(manager.monitored[region]?.host.machine.state == .inside)
      #expect(source.refreshes == 0)
      time.advance(by: .seconds(890))
      #expect(source.refreshes > 0 && source.required == [.exact])
    }
  }
}
