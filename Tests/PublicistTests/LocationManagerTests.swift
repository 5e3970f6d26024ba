// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import Publicist

/// The behaviour of CoreLocation's manager, with a scripted source.
@Suite struct LocationManagerTests {
  private let source = ScriptedSource()
  private let delegate = Diary()
  private let manager: LocationManager

  init() {
    manager = LocationManager(source: source)
    manager.delegate = delegate
  }

  private func fix(_ latitude: Double) {
    source.onEvent?(.location(Location(latitude: latitude, longitude: 0, sequence: 99)))
  }

  @Test func `nothing is known before a request`() {
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

  @Test func `every location is delivered until the end`() {
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

  @Test func `a location without demand is not delivered`() {
    fix(1)
    manager.startUpdatingLocation()
    manager.stopUpdatingLocation()
    fix(2)
    #expect(delegate.latitudes.isEmpty)
    #expect(manager.location == nil)
  }

  @Test func `one location is delivered on request`() {
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

  @Test func `a request while updating returns the source's last fix`() {
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

  @Test func `the accuracy may change while updating`() {
    manager.desiredAccuracy = .city
    manager.startUpdatingLocation()
    manager.desiredAccuracy = .city
    manager.desiredAccuracy = .street
    #expect(source.required == [.city, .street])
  }

  @Test func `the delegate may stop updates inside a callback`() {
    delegate.onLocation = { $0.stopUpdatingLocation() }
    manager.startUpdatingLocation()
    fix(1)
    fix(2)
    #expect(delegate.latitudes == [1])
    #expect(source.required == [.exact, nil])
  }

  @Test func `when access is lost, the location is cleared before the loss is reported`() {
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

  @Test func `a repeated authorization is not a change`() {
    source.authorize(.undecided)
    #expect(delegate.authorizations.isEmpty)
    source.authorize(.refused(.noAgent))
    source.authorize(.refused(.noAgent))
    #expect(delegate.authorizations == [.notDetermined])
  }

  @Test func `failures and the source's state are passed on`() {
    let status = SourceStatus(state: .unavailable, reason: .noSource, availableAccuracy: AccuracyLevel.none)
    source.onEvent?(.status(status))
    source.onEvent?(.failure(LocationError(.denied, "No")))
    #expect(manager.sourceStatus == status)
    #expect(delegate.statuses == [status])
    #expect(delegate.failures == [LocationError(.denied, "No")])
  }

  @Test func `the manager drops its location and starts over`() {
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
