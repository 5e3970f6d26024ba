// SPDX-License-Identifier: Apache-2.0
@_exported import GeopublicistLocationModel
@_exported import Publishing

/// Turns the callbacks of a ``LocationManager`` into publishers.
///
/// The publicist is the manager's delegate, shared by any number of subscribers. It replays no location: subscribers
/// receive those that arrive after they subscribe.
public final class LocationPublicist {
  /// The manager behind the publishers, which starts and stops the updates.
  public let manager: LocationManager

  private let authorizations = PassthroughSubject<AuthorizationStatus, Never>()
  private let locations = PassthroughSubject<[Location], Never>()
  private let errors = PassthroughSubject<LocationError, Never>()
  private let sourceStatuses = PassthroughSubject<SourceStatus, Never>()

  /// Sets itself as the manager's delegate.
  public init(_ manager: LocationManager) {
    self.manager = manager
    manager.delegate = self
  }

  /// Publishes the authorization status at the moment of subscribing, then every change.
  ///
  /// A refusal is a value and never a failure, because a failed stream could not report that access is granted again.
  public func authorizationPublisher() -> AnyPublisher<AuthorizationStatus, Never> {
    Deferred { [manager, authorizations] in Just(manager.authorizationStatus).merge(with: authorizations) }
      .eraseToAnyPublisher()
  }

  /// Publishes the locations as they arrive, in batches with the newest last.
  public func locationPublisher() -> AnyPublisher<[Location], Never> { locations.eraseToAnyPublisher() }

  /// Publishes failures. The other publishers continue.
  public func errorPublisher() -> AnyPublisher<LocationError, Never> { errors.eraseToAnyPublisher() }

  /// Publishes the state of the source at the moment of subscribing, then every change.
  public func sourceStatusPublisher() -> AnyPublisher<SourceStatus, Never> {
    Deferred { [manager, sourceStatuses] in Just(manager.sourceStatus).merge(with: sourceStatuses) }
      .eraseToAnyPublisher()
  }
}

extension LocationPublicist {
  /// Publishes the events of a region, which is monitored for each subscriber until it cancels. The source is used
  /// only while the border may be near.
  public func regionPublisher(for region: CircularRegion) -> AnyPublisher<RegionEvent, Never> {
    regionPublisher(for: RegionConfiguration(region))
  }

  /// Publishes the events of a region. Finishes after the first crossing if the configuration is for a single use.
  public func regionPublisher(for configuration: RegionConfiguration) -> AnyPublisher<RegionEvent, Never> {
    Deferred { [manager] in
      let events = PassthroughSubject<RegionEvent, Never>()
      let monitor = RegionMonitor(configuration, with: manager, onEnd: { events.send(completion: .finished) }) {
        event in events.send(event)
      }
      // Events are rare. Without demand the newest ones count.
      return events.buffer(size: 64, prefetch: .byRequest, whenFull: .dropOldest)
        .handleEvents(receiveCancel: { withExtendedLifetime(manager) { monitor.end() } })
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

  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) { errors.send(error) }

  public func locationManager(_ manager: LocationManager, didChangeSourceStatus status: SourceStatus) {
    sourceStatuses.send(status)
  }
}
