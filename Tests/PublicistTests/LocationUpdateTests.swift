// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Publicist
import PublicistTesting
import Testing

@Suite struct LocationUpdateTests {
  private let source = FakeLocationSource()
  private let manager: LocationManager

  init() { manager = LocationManager(source: source) }

  /// Moves the source to a latitude at a second of the loop's clock.
  private func move(to latitude: Double, second: UInt64, accuracy: Double? = nil) {
    MainLoop.main.clock.boottime = { BootInstant(sinceOrigin: .seconds(second)) }
    source.onEvent?(
      .location(
        Location(latitude: latitude, longitude: 13, accuracy: accuracy, timestamp: Timestamp(seconds: second + 1))))
  }

  /// Follows the updates of a source that then runs and sends its first location.
  private func followRunningSource(_ receive: @escaping (LocationUpdate) -> Void) -> AnyCancellable {
    let subscription = manager.updatePublisher().sink(receiveValue: receive)
    source.send(.authorization(.authorized(.whenInUse)))
    source.send(.status(SourceStatus(state: .running)))
    move(to: 52, second: 0)
    return subscription
  }

  @Test func `a device is stationary after a minute within 30 m, until it moves`() {
    defer { MainLoop.main.clock = .system }
    var updates: [LocationUpdate] = []
    let subscription = manager.updatePublisher().sink { updates.append($0) }
    move(to: 52, second: 0)
    move(to: 52.0001, second: 59)
    #expect(updates.last?.stationary == false)
    move(to: 52.0002, second: 60)
    #expect(updates.last?.stationary == true)
    move(to: 52.001, second: 61)
    #expect(updates.last?.stationary == false)
    move(to: 52.0012, second: 121, accuracy: 50)
    #expect(updates.last?.stationary == true)
    #expect(updates.count == 5)
    withExtendedLifetime(subscription) {}
  }

  /// Regression: every location was published.
  @Test func `updates obey the filters of the manager`() {
    defer { MainLoop.main.clock = .system }
    manager.distanceFilter = 1_000
    var latitudes: [Double?] = []
    let subscription = manager.updatePublisher().sink { latitudes.append($0.location?.latitude) }
    for (second, latitude) in [52, 52.0001, 52.1].enumerated() { move(to: latitude, second: UInt64(second)) }
    #expect(latitudes == [52, 52.1])
    withExtendedLifetime(subscription) {}
  }

  /// Regression: with a distance filter, there was no location until the device had moved.
  @Test func `a location that cannot be read does not end the one before while the source works`() {
    defer { MainLoop.main.clock = .system }
    manager.distanceFilter = 1_000
    var last: LocationUpdate?
    let subscription = followRunningSource { last = $0 }
    source.send(.failure(LocationError(.locationUnknown, "It could not be read")))
    #expect(last?.location?.latitude == 52 && last?.locationUnavailable == false)
    // A service that has exited does not change its state.
    source.send(.failure(LocationError(.unavailable, "It does not start")))
    #expect(last?.location == nil && last?.locationUnavailable == true)
    withExtendedLifetime(subscription) {}
  }

  /// Regression: a source that applies a distance filter sends no other location before the device has moved.
  @Test func `the location returns with the source, but not with access`() {
    defer { MainLoop.main.clock = .system }
    var last: LocationUpdate?
    let subscription = followRunningSource { last = $0 }
    source.send(.failure(LocationError(.unavailable, "No bus")))
    source.send(.status(SourceStatus(state: .unavailable)))
    #expect(last?.location == nil)
    source.send(.status(SourceStatus(state: .running)))
    #expect(last?.location?.latitude == 52)
    source.send(.authorization(.refused(.disabledByUser)))
    source.send(.authorization(.authorized(.whenInUse)))
    source.send(.status(SourceStatus(state: .starting)))
    source.send(.status(SourceStatus(state: .running)))
    #expect(last?.location == nil)
    withExtendedLifetime(subscription) {}
  }

  @Test func `the source is used until the subscription to updates is cancelled`() {
    let subscription = manager.updatePublisher().sink { _ in }
    #expect(source.level == .exact)
    subscription.cancel()
    #expect(source.level == nil)
  }

  /// A source that reports its state as soon as it is used.
  private final class PromptSource: LocationSource {
    var onEvent: ((LocationSourceEvent) -> Void)?
    func require(_ level: AccuracyLevel?) {
      guard level != nil else { return }
      onEvent?(.authorization(.authorized(.always)))
      onEvent?(.failure(LocationError(.unavailable, "There is no bus")))
    }
    func refresh() {}
    func startOver() {}
    func requestAuthorization(isInteractive: Bool) {}
  }

  @Test func `updates begin with what the source reports as soon as it is used`() {
    let recorder = LocationManager(source: PromptSource()).updatePublisher().record()
    #expect(recorder.values.last?.message == "There is no bus")
    #expect(recorder.values.last?.locationUnavailable == true)
  }

  /// Regression: the authorization stayed undecided, because the source reports changes only.
  @Test func `updates of a manager that uses its source already begin with its state`() {
    manager.startUpdatingLocation()
    source.send(.authorization(.authorized(.always)))
    source.send(.status(SourceStatus(state: .unavailable)))
    let recorder = manager.updatePublisher().record()
    #expect(recorder.values.map(\.locationUnavailable) == [true])
  }

  @Test func `a failure is forgotten when the source reports a newer state`() {
    let recorder = manager.updatePublisher().record()
    source.send(.authorization(.authorized(.always)))
    source.send(.failure(LocationError(.unavailable, "not installed")))
    source.send(.status(SourceStatus(state: .unavailable)))
    #expect(recorder.values.last?.message == "not installed")
    source.send(.status(SourceStatus(state: .waiting)))
    #expect(recorder.values.last?.locationUnavailable == false)
    #expect(recorder.values.last?.message != "not installed")
  }
}
