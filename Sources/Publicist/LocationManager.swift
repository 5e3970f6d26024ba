// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publishing

/// Delivers the location of the device to its delegate, in the manner of CoreLocation's `CLLocationManager`.
///
/// All it does happens on the main loop; nothing blocks.
public final class LocationManager {
  /// Who is told of locations, the authorization and failures; not kept alive by the manager.
  public weak var delegate: (any LocationManagerDelegate)?

  /// The level asked of the source; may be changed while updating.
  public var desiredAccuracy = AccuracyLevel.exact {
    didSet { if desiredAccuracy != oldValue { requireLevel() } }
  }

  /// Whether this process may have locations, as far as is known.
  public var authorizationStatus: AuthorizationStatus { authorization.status }
  /// The status with its reason.
  public private(set) var authorization = Authorization.undecided()
  /// The newest location; nil before the first, and from the moment that access is lost or not known any more.
  public private(set) var location: Location?
  /// What is known of GeoClue and its sources.
  public private(set) var upstreamStatus = UpstreamStatus()

  /// Everything that the source tells, for those who wait for one answer beside the delegate.
  package let events = PassthroughSubject<LocationSourceEvent, Never>()

  private let source: any LocationSource
  private var isUpdating = false
  private var isRequesting = false
  private var waiting = 0
  private var required: AccuracyLevel?
  private var sequence: UInt64 = 0

  /// A manager that has its locations from the given source.
  public init(source: any LocationSource) {
    self.source = source
    source.onEvent = { [weak self] event in self?.handle(event) }
  }

  /// Delivers every location until ``stopUpdatingLocation()``; calling it twice is fine.
  public func startUpdatingLocation() {
    isUpdating = true
    requireLevel()
  }

  /// Ends the updates; the source is given back unless a request is pending.
  public func stopUpdatingLocation() {
    isUpdating = false
    isRequesting = false
    requireLevel()
  }

  /// Ends the updates for a while in which no location is needed; the authorization is followed on.
  package func pauseUpdatingLocation() {
    isUpdating = false
    isRequesting = false
    guard required != nil else { return }
    required = nil
    source.rest()
  }

  /// Delivers one location, then stops by itself; while updating, the source hands over its current location once more.
  public func requestLocation() {
    isRequesting = true
    if required == desiredAccuracy { source.refresh() } else { requireLevel() }
  }

  /// As ``requestLocation()``, for a task that waits for the answer until it calls ``endRequest()``.
  package func beginRequest() {
    waiting += 1
    requestLocation()
  }

  /// Releases the source when no task waits any more, unless updates are running.
  package func endRequest() {
    waiting -= 1
    guard waiting == 0 else { return }
    isRequesting = false
    requireLevel()
  }

  /// How long the source is better kept when it is not needed any more, microseconds.
  package var linger: UInt64 { source.linger }

  /// Forgets the newest location, for instance because the clock was set and its age is not known any more.
  public func forgetLocation() { location = nil }

  /// Forgets the newest location and has the source measure anew, for instance because the machine has slept and may
  /// be somewhere else.
  public func startOver() {
    location = nil
    if required != nil { source.startOver() }
  }

  private func requireLevel() {
    let level = isUpdating || isRequesting ? desiredAccuracy : nil
    guard level != required else { return }
    required = level
    source.require(level)
  }

  private func handle(_ event: LocationSourceEvent) {
    switch event {
    case .location(var location):
      // What was still on its way when everybody left is nobody's business.
      guard required != nil else { return }
      if let last = self.location, location.isSameMeasurement(as: last) {
        // Handed over again because somebody asked: it is as old as it was.
        location = last
      } else {
        sequence &+= 1
        location.sequence = sequence
        location.receivedAt = MainLoop.main.clock.boottime()
      }
      self.location = location
      isRequesting = false
      delegate?.locationManager(self, didUpdateLocations: [location])
      events.send(.location(location))
      requireLevel()
    case .status(let status):
      upstreamStatus = status
      events.send(event)
      delegate?.locationManager(self, didChangeUpstreamStatus: status)
    case .authorization(let authorization):
      let before = self.authorization
      self.authorization = authorization
      if !authorization.isAuthorized { location = nil }
      if authorization != before {
        delegate?.locationManager(self, didChangeAuthorization: authorization.status)
      }
      events.send(event)
    case .failure(let error):
      delegate?.locationManager(self, didFailWithError: error)
      events.send(event)
    }
  }
}
