// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publishing

/// Delivers the location of the device to its delegate, like CoreLocation's `CLLocationManager`.
///
/// Everything happens on the main loop; nothing blocks.
public final class LocationManager {
  /// Receives locations, the authorization and failures; not kept alive by the manager.
  public weak var delegate: (any LocationManagerDelegate)?

  /// The level requested from the source; may be changed while updating.
  public var desiredAccuracy = AccuracyLevel.exact {
    didSet {
      guard desiredAccuracy != oldValue else { return }
      tellMonitors(.level(evaluatedLevel))
      requireLevel()
    }
  }

  /// Metres that the device must move before the next location is delivered, counted from the last one delivered; 0
  /// delivers every location.
  public var distanceFilter = 0.0 { didSet { configureFilter() } }

  /// Largest accuracy radius, in metres, of a location that is delivered; 0 delivers every location, including those
  /// of unknown accuracy.
  public var requiredAccuracy = 0.0 { didSet { configureFilter() } }

  /// The shortest time between two deliveries; the newest location wins. 0 delivers every location.
  public var timeFilter = Duration.zero { didSet { configureFilter() } }

  /// Whether this process may have locations, as far as is known.
  public var authorizationStatus: AuthorizationStatus { authorization.status }
  /// The status with its reason.
  public private(set) var authorization = Authorization.undecided()
  /// The newest location; nil before the first, and as soon as access is lost or no longer known.
  public private(set) var location: Location?
  /// What is known about GeoClue and its sources.
  public private(set) var upstreamStatus = UpstreamStatus()

  /// All events of the source, for code that waits for one answer beside the delegate.
  package let events = PassthroughSubject<LocationSourceEvent, Never>()

  private let source: any LocationSource
  /// The source, if it applies the filters itself.
  let filteringSource: (any FilteringLocationSource)?
  private var followed: ClientOptions?
  private var isUpdating = false
  private var isRequesting = false
  private var waiting = 0
  private var required: AccuracyLevel?
  private var sequence: UInt64 = 0
  private let filter = Pacer()
  private var isMonitoring = false
  private var schedule = SourceSchedule()
  private var scheduleTimer: LoopSource?
  /// Those that the delegate is told of.
  var monitored: [CircularRegion: RegionMonitor] = [:]
  /// All monitors, those of publishers included.
  var monitors: [ObjectIdentifier: RegionMonitor] = [:]

  /// Creates a manager of the given source.
  public init(source: any LocationSource) {
    self.source = source
    filteringSource = source as? any FilteringLocationSource
    source.onEvent = { [weak self] event in self?.handle(event) }
    filter.open { [weak self] location in self?.deliver(location) }
    filter.onNeedChanged = { [weak self] in if self?.isMonitoring == true { self?.requireLevel() } }
  }

  /// Delivers every location until ``stopUpdatingLocation()``; a second call does nothing.
  public func startUpdatingLocation() {
    isUpdating = true
    if isMonitoring { configureFilter() }
    requireLevel()
  }

  /// Ends the updates and a pending request, and releases the source.
  public func stopUpdatingLocation() {
    isUpdating = false
    isRequesting = false
    filteringSource?.cancelRequest()
    if isMonitoring { configureFilter() }
    requireLevel()
  }

  /// Delivers the first location and then only significant changes: at least 500 m from the last one delivered and
  /// outside both accuracy circles, at most one every five minutes. The source is used a few times an hour. While
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

  /// Pauses the updates while no location is needed; the authorization is still followed.
  package func pauseUpdatingLocation() {
    isUpdating = false
    isRequesting = false
    guard required != nil else { return }
    (required, followed) = (nil, nil)
    source.rest()
  }

  /// Asks the user for permission, if the source can do that; the status changes with the answer.
  ///
  /// GeoClue asks when updates start. The service asks in a dialog where the administrator wants the user to be asked.
  public func requestAuthorization(isInteractive: Bool = true) {
    source.requestAuthorization(isInteractive: isInteractive)
  }

  /// Delivers one location, then stops; while updating, the source delivers its current location once more.
  public func requestLocation() { requestLocation(timeout: ClientOptions().timeout) }

  /// Delivers one location; a source that answers requests itself fails after so many milliseconds.
  private func requestLocation(timeout: UInt32) {
    isRequesting = true
    if let filteringSource { return request(from: filteringSource, timeout: timeout) }
    if required == desiredAccuracy { source.refresh() } else { requireLevel() }
  }

  /// As ``requestLocation()``, for a task that waits for the answer until it calls ``endRequest()``.
  package func beginRequest() {
    waiting += 1
    // The task has a timeout of its own.
    requestLocation(timeout: 120_000)
  }

  /// Releases the source when no task waits any more, unless updates are running.
  package func endRequest() {
    waiting -= 1
    guard waiting == 0 else { return }
    isRequesting = false
    filteringSource?.cancelRequest()
    requireLevel()
  }

  /// How long to keep the source after it is no longer needed, in microseconds.
  package var linger: UInt64 { source.linger }

  /// Forgets the newest location, for instance because the clock was set and its age is no longer known.
  public func forgetLocation() { location = nil }

  /// Forgets the newest location and makes the source measure again, for instance because the machine has slept and
  /// may be somewhere else.
  public func startOver() {
    location = nil
    if required != nil { source.startOver() }
    tellMonitors(.slept)
  }

  /// A monitor needs the source at another time than before.
  func needChanged(of monitor: RegionMonitor) {
    schedule.set(monitor.need, for: ObjectIdentifier(monitor))
    requireLevel()
  }

  private func requireLevel() {
    if let filteringSource { return follow(filteringSource) }
    let level = isUpdating || isRequesting ? desiredAccuracy : monitoredLevel()
    guard level != required else { return }
    required = level
    // Between two checks the authorization is followed on.
    if level == nil, schedule.isResting { source.rest() } else { source.require(level) }
  }

  private func handle(_ event: LocationSourceEvent) {
    switch event {
    case .location(var location):
      // A location that was still on its way when the last subscriber left is dropped.
      guard required != nil else { return }
      if let last = self.location, location.isSameMeasurement(as: last) {
        // Delivered again on request: it keeps its age.
        location = last
      } else {
        sequence &+= 1
        location.sequence = sequence
        // The service says when it received the location.
        if filteringSource == nil { location.receivedAt = MainLoop.main.clock.boottime() }
      }
      self.location = location
      let isRequested = isRequesting
      isRequesting = false
      filteringSource?.cancelRequest()
      events.send(.location(location))
      tellMonitors(location)
      if isRequested || (isUpdating && !isFiltering) {
        deliver(location)
      } else if isUpdating || isMonitoring {
        filter.take(location)
      }
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
        tellMonitors(.level(evaluatedLevel))
      }
      events.send(event)
    case .failure(let error):
      delegate?.locationManager(self, didFailWithError: error)
      events.send(event)
    }
  }
}

/// Which locations reach the delegate.
extension LocationManager {
  private var isFiltering: Bool {
    guard filteringSource == nil else { return false }
    return distanceFilter > 0 || requiredAccuracy > 0 || timeFilter > .zero || (isMonitoring && !isUpdating)
  }

  private func configureFilter() {
    guard filteringSource == nil else { return requireLevel() }
    let options = options
    filter.configure(
      DeliveryRule.Configuration(
        distanceThreshold: options.distanceThreshold, timeThreshold: options.timeThreshold,
        requiredAccuracy: options.requiredAccuracy, isSignificant: options.mode == .significant))
  }

  /// The filters as options of a client of the service.
  private var options: ClientOptions {
    var options = ClientOptions()
    options.accuracy = desiredAccuracy
    options.distanceThreshold = distanceFilter.isFinite ? max(0, distanceFilter) : 0
    options.requiredAccuracy = requiredAccuracy.isFinite ? max(0, requiredAccuracy) : 0
    options.timeThreshold = timeFilter.milliseconds
    options.mode = isMonitoring && !isUpdating ? .significant : .continuous
    return options
  }

  private func follow(_ source: any FilteringLocationSource) {
    let wanted = isUpdating || isMonitoring ? options : nil
    required = wanted == nil && !isRequesting ? nil : desiredAccuracy
    guard wanted != followed else { return }
    followed = wanted
    source.follow(wanted)
  }

  private func request(from source: any FilteringLocationSource, timeout: UInt32) {
    required = desiredAccuracy
    var options = ClientOptions()
    options.timeout = timeout
    (options.accuracy, options.requiredAccuracy) = (desiredAccuracy, self.options.requiredAccuracy)
    source.requestLocation(options) { [weak self] result in
      guard let self, isRequesting else { return }
      switch result {
      case .success(let location): handle(.location(location))
      case .failure(let error):
        isRequesting = false
        requireLevel()
        handle(.failure(error))
      }
    }
  }

  private func deliver(_ location: Location) {
    delegate?.locationManager(self, didUpdateLocations: [location])
  }

  /// The level at which significant changes need the source now; schedules the next check.
  private func monitoredLevel() -> AccuracyLevel? {
    schedule.set(isMonitoring ? filter.need(at: desiredAccuracy) : nil, for: ObjectIdentifier(self))
    let (level, again) = schedule.update(at: UInt64(max(0, MainLoop.main.clock.monotonic())))
    scheduleTimer = again.map { again in
      MainLoop.main.at(monotonic: Int64(clamping: again)) { [weak self] in self?.requireLevel() }
    }
    return level
  }
}

extension Duration {
  /// Whole milliseconds, as far as an option of the service can express them.
  fileprivate var milliseconds: UInt32 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    guard seconds < 4_294_967 else { return .max }
    return UInt32(clamping: seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000)
  }
}
