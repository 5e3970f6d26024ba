// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import PublicistTesting
import Testing

@testable import Publicist

/// The behaviour of CoreLocation's manager, with a scripted source.
@Suite struct LocationManagerTests {
  private let source = FakeLocationSource()
  private let delegate = Diary()
  private let manager: LocationManager

  init() {
    manager = LocationManager(source: source)
    manager.delegate = delegate
  }

  private func fix(_ latitude: Double) {
    source.onEvent?(.location(Location(latitude: latitude, longitude: 0, sequence: 99)))
  }

  @Test func `before the first request, the manager does not use its source and has no location`() {
    #expect(source.required.isEmpty)
    #expect(manager.location == nil)
    #expect(manager.authorizationStatus == .notDetermined)
    #expect(manager.sourceStatus == SourceStatus())
    manager.desiredAccuracy = .city
    manager.stopUpdatingLocation()
    manager.startOver()
    #expect(source.required.isEmpty)
    #expect(source.startOvers == 0)
  }

  @Test func `every location is delivered until updates are stopped`() {
    manager.startUpdatingLocation()
    manager.startUpdatingLocation()
    fix(1)
    fix(2)
    manager.stopUpdatingLocation()
    manager.stopUpdatingLocation()
    #expect(source.required == [.exact, nil])
    #expect(delegate.latitudes == [1, 2])
    #expect(manager.location?.latitude == 2)
    // The time of receipt is that in this process, and the manager assigns its own numbers.
    #expect(delegate.locations.map(\.sequence) == [1, 2])
    #expect(delegate.locations.allSatisfy { $0.receivedAt > 0 })
  }

  /// Regression: the source continued to rest, and its last authorization remained in force.
  @Test func `updates that are stopped during a pause release the source`() {
    manager.startUpdatingLocation()
    manager.pauseUpdatingLocation()
    #expect(source.required == [.exact, nil] && source.rests == 1)
    manager.stopUpdatingLocation()
    #expect(source.required == [.exact, nil, nil] && source.rests == 1)
  }

  @Test func `a location that arrives while nothing is requested is not delivered`() {
    fix(1)
    manager.startUpdatingLocation()
    manager.stopUpdatingLocation()
    fix(2)
    #expect(delegate.latitudes.isEmpty)
    #expect(manager.location == nil)
  }

  @Test func `requestLocation delivers one location and releases the source`() {
    manager.requestLocation()
    manager.requestLocation()
    #expect(source.required == [.exact])
    fix(1)
    #expect(source.required == [.exact, nil])
    fix(2)
    #expect(delegate.latitudes == [1])
    manager.requestLocation()
    #expect(source.required == [.exact, nil, .exact])
    manager.stopUpdatingLocation()
    #expect(source.required == [.exact, nil, .exact, nil])
  }

  @Test func `a failure ends a request`() {
    manager.requestLocation()
    source.onEvent?(.failure(LocationError(.denied, "off")))
    #expect(source.required == [.exact, nil])
    fix(1)
    #expect(delegate.latitudes.isEmpty)
  }

  /// Regression: the source was used for ever.
  @Test func `a request without a location fails after its timeout`() {
    MainLoop.main.withVirtualTime { time in
      manager.requestLocation()
      fix(1)
      manager.requestLocation()
      time.advance(by: .seconds(19))
      #expect(delegate.failures.isEmpty && source.level == .exact)
      time.advance(by: .seconds(2))
      #expect(delegate.failures.map(\.code) == [.locationUnknown])
      #expect(source.level == nil)
    }
  }

  /// Regression: the reason of the source was missing.
  @Test func `a request that fails while there is no source says so`() {
    MainLoop.main.withVirtualTime { time in
      manager.requestLocation()
      source.onEvent?(.status(SourceStatus(state: .unavailable)))
      time.advance(by: .seconds(21))
      #expect(delegate.failures == [LocationError(.unavailable, manager.sourceStatus.message)])
      #expect(!manager.sourceStatus.message.isEmpty)
    }
  }

  /// Regression: each ended the other.
  @Test func `a task's request and the delegate's are independent`() {
    manager.requestLocation()
    manager.beginRequest()
    manager.endRequest()
    #expect(source.required == [.exact])
    fix(1)
    #expect(delegate.latitudes == [1] && source.required == [.exact, nil])
    manager.beginRequest()
    manager.requestLocation()
    manager.stopUpdatingLocation()
    #expect(source.required == [.exact, nil, .exact])
    manager.endRequest()
    #expect(source.required == [.exact, nil, .exact, nil])
  }

  /// Regression: it was dropped, so that the manager had no location.
  @Test func `the first location after a start or a loss of access may be the last one`() {
    manager.startUpdatingLocation()
    for _ in 1...2 { fix(1) }
    #expect(delegate.latitudes == [1])
    manager.stopUpdatingLocation()
    manager.startUpdatingLocation()
    for _ in 1...2 { fix(1) }
    #expect(delegate.latitudes == [1, 1])
    source.onEvent?(.authorization(.refused(.disabledByUser)))
    #expect(manager.location == nil)
    source.onEvent?(.authorization(.authorized(.always)))
    for _ in 1...2 { fix(1) }
    #expect(delegate.latitudes == [1, 1, 1] && manager.location != nil)
    manager.startOver()
    fix(1)
    #expect(delegate.latitudes == [1, 1, 1])
  }

  @Test func `after startOver, a repeated measurement answers no request`() {
    manager.requestLocation()
    fix(1)
    manager.requestLocation()
    fix(1)
    #expect(delegate.latitudes == [1, 1])
    manager.startOver()
    manager.requestLocation()
    fix(1)
    #expect(delegate.latitudes == [1, 1] && manager.location == nil)
    fix(2)
    #expect(delegate.latitudes == [1, 1, 2])
  }

  @Test func `requestLocation during updates asks the source for its last fix`() {
    manager.startUpdatingLocation()
    #expect(source.refreshes == 0)
    manager.requestLocation()
    #expect(source.refreshes == 1)
    #expect(source.required == [.exact])
    fix(1)
    fix(2)
    #expect(delegate.latitudes == [1, 2], "the updates continue")
    #expect(source.required == [.exact])
  }

  @Test func `desiredAccuracy can be changed during updates`() {
    manager.desiredAccuracy = .city
    manager.startUpdatingLocation()
    manager.desiredAccuracy = .city
    manager.desiredAccuracy = .street
    #expect(source.required == [.city, .street])
  }

  @Test func `the delegate may stop updates in its callback`() {
    delegate.onLocation = { $0.stopUpdatingLocation() }
    manager.startUpdatingLocation()
    fix(1)
    fix(2)
    #expect(delegate.latitudes == [1])
    #expect(source.required == [.exact, nil])
  }

  @Test func `when access is lost, the manager clears its location before it calls the delegate`() {
    manager.startUpdatingLocation()
    source.authorize(.authorized(.always))
    fix(1)
    delegate.onAuthorization = { manager in #expect(manager.location == nil) }
    for (latitude, lost) in zip(
      2..., [Authorization.refused(.disabledByUser), .undecided, .refused(.disallowedByPolicy)])
    {
      source.authorize(lost)
      #expect(manager.location == nil)
      #expect(manager.authorization == lost)
      source.authorize(.authorized(.always))
      fix(Double(latitude))
      #expect(manager.location?.latitude == Double(latitude))
    }
    #expect(
      delegate.authorizations == [
        .authorizedAlways, .denied, .authorizedAlways, .notDetermined, .authorizedAlways, .restricted,
        .authorizedAlways,
      ])
  }

  @Test func `an authorization that has not changed is not reported`() {
    source.authorize(.undecided)
    #expect(delegate.authorizations.isEmpty)
    source.authorize(.refused(.noAgent))
    source.authorize(.refused(.noAgent))
    #expect(delegate.authorizations == [.notDetermined])
  }

  @Test func `the delegate receives failures and the source's state`() {
    let status = SourceStatus(state: .unavailable, reason: .noSource, availableAccuracy: AccuracyLevel.none)
    source.onEvent?(.status(status))
    source.onEvent?(.failure(LocationError(.denied, "No")))
    #expect(manager.sourceStatus == status)
    #expect(delegate.statuses == [status])
    #expect(delegate.failures == [LocationError(.denied, "No")])
  }

  @Test func `forgetLocation drops the location, and startOver also restarts the source`() {
    manager.startUpdatingLocation()
    fix(1)
    manager.forgetLocation()
    #expect(manager.location == nil)
    #expect(source.startOvers == 0)
    fix(2)
    manager.startOver()
    #expect(manager.location == nil)
    #expect(source.startOvers == 1)
    #expect(source.required == [.exact])
    fix(3)
    #expect(delegate.locations.last?.sequence == 3, "the numbers continue")
  }

  @Test func `the manager does not retain its delegate`() {
    weak var gone: Diary?
    do {
      let diary = Diary()
      gone = diary
      manager.delegate = diary
    }
    #expect(gone == nil)
    manager.startUpdatingLocation()
    fix(1)
    #expect(manager.location?.latitude == 1)
  }
}
