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

  /// Metres that the device must move before the next location is delivered, counted from the last one delivered; 0
  /// delivers every location.
  public var distanceFilter = 0.0 { didSet { configureFilter() } }

  /// Metres that the accuracy of a location may have at most to be delivered; 0 delivers every location, also those of
  /// unknown accuracy.
  public var requiredAccuracy = 0.0 { didSet { configureFilter() } }

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
  private let filter = Pacer()
  private var isMonitoring = false
  private var schedule = SourceSchedule()
  private var scheduleTimer: LoopSource?

  /// A manager that has its locations from the given source.
  public init(source: any LocationSource) {
    self.source = source
    source.onEvent = { [weak self] event in self?.handle(event) }
    filter.open { [weak self] location in self?.deliver(location) }
    filter.onNeedChanged = { [weak self] in if self?.isMonitoring == true { self?.requireLevel() } }
  }

  /// Delivers every location until ``stopUpdatingLocation()``; calling it twice is fine.
  public func startUpdatingLocation() {
    isUpdating = true
    if isMonitoring { configureFilter() }
    requireLevel()
  }

  /// Ends the updates; the source is given back unless a request is pending.
  public func stopUpdatingLocation() {
    isUpdating = false
    isRequesting = false
    if isMonitoring { configureFilter() }
    requireLevel()
  }

  /// Delivers the first location and then only significant changes: at least 500 m from the last one delivered and outside
  /// both accuracy circles, at most one every five minutes. The source is used a few times an hour. While
  /// ``startUpdatingLocation()`` is in force, that delivers every location instead.
  public func startMonitoringSignificantLocationChanges() {
    isMonitoring = true
    configureFilter()
    requireLevel()
  }

  /// Ends the delivery of significant changes.
  public func stopMonitoringSignificantLocationChanges() {
    isMonitoring = false
    configureFilter()
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
    let level = isUpdating || isRequesting ? desiredAccuracy : monitoredLevel()
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
      let isRequested = isRequesting
      isRequesting = false
      events.send(.location(location))
      if isRequested || !isFiltering { deliver(location) } else { filter.take(location) }
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

/// What of the locations reaches the delegate.
extension LocationManager {
  private var isFiltering: Bool { distanceFilter > 0 || requiredAccuracy > 0 || (isMonitoring && !isUpdating) }

  private func configureFilter() {
    filter.configure(
      DeliveryRule.Configuration(
        distanceThreshold: max(0, distanceFilter), requiredAccuracy: max(0, requiredAccuracy),
        isSignificant: isMonitoring && !isUpdating))
  }

  private func deliver(_ location: Location) {
    delegate?.locationManager(self, didUpdateLocations: [location])
  }

  /// The level at which significant changes need the source now; sees to being called again when that changes.
  private func monitoredLevel() -> AccuracyLevel? {
    schedule.set(isMonitoring ? filter.need(at: desiredAccuracy) : nil, for: ObjectIdentifier(self))
    let (level, again) = schedule.update(at: UInt64(max(0, MainLoop.main.clock.monotonic())))
    scheduleTimer = again.map { again in
      MainLoop.main.at(monotonic: Int64(clamping: again)) { [weak self] in self?.requireLevel() }
    }
    return level
  }
}
