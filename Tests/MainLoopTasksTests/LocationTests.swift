// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import MainLoopTasks
import Observation
import PublicistTesting
import Testing

/// The time of the newest location, in seconds.
private var second: UInt64 = 0

extension FakeLocationSource {
  fileprivate func move(to latitude: Double) {
    second += 1
    send(.location(Location(latitude: latitude, longitude: 13, timestamp: Timestamp(seconds: second))))
  }
}

@Suite struct LocationTests {
  private let source = FakeLocationSource()
  private let manager: LocationManager

  init() { manager = LocationManager(source: source) }

  @Test func `a slow loop over locations receives the newest one and ends when its task is cancelled`() async throws {
    let publicist = LocationPublicist(manager)
    manager.startUpdatingLocation()
    var latitudes: [Double] = []
    var hasEnded = false
    let gate = Gate()
    let task = Task {
      for await location in publicist.locations(bufferingNewest: 1) {
        latitudes.append(location.latitude)
        while !gate.isOpen { await Task.yield() }
      }
      hasEnded = true
    }
    try await settle("the subscription") {
      source.move(to: 1)
      return latitudes == [1]
    }
    for latitude in 2...4 { source.move(to: Double(latitude)) }
    gate.isOpen = true
    try await settle("the newest") { latitudes.count == 2 }
    #expect(latitudes == [1, 4])
    task.cancel()
    try await settle("the end") { hasEnded }
    source.move(to: 5)
    #expect(latitudes == [1, 4])
  }

  @Test func `currentLocation() returns one location and releases the source`() async throws {
    async let location = manager.currentLocation()
    try await settle("the request") { source.level != nil }
    source.move(to: 52)
    #expect(try await location.latitude == 52)
    #expect(source.level == nil)
  }

  @Test func `currentLocation() throws if the source fails, access is refused or the timeout passes`() async throws {
    func failure(timeout: Duration = .seconds(30), _ event: LocationSourceEvent?) async throws -> LocationError.Code? {
      var error: LocationError?
      let task = Task {
        do { _ = try await manager.currentLocation(timeout: timeout) } catch let caught as LocationError {
          error = caught
        }
      }
      try await settle("the request") { source.level != nil || error != nil }
      if let event { source.send(event) }
      try await settle("the failure") { error != nil }
      try await task.value
      #expect(source.level == nil)
      return error?.code
    }
    #expect(try await failure(timeout: .milliseconds(20), nil) == .locationUnknown)
    #expect(try await failure(.failure(LocationError(.unavailable, "off"))) == .unavailable)
    let unavailable = LocationSourceEvent.status(SourceStatus(state: .unavailable).explained(by: "No bus"))
    #expect(try await failure(timeout: .milliseconds(20), unavailable) == .unavailable)
    #expect(try await failure(.authorization(.refused(.disabledByUser))) == .denied)
  }

  /// Regression: the task failed with the owner's request, or after the longest time for which a service waits.
  @Test func `currentLocation() goes on when a request to the service has timed out`() async throws {
    let source = FakeService()
    let manager = LocationManager(source: source)
    let task = Task { try await manager.currentLocation(timeout: .seconds(3_600)) }
    try await settle("the request") { source.requests.count == 1 }
    manager.requestLocation()
    for count in 2...3 {
      #expect(source.requests.count == count)
      source.requests[count - 1](.failure(LocationError(.locationUnknown, "No location arrived")))
    }
    #expect(source.requests.count == 4)
    source.requests[3](.success(Location(latitude: 52, longitude: 13)))
    #expect(try await task.value.latitude == 52)
  }

  /// Regression: the first location after access, or after a second start, was dropped because it was the last one.
  @Test func `the first location from a service may be the last one`() {
    let source = FakeService()
    let manager = LocationManager(source: source)
    let publicist = LocationPublicist(manager)
    var count = 0
    let subscription = publicist.locationPublisher().sink { _ in count += 1 }
    let location = LocationSourceEvent.location(
      Location(latitude: 52, longitude: 13, timestamp: Timestamp(seconds: 1), receivedAt: 1))
    manager.startUpdatingLocation()
    source.onEvent?(.authorization(.authorized(.whenInUse)))
    for _ in 1...2 { source.onEvent?(location) }
    #expect(count == 1)
    source.onEvent?(.authorization(.refused(.disabledByUser)))
    source.onEvent?(.authorization(.authorized(.whenInUse)))
    source.onEvent?(location)
    #expect(count == 2 && manager.location != nil)
    manager.stopUpdatingLocation()
    manager.startUpdatingLocation()
    manager.distanceFilter = 50
    for _ in 1...2 { source.onEvent?(location) }
    #expect(count == 3)
    subscription.cancel()
  }

  /// Regression: it remained among the monitored regions.
  @Test func `a region that the service has ended can be monitored again`() async throws {
    let source = FakeService()
    let manager = LocationManager(source: source)
    let region = try #require(CircularRegion(latitude: 52, longitude: 13, radius: 1_000))
    for count in 1...2 {
      manager.startMonitoring(for: region)
      try await settle("the region") { source.regions.count == count }
      #expect(manager.monitoredRegions == [region])
      source.regions[count - 1](.ended)
      #expect(manager.monitoredRegions.isEmpty)
    }
  }

  /// Regression: they began with the last authorization of earlier updates.
  @Test func `updates that begin during a request to the service wait for its authorization`() {
    let source = FakeService()
    let manager = LocationManager(source: source)
    manager.startUpdatingLocation()
    source.onEvent?(.authorization(.refused(.disabledByUser)))
    manager.stopUpdatingLocation()
    manager.requestLocation()
    var denials: [Bool] = []
    let subscription = manager.updatePublisher().sink { denials.append($0.authorizationDenied) }
    #expect(source.requests.count == 1 && denials.isEmpty)
    source.onEvent?(.authorization(.refused(.disabledByUser)))
    #expect(denials == [true])
    subscription.cancel()
  }

  @Test func `currentLocation() does not wait while updates run and access is refused`() async {
    manager.startUpdatingLocation()
    source.send(.authorization(.refused(.disabledByUser)))
    await #expect(throws: LocationError(.denied, manager.authorization.sentence)) {
      try await manager.currentLocation(timeout: .seconds(3_600))
    }
  }

  /// Regression: a refusal of earlier updates counted, although a service refuses a request itself.
  @Test func `currentLocation() forgets a refusal of earlier updates, and tasks share a call`() async throws {
    let source = FakeService()
    let manager = LocationManager(source: source)
    manager.startUpdatingLocation()
    source.onEvent?(.authorization(.refused(.disabledByUser)))
    manager.stopUpdatingLocation()
    let first = Task { try await manager.currentLocation() }
    while source.requests.isEmpty { await Task.yield() }
    let second = Task { try await manager.currentLocation(timeout: .milliseconds(20)) }
    await #expect(throws: LocationError(.locationUnknown, "No location arrived within 0.02 seconds")) {
      try await second.value
    }
    #expect(source.requests.count == 1)
    source.requests[0](.success(Location(latitude: 52, longitude: 13)))
    #expect(try await first.value.latitude == 52)
  }

  /// Regression: the request failed again at its deadline.
  @Test func `a request that has failed for want of a connection is over`() {
    let source = FakeService()
    let manager = LocationManager(source: source)
    let publicist = LocationPublicist(manager)
    var failures = 0
    let subscription = publicist.errorPublisher().sink { _ in failures += 1 }
    manager.requestLocation()
    source.onEvent?(.failure(LocationError(.unavailable, "No bus")))
    source.requests[0](.failure(LocationError(.unavailable, "No bus")))
    #expect(failures == 1)
    subscription.cancel()
  }

  /// In an asynchronous test, nothing runs GLib's loop.
  @Test func `currentLocation() needs no turn of the loop`() async throws {
    let task = Task { try await manager.currentLocation() }
    while source.level == nil { await Task.yield() }
    source.move(to: 52)
    #expect(try await task.value.latitude == 52)
    await #expect(throws: LocationError.self) { try await manager.currentLocation(timeout: .milliseconds(1)) }
  }

  @Test func `cancelling one of two calls of currentLocation() does not release the source`()
    async throws
  {
    let first = Task { try await manager.currentLocation() }
    let second = Task { try await manager.currentLocation() }
    try await settle("the requests") { source.level != nil }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(source.level != nil)
    source.move(to: 52)
    #expect(try await second.value.latitude == 52)
    #expect(source.level == nil)
  }

  @Test func `live updates contain the newest location and its diagnostics, and end when their task is cancelled`()
    async throws
  {
    var updates: [LocationUpdate] = []
    let task = Task { for await update in LocationUpdate.liveUpdates(from: { source }) { updates.append(update) } }
    try await settle("the source is used") { source.level == .exact }
    source.send(.authorization(.refused(.disabledByUser)))
    try await settle("the refusal") { updates.last?.authorizationDenied == true }
    #expect(updates.last?.location == nil && updates.last?.message.isEmpty == false)
    source.send(.authorization(.authorized(.whenInUse, level: .city, asked: .exact)))
    source.move(to: 52)
    try await settle("the location") { updates.last?.location?.latitude == 52 }
    #expect(updates.last?.accuracyLimited == true && updates.last?.locationUnavailable == false)
    source.send(.failure(LocationError(.unavailable, "off")))
    try await settle("the failure") { updates.last?.locationUnavailable == true }
    #expect(updates.last?.location == nil)
    task.cancel()
    try await settle("the end") { source.level == nil }
  }

  @Test func `an observed model follows its source until it is released`() async throws {
    var model: LiveLocation? = LiveLocation(from: source) { $0.desiredAccuracy = .city }
    #expect(source.level == .city && model?.update.location == nil)
    var changes = 0
    withObservationTracking {
      _ = model?.update
    } onChange: {
      MainActor.assumeIsolated { changes += 1 }
    }
    source.move(to: 3)
    #expect(model?.update.location?.latitude == 3 && changes == 1)
    model = nil
    #expect(source.level == nil)
  }

  /// Regression: the source was released on that thread.
  @Test func `a model that another thread releases stops on the main actor`() async throws {
    var model: LiveLocation? = LiveLocation(from: source)
    let release = Task.detached { [model] in _ = await model?.update }
    model = nil
    await release.value
    try await settle("the end") { source.level == nil }
  }
}

/// A condition that a test's task waits for.
private final class Gate {
  var isOpen = false
}

/// A source that filters and answers requests itself, like the service.
private final class FakeService: FilteringLocationSource {
  var onEvent: ((LocationSourceEvent) -> Void)?
  private(set) var requests: [(Result<Location, LocationError>) -> Void] = []
  private(set) var regions: [(RegionUpdate) -> Void] = []

  func require(_ level: AccuracyLevel?) {}
  func follow(_ options: ClientOptions?) {}
  func cancelRequest() {}

  func requestLocation(_ options: ClientOptions, _ handler: @escaping (Result<Location, LocationError>) -> Void) {
    requests.append(handler)
  }

  func monitor(
    _ configuration: RegionConfiguration, at level: AccuracyLevel, _ handler: @escaping (RegionUpdate) -> Void
  ) -> AnyObject {
    regions.append(handler)
    return self
  }

  func change(_ region: AnyObject, to level: AccuracyLevel) {}
}
