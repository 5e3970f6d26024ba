// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Publishing

/// The newest location together with the reasons why there may be none, modelled on CoreLocation's `CLLocationUpdate`.
///
/// It is a state and not an event: a receiver that only sees the newest update has missed nothing but intermediate
/// locations.
nonisolated public struct LocationUpdate: Equatable, Sendable {
  /// The newest location. Nil before the first one, while access is refused, and while the source has failed.
  public internal(set) var location: Location?
  /// Whether this program may have locations, and why.
  public internal(set) var authorization = Authorization.undecided
  /// The state of the source.
  public internal(set) var sourceStatus = SourceStatus()
  /// Whether the device has not moved for a minute: all its locations lie within 30 m, or within their own accuracy,
  /// of the first of them.
  public internal(set) var stationary = false
  private var failure: LocationError?

  /// The user has turned location off, has refused, or has no active session.
  public var authorizationDenied: Bool { authorization.status == .denied }
  /// A rule that the user cannot change forbids access.
  public var authorizationRestricted: Bool { authorization.status == .restricted }
  /// The decision is pending, for example because the user must be asked or no location agent runs.
  public var authorizationRequestInProgress: Bool { authorization.status == .notDetermined }
  /// The granted level is coarser than the requested one.
  public var accuracyLimited: Bool { authorization.reason == .reducedAccuracy }
  /// Access is allowed, but the source cannot deliver a location now.
  public var locationUnavailable: Bool {
    authorization.isAuthorized && (failure != nil || sourceStatus.state == .unavailable)
  }

  /// One sentence for the user about what is wrong and what to do. Empty if nothing is wrong, or not known yet.
  public var message: String {
    guard authorization.isAuthorized || authorization.reason == .undecided else { return authorization.message }
    if location == nil {
      if let failure { return failure.message }
      if !sourceStatus.message.isEmpty { return sourceStatus.message }
    }
    return authorization.isAuthorized ? authorization.message : ""
  }

  /// The location with which the present place was reached.
  private var anchor: Location?
  /// The location from before a failure of the source, which counts again when the source works. It may send none until
  /// the device has moved.
  private var kept: Location?

  package init() {}

  /// Applies an event of a source.
  mutating func apply(_ event: LocationSourceEvent) {
    switch event {
    case .location(let location): arrive(location)
    case .authorization(let authorization):
      self.authorization = authorization
      if !authorization.isAuthorized {
        loseLocation()
        kept = nil
      }
    case .status(let status):
      sourceStatus = status
      // The state is newer than an earlier failure, which may have ended.
      if status.state == .unavailable { loseLocation() } else { failure = nil }
      if status.state == .running { location = location ?? kept }
    case .failure(let error):
      // One location could not be read, while the source works.
      guard error.code != .locationUnknown || sourceStatus.state != .running else { return }
      failure = error
      loseLocation()
    }
  }

  private mutating func arrive(_ location: Location) {
    (failure, kept) = (nil, nil)
    self.location = location
    let tolerance = max(Self.stillness, location.accuracy ?? 0, anchor?.accuracy ?? 0)
    guard let anchor, anchor.distance(to: location) <= tolerance else {
      (anchor, stationary) = (location, false)
      return
    }
    stationary = location.receivedAt - anchor.receivedAt >= Self.rest
  }

  private mutating func loseLocation() {
    (location, kept, anchor, stationary) = (nil, location ?? kept, nil, false)
  }

  /// Metres within which a device counts as not moving.
  private static let stillness = 30.0
  /// How long a device must not have moved to be stationary.
  private static let rest = Duration.seconds(60)
}

extension LocationManager {
  /// Publishes the state of the manager as ``LocationUpdate`` values. Updates run while the subscription does.
  ///
  /// The manager belongs to this one subscription: its end stops the updates.
  public func updatePublisher() -> AnyPublisher<LocationUpdate, Never> {
    Deferred { [self] in
      // A source may report its state as soon as it is used, before the subscriber requests values.
      let updates = CurrentValueSubject<LocationUpdate?, Never>(nil)
      var update = LocationUpdate()
      func apply(_ event: LocationSourceEvent) {
        update.apply(event)
        updates.send(update)
      }
      let following = [
        events.sink { event in if case .location = event {} else { apply(event) } },
        deliveries.sink { apply(.location($0)) },
      ]
      if let reported {
        (update.authorization, update.sourceStatus) = reported
        updates.send(update)
      }
      startUpdatingLocation()
      return updates.compactMap { $0 }.removeDuplicates()
        .handleEvents(receiveCancel: { [self] in
          for each in following { each.cancel() }
          stopUpdatingLocation()
        })
    }.eraseToAnyPublisher()
  }
}
