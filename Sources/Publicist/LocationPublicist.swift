// SPDX-License-Identifier: Apache-2.0
@_exported import GeopublicistLocationModel
@_exported import Publishing

/// Turns what a ``LocationManager`` tells its delegate into publishers.
///
/// The publicist is the manager's only delegate; any number of subscribers share it. It keeps no location: subscribers
/// receive what arrives after they subscribe.
public final class LocationPublicist {
  /// The manager behind the publishers; start and stop the updates there.
  public let manager: LocationManager

  private let authorizations = PassthroughSubject<AuthorizationStatus, Never>()
  private let locations = PassthroughSubject<[Location], Never>()
  private let errors = PassthroughSubject<LocationError, Never>()
  private let upstreamStatuses = PassthroughSubject<UpstreamStatus, Never>()

  /// Becomes the manager's delegate.
  public init(_ manager: LocationManager) {
    self.manager = manager
    manager.delegate = self
  }

  /// The authorization status at the moment of subscribing, then every change.
  ///
  /// A refusal is a value and never a failure: a failed stream could not report that access is granted again.
  public func authorizationPublisher() -> AnyPublisher<AuthorizationStatus, Never> {
    Deferred { [manager, authorizations] in
      Just(manager.authorizationStatus).merge(with: authorizations)
    }.eraseToAnyPublisher()
  }

  /// The locations as they arrive, in batches with the newest last; nothing from before the subscription.
  public func locationPublisher() -> AnyPublisher<[Location], Never> { locations.eraseToAnyPublisher() }

  /// Failures; the other publishers continue.
  public func errorPublisher() -> AnyPublisher<LocationError, Never> { errors.eraseToAnyPublisher() }

  /// The state of GeoClue and its sources at the moment of subscribing, then every change.
  public func upstreamStatusPublisher() -> AnyPublisher<UpstreamStatus, Never> {
    Deferred { [manager, upstreamStatuses] in
      Just(manager.upstreamStatus).merge(with: upstreamStatuses)
    }.eraseToAnyPublisher()
  }
}

extension LocationPublicist {
  /// What happens to a region, for each subscriber from the moment of subscribing, until it cancels. The source is used
  /// only while the border may be near.
  public func regionPublisher(for region: CircularRegion) -> AnyPublisher<RegionEvent, Never> {
    regionPublisher(for: RegionConfiguration(region))
  }

  /// What happens to a region that is monitored in a certain way; finishes after the crossing of one for a single use.
  public func regionPublisher(for configuration: RegionConfiguration) -> AnyPublisher<RegionEvent, Never> {
    Deferred { [manager] in
      let events = PassthroughSubject<RegionEvent, Never>()
      let monitor = RegionMonitor(configuration, with: manager, onEnd: { events.send(completion: .finished) }) {
        event in
        events.send(event)
      }
      // Events are few, and each matters.
      return events.buffer(size: 64, prefetch: .keepFull, whenFull: .dropOldest)
        .handleEvents(receiveCancel: { monitor.end() })
    }.eraseToAnyPublisher()
  }
}

extension LocationPublicist: LocationManagerDelegate {
  public func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    self.locations.send(locations)
  }

  public func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus) {
    authorizations.send(status)
  }

  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    errors.send(error)
  }

  public func locationManager(_ manager: LocationManager, didChangeUpstreamStatus status: UpstreamStatus) {
    upstreamStatuses.send(status)
  }
}
