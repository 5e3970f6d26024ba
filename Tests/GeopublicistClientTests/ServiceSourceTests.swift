// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistClient
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop
import Publicist
import Testing

/// A manager that receives its locations from the real service, on a private bus.
@Suite(.serialized) final class ServiceSourceTests {
  private let bus: PrivateBus
  private let geoclue: FakeGeoClue
  private var service: Service
  private let manager: LocationManager
  private let publicist: LocationPublicist
  private var latitudes: [Double] = []
  private var sequences: [UInt64] = []
  private var statuses: [AuthorizationStatus] = []
  private var errors: [LocationError] = []
  private var subscriptions: Set<AnyCancellable> = []

  init() throws {
    bus = try PrivateBus(.system)
    geoclue = try FakeGeoClue(on: bus)
    service = try Service(.system, on: bus)
    manager = LocationManager(source: ServiceSource(on: .address(bus.address), desktopID: "org.example.Test"))
    publicist = LocationPublicist(manager)
    publicist.locationPublisher().sink { [unowned self] locations in
      latitudes += locations.map(\.latitude)
      sequences += locations.map(\.sequence)
    }.store(in: &subscriptions)
    publicist.authorizationPublisher().sink { [unowned self] in statuses.append($0) }.store(in: &subscriptions)
    publicist.errorPublisher().sink { [unowned self] in errors.append($0) }.store(in: &subscriptions)
  }

  private func fix(_ latitude: Double, accuracy: Double = 5) throws {
    try geoclue.fix(latitude: latitude, longitude: 13, ["Accuracy": .number(accuracy)])
  }

  private func waitForClient(_ isThere: Bool = true) throws {
    try turning("a client of GeoClue: \(isThere)", within: .seconds(30)) { try geoclue.clients().isEmpty != isThere }
  }

  /// Replaces the service, and waits until the new one also calls GeoClue.
  private func replaceService(untilItCalls member: String) throws {
    service.kill()
    service = try Service(.system, on: bus)
    try turning("the service is asked again", within: .seconds(30)) {
      Set(geoclue.calls.filter { $0.member == member }.map(\.sender)).count == 2
    }
  }

  private func begin() throws {
    manager.startUpdatingLocation()
    try waitForClient()
    try turning("the status", within: .seconds(30)) { manager.authorization.isAuthorized }
  }

  /// Waits until these locations have arrived.
  private func expect(_ expected: [Double]) throws {
    try turning("\(expected)", within: .seconds(30)) { latitudes.count >= expected.count }
    #expect(latitudes == expected)
  }

  @Test func `a client receives locations, the status and the service's state`() throws {
    try begin()
    try fix(52)
    try expect([52])
    #expect(manager.location?.accuracy == 5 && statuses == [.notDetermined, .authorizedAlways])
    try turning("the state") { manager.sourceStatus.state == .running }
    manager.stopUpdatingLocation()
    #expect(manager.sourceStatus.state == .idle)
    try waitForClient(false)
    #expect(errors.isEmpty)
  }

  @Test func `filters are applied by the service and can be changed while it delivers`() throws {
    manager.distanceFilter = 1_000
    try begin()
    try fix(52)
    try expect([52])
    try fix(52.001)
    try fix(52.1)
    try expect([52, 52.1])
    manager.distanceFilter = 0
    manager.requiredAccuracy = 10
    // The fix that did not pass the distance filter is older than the last one delivered.
    try turning("the change", within: .seconds(30)) {
      try fix(52.1 + Double(latitudes.count) / 10_000)
      return latitudes.count >= 3
    }
    let count = latitudes.count
    try fix(60, accuracy: 50)
    try fix(61)
    try turning("the accurate one", within: .seconds(30)) { latitudes.last == 61 }
    #expect(!latitudes.contains(60) && latitudes.count > count)
  }

  @Test func `authorization can be requested without starting updates`() throws {
    manager.requestAuthorization(isInteractive: false)
    try turning("the answer", within: .seconds(30)) { statuses.last == .authorizedAlways }
    #expect(try geoclue.clients().isEmpty && errors.isEmpty)
  }

  /// Regression: the request was dropped while the source waited to connect again.
  @Test func `without a bus, each request for authorization reports the failure`() throws {
    let source = ServiceSource(on: .address("unix:path=/nonexistent/bus"))
    var failures = 0
    source.onEvent = { if case .failure = $0 { failures += 1 } }
    source.follow(ClientOptions())
    #expect(failures == 1)
    for count in 2...3 {
      source.requestAuthorization(isInteractive: true)
      try turning("it fails") { failures == count }
    }
  }

  @Test func `a request delivers one location and releases the source`() throws {
    manager.requestLocation()
    try waitForClient()
    try fix(52)
    try expect([52])
    try waitForClient(false)
    #expect(latitudes == [52])
  }

  @Test func `a restart of the service is not visible to delegates and subscribers`() throws {
    try begin()
    try fix(52)
    try expect([52])
    try replaceService(untilItCalls: "Start")
    try turning("the client of the old service is removed") { try geoclue.clients().count == 1 }
    // The simulated GeoClue sends a new client nothing, and the same place is not repeated.
    try fix(53)
    try expect([52, 53])
    #expect(sequences == [1, 2] && statuses == [.notDetermined, .authorizedAlways] && errors.isEmpty)
  }

  @Test func `a request is answered although the service is killed and started again`() throws {
    manager.requestLocation()
    try waitForClient()
    try replaceService(untilItCalls: "CreateClient")
    try fix(52)
    try expect([52])
    #expect(errors.isEmpty)
  }

  @Test func `a region reports its crossings across a restart of the service`() throws {
    let circle = try #require(CircularRegion(latitude: 52, longitude: 13, radius: 500))
    var configuration = RegionConfiguration(circle)
    configuration.confirm = .milliseconds(100)
    var events: [RegionEvent.Kind] = []
    publicist.regionPublisher(for: configuration).sink { events.append($0.kind) }.store(in: &subscriptions)
    try waitForClient()
    var step = 0.0
    func move(to latitude: Double, until kinds: [RegionEvent.Kind]) throws {
      try turning("\(kinds), not \(events)", within: .seconds(30)) {
        step += 0.000_001
        try fix(latitude + step)
        return events.count >= kinds.count
      }
      #expect(events == kinds)
    }
    try move(to: 52, until: [.determined])
    try replaceService(untilItCalls: "Start")
    try move(to: 53, until: [.determined, .exited])
    #expect(errors.isEmpty)
  }

  /// Regression: it reported a failure, which also ended a request.
  @Test func `a region for a single use ends without a failure`() throws {
    let circle = try #require(CircularRegion(latitude: 52, longitude: 13, radius: 500))
    var configuration = RegionConfiguration(circle)
    (configuration.confirm, configuration.isSingleUse) = (.milliseconds(100), true)
    var (events, isFinished): ([RegionEvent.Kind], Bool) = ([], false)
    publicist.regionPublisher(for: configuration)
      .sink(receiveCompletion: { _ in isFinished = true }, receiveValue: { events.append($0.kind) })
      .store(in: &subscriptions)
    // GeoClue rests while the border is far away, unless locations are received.
    try begin()
    var step = 0.0
    for (latitude, count) in [(52.006, 1), (52.003, 2)] {
      try turning("\(count) events, not \(events)", within: .seconds(30)) {
        step += 0.000_001
        try fix(latitude + step)
        return events.count >= count
      }
    }
    try turning("it ends", within: .seconds(30)) { isFinished }
    #expect(events == [.determined, .entered] && errors.isEmpty)
  }

  @Test func `a region reports its crossings across a restart of the bus`() throws {
    let directory = TemporaryDirectory()
    let link = directory.file("bus")
    func use(_ bus: PrivateBus) {
      unlink(link)
      symlink(String(bus.address.dropFirst("unix:path=".count)), link)
    }
    use(bus)
    let publicist = LocationPublicist(LocationManager(source: ServiceSource(on: .address("unix:path=\(link)"))))
    let circle = try #require(CircularRegion(latitude: 52, longitude: 13, radius: 500))
    var configuration = RegionConfiguration(circle)
    configuration.confirm = .milliseconds(100)
    var events: [RegionEvent] = []
    let following = publicist.regionPublisher(for: configuration).sink { events.append($0) }
    var step = 0.0
    func move(to latitude: Double, by geoclue: FakeGeoClue, until count: Int) throws {
      try turning("a client of GeoClue", within: .seconds(30)) { try !geoclue.clients().isEmpty }
      try turning("\(count) events, not \(events)", within: .seconds(30)) {
        step += 0.000_001
        try geoclue.fix(latitude: latitude + step, longitude: 13, ["Accuracy": .number(5)])
        return events.count >= count
      }
    }
    try move(to: 52, by: geoclue, until: 1)
    let next = try PrivateBus(.system)
    let (nextGeoClue, nextService) = (try FakeGeoClue(on: next), try Service(.system, on: next))
    use(next)
    bus.kill()
    try move(to: 53, by: nextGeoClue, until: 2)
    #expect(events.map(\.kind) == [.determined, .exited] && events.map(\.sequence) == [1, 2])
    withExtendedLifetime((nextService, following)) {}
  }

  @Test func `a restart of GeoClue changes only the source's state`() throws {
    try begin()
    try fix(52)
    try expect([52])
    try geoclue.restart()
    try waitForClient()
    try turning("the next location", within: .seconds(30)) {
      try fix(53)
      return latitudes.last == 53
    }
    #expect(statuses == [.notDetermined, .authorizedAlways])
  }

  @Test func `the loss of the bus is reported`() throws {
    try begin()
    bus.kill()
    try turning("it is noticed", within: .seconds(30)) { !errors.isEmpty }
    #expect(errors.first?.code == .unavailable)
    manager.stopUpdatingLocation()
  }

  @Test func `a request fails at its deadline if the bus is lost`() throws {
    let source = ServiceSource(on: .address(bus.address))
    var options = ClientOptions()
    options.timeout = .seconds(5)
    var result: Result<Location, LocationError>?
    source.requestLocation(options) { result = $0 }
    try waitForClient()
    bus.kill()
    try turning("the request is answered", within: .seconds(30)) { result != nil }
    #expect(throws: LocationError.self) { try result?.get() }
  }

  @Test func `a service that is not installed is reported, and used as soon as it is installed`() throws {
    service.kill()
    try turning("its name is free", within: .seconds(30)) { try !hasOwner(Service.name, on: bus) }
    manager.requestLocation()
    try turning("the request fails", within: .seconds(15)) { !errors.isEmpty }
    manager.startUpdatingLocation()
    try turning("the subscription fails", within: .seconds(15)) { errors.count == 2 }
    for error in errors { #expect("\(error)".hasPrefix("unavailable: The location service is not installed: ")) }
    #expect(manager.sourceStatus.state == .unavailable)
    #expect(manager.sourceStatus.message == errors.first?.message)
    service = try Service(.system, on: bus)
    try waitForClient()
    try fix(52)
    try expect([52])
    try turning("the state of the service", within: .seconds(30)) { manager.sourceStatus.message.isEmpty }
    #expect(errors.count == 2)
  }

  @Test func `without a bus, the state is unavailable, and the updates and each request report one failure`() throws {
    let manager = LocationManager(source: ServiceSource(on: .address("unix:path=/nonexistent")))
    let publicist = LocationPublicist(manager)
    var failures = 0
    let counting = publicist.errorPublisher().sink { _ in failures += 1 }
    manager.startUpdatingLocation()
    #expect(failures == 1 && manager.sourceStatus.state == .unavailable && !manager.sourceStatus.message.isEmpty)
    manager.requestLocation()
    try turning("the request has failed") { failures == 2 }
    try turning(for: .milliseconds(700), "no failure is reported again") { failures == 2 }
    withExtendedLifetime((publicist, counting)) {}
  }
}
