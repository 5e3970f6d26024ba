// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publishing

/// Delivers the location of the device to its delegate, modelled on CoreLocation's `CLLocationManager`.
///
/// All calls come from the main loop, and none blocks.
public final class LocationManager {
  /// Receives locations, the authorization and failures. The manager does not keep it alive.
  public weak var delegate: (any LocationManagerDelegate)?

  /// The level requested from the source. May be changed while updating.
  public var desiredAccuracy = AccuracyLevel.exact {
    didSet {
      guard desiredAccuracy != oldValue else { return }
      tellMonitors(.level(evaluatedLevel))
      requireLevel()
    }
  }

  /// Metres that the device must move before the next location is delivered, counted from the last one delivered; 0
  /// delivers every location. After a restart of the service, any move counts.
  public var distanceFilter = 0.0 { didSet { configureFilter() } }

  /// Largest accuracy radius, in metres, of a location that is delivered; 0 delivers every location, including those
  /// of unknown accuracy.
  public var requiredAccuracy = 0.0 { didSet { configureFilter() } }

  /// The shortest time between two deliveries, to the millisecond; the newest location wins. Zero delivers every
  /// location. After a restart of the service, the next location is delivered immediately.
  public var timeFilter = Duration.zero { didSet { configureFilter() } }

  /// Whether this process may have locations, as far as is known.
  public var authorizationStatus: AuthorizationStatus { authorization.status }
  /// The status with its reason.
  public private(set) var authorization = Authorization.undecided
  /// The newest location; nil before the first one, and as soon as access is lost.
  public private(set) var location: Location?
  /// The state of the source.
  public private(set) var sourceStatus = SourceStatus()

  /// All events of the source, for code that waits for one answer next to the delegate.
  package let events = PassthroughSubject<LocationSourceEvent, Never>()
  /// The locations that the delegate receives, for code that follows them next to it.
  package let deliveries = PassthroughSubject<Location, Never>()

  private let source: any LocationSource
  /// The source, if it applies the filters itself.
  let filteringSource: (any FilteringLocationSource)?
  private var followed: ClientOptions?
  private var isUpdating = false
  /// Whether the owner, or a task, waits for the next location.
  private var awaited = (byOwner: false, byTasks: false)
  private var isRequesting: Bool { awaited.byOwner || awaited.byTasks }
  /// The number of tasks that wait.
  private var waiting = 0
  /// When the owner, and the last task, that waits for a location gives up.
  private var waitsUntil: (owner: MonotonicInstant?, tasks: MonotonicInstant?)
  /// Ends the owner's request if the source does not end requests itself.
  private var requestTimer: LoopSource?
  private var required: AccuracyLevel?
  /// Whether the source has reported the authorization since it was required.
  private var isAuthorizationReported = false
  /// Whether the owner waits for a later location.
  private var isPaused = false
  /// Whether the source was told to rest instead of to release everything.
  private var isResting = false
  private var sequence: UInt64 = 0
  /// The newest measurement, with which repetitions are recognised.
  private var measured: Location?
  /// Whether it is from before the machine slept, so that its repetition answers no request.
  private var isMeasuredOld = false
  /// Whether the next location is the first since updates were started or access was lost, so that it may repeat the last
  /// one.
  private var isFirst = false
  /// Whether the first location may be a repetition. An owner that has the last one itself needs none.
  package var repeatsFirst = true
  private let filter = Pacer()
  /// Whether the filter has seen the newest location.
  private var isLocationFiltered = false
  private var isMonitoring = false
  private var schedule: SourceSchedule
  private var scheduleTimer: LoopSource?
  var monitored: [CircularRegion: RegionMonitor] = [:]
  /// All monitors, including those of publishers.
  var monitors: [ObjectIdentifier: RegionMonitor] = [:]

  /// Creates a manager of a source.
  public init(source: any LocationSource) {
    self.source = source
    schedule = SourceSchedule(isReleased: source.isReleasedToRest)
    filteringSource = source as? any FilteringLocationSource
    source.onEvent = { [weak self] event in self?.handle(event) }
    openFilter()
    filter.onNeedChanged = { [weak self] in if self?.isMonitoring == true { self?.requireLevel() } }
  }

  /// Delivers every location until ``stopUpdatingLocation()``; a second call does nothing. The filters of distance and
  /// time do not apply to the first location.
  public func startUpdatingLocation() {
    openFilter()
    (isUpdating, isPaused) = (true, false)
    if isMonitoring { configureFilter() }
    requireLevel()
  }

  /// Ends the updates and a pending request, and releases the source.
  public func stopUpdatingLocation() {
    (isUpdating, isPaused, awaited.byOwner) = (false, false, false)
    if !isRequesting { filteringSource?.cancelRequest() }
    if isMonitoring { configureFilter() } else { filter.drop() }
    requireLevel()
  }

  /// Delivers the first location and then only significant changes: at least 500 m from the last one delivered and
  /// outside both accuracy circles, at most one every five minutes. The source is used a few times an hour. While
  /// ``startUpdatingLocation()`` is in force, every location is delivered instead.
  public func startMonitoringSignificantLocationChanges() {
    openFilter()
    isMonitoring = true
    configureFilter()
    requireLevel()
  }

  /// Ends the delivery of significant changes.
  public func stopMonitoringSignificantLocationChanges() {
    isMonitoring = false
    if !isUpdating { filter.drop() }
    configureFilter()
    requireLevel()
  }

  /// Pauses the updates while no location is needed; the authorization is still followed.
  package func pauseUpdatingLocation() {
    (isUpdating, isPaused, awaited) = (false, true, (false, false))
    requireLevel()
  }

  /// Asks the user for permission, if the source can do that. The status changes with the answer.
  ///
  /// GeoClue asks when updates start. The service asks in a dialog where the administrator wants the user to be asked.
  public func requestAuthorization(isInteractive: Bool = true) {
    source.requestAuthorization(isInteractive: isInteractive)
  }

  /// Delivers one location or one failure, then stops. While updating, the next location is delivered; a source that
  /// is silent because nothing moves measures again. Fails with the first failure that the source reports, or after 20 s
  /// with the reason: `denied`, `unavailable` or `locationUnknown`.
  public func requestLocation() {
    let timeout = ClientOptions().timeout
    awaited.byOwner = true
    waitsUntil.owner = MainLoop.main.clock.monotonic() + timeout
    if filteringSource == nil {
      requestTimer = MainLoop.main.after(timeout) { [weak self] in self?.requestExpired(after: timeout) }
    }
    requestLocation(timeout: timeout)
  }

  private func requestExpired(after timeout: Duration) {
    guard awaited.byOwner else { return }
    awaited.byOwner = false
    delegate?.locationManager(self, didFailWithError: failure(after: timeout))
    requireLevel()
  }

  /// Makes a source that has fallen silent measure again.
  package func refreshLocation() { source.refresh() }

  /// Delivers one location. A source that answers requests itself fails after `timeout` milliseconds.
  private func requestLocation(timeout: Duration) {
    if let filteringSource { return request(from: filteringSource, timeout: timeout) }
    if required == desiredAccuracy { source.refresh() } else { requireLevel() }
  }

  /// Requests a location for a task that waits for the answer until it calls ``endRequest()``.
  ///
  /// - Parameter timeout: How long the task waits.
  package func beginRequest(timeout: Duration = .seconds(120)) {
    waiting += 1
    let deadline = MainLoop.main.clock.monotonic() + timeout
    // The call for the other tasks takes at least as long.
    let isRequested = filteringSource != nil && awaited.byTasks && waitsUntil.tasks.map { $0 >= deadline } ?? false
    awaited.byTasks = true
    waitsUntil.tasks = max(waitsUntil.tasks ?? deadline, deadline)
    if !isRequested { requestForTasks() }
  }

  /// Requests a location for as long as a service waits, but not for longer than the tasks, which have their own
  /// timeouts, and the owner, whose request it replaces.
  private func requestForTasks() {
    let ends = [waitsUntil.tasks, awaited.byOwner ? waitsUntil.owner : nil].compactMap(\.self)
    guard let rest = ends.max().map({ $0 - MainLoop.main.clock.monotonic() }), rest > .zero else { return }
    requestLocation(timeout: min(.seconds(120), max(rest, .seconds(1))))
  }

  /// Why a request cannot succeed, as far as the source that is being used has reported.
  package var refusal: LocationError? {
    guard required != nil, isAuthorizationReported, [.denied, .restricted].contains(authorizationStatus) else {
      return nil
    }
    return LocationError(.denied, authorization.sentence)
  }

  /// Why no location has arrived.
  package func failure(after timeout: Duration) -> LocationError {
    if let refusal { return refusal }
    guard sourceStatus.state != .unavailable || sourceStatus.message.isEmpty else {
      return LocationError(.unavailable, sourceStatus.message)
    }
    return LocationError(.locationUnknown, "No location arrived within \(timeout)")
  }

  /// Releases the source when no task is waiting, unless updates are running.
  package func endRequest() {
    waiting -= 1
    guard waiting == 0 else { return }
    (awaited.byTasks, waitsUntil.tasks) = (false, nil)
    if !isRequesting { filteringSource?.cancelRequest() }
    requireLevel()
  }

  /// Whether the source reports its state. A mere request to a service does not cause that.
  private var isFollowed: Bool { filteringSource == nil ? required != nil || isResting : followed != nil }

  /// The authorization and status that the source does not report again when updates start, because it has done so.
  var reported: (authorization: Authorization, status: SourceStatus)? {
    isFollowed ? (isAuthorizationReported ? authorization : .undecided, sourceStatus) : nil
  }

  /// How long to keep the source after it is no longer needed.
  package var linger: Duration { source.linger }

  /// Whether the source is released while no delivery is due.
  package var isReleasedToRest: Bool { source.isReleasedToRest }

  /// Forgets the newest location, for example because the clock was set and its age is unknown.
  public func forgetLocation() {
    location = nil
    tellMonitors(.clockSet)
  }

  /// Forgets the newest location, drops one that waits for a filter, and makes the source measure again, for example
  /// because the machine has slept and may have moved.
  public func startOver() {
    (location, isMeasuredOld) = (nil, filteringSource == nil)
    if required != nil { source.startOver() }
    filter.drop()
    filter.checkNow()
    tellMonitors(.slept)
  }

  /// Reviews the need for the source after a change of a monitor's need.
  func needChanged(of monitor: RegionMonitor) {
    schedule.set(monitor.need, for: ObjectIdentifier(monitor))
    requireLevel()
  }

  private func requireLevel() {
    if let filteringSource { return follow(filteringSource) }
    let level = scheduledLevel()
    if schedule.mustAsk, level != nil, level == required { source.refresh() }
    // Between two checks the authorization is still observed.
    let rests = level == nil && (isPaused || schedule.isResting)
    guard level != required || isResting && !rests else { return }
    (required, isResting) = (level, rests)
    guard rests else { return source.require(level) }
    source.rest()
    filter.drop()
  }

  private func handle(_ event: LocationSourceEvent) {
    switch event {
    case .location(var location):
      // Drop a location that was in transit when the last subscriber left.
      guard required != nil else { return }
      if let measured, location.isRepetition(of: measured) {
        // The same measurement, delivered again on request, keeps its age.
        guard !isMeasuredOld, isRequesting || isFirst else { return }
        location = measured
      } else {
        sequence &+= 1
        location.sequence = sequence
        if location.receivedAt == .origin { location.receivedAt = MainLoop.main.clock.boottime() }
      }
      (self.location, measured, isMeasuredOld, isFirst) = (location, location, false, false)
      let isRequested = isRequesting
      awaited = (false, false)
      filteringSource?.cancelRequest()
      events.send(.location(location))
      tellMonitors(location)
      let isDirect = isRequested || (isUpdating && !isFiltering)
      isLocationFiltered = !isDirect && (isUpdating || isMonitoring)
      if isDirect {
        filter.delivered(location, endsCheck: isMonitoring)
        deliver(location)
      } else if isLocationFiltered {
        filter.take(location)
      }
      requireLevel()
    case .status(let status):
      sourceStatus = status
      events.send(event)
      delegate?.locationManager(self, didChangeSourceStatus: status)
    case .authorization(let authorization):
      let before = self.authorization
      (self.authorization, isAuthorizationReported) = (authorization, true)
      if !authorization.isAuthorized {
        location = nil
        // The next one may be the same, which the owner does not have any more.
        isFirst = repeatsFirst && isFollowed
      }
      // What waits for a filter is more than may now be delivered, and the first location of a new access is not filtered.
      if !authorization.isAuthorized || authorization.level < before.level { resetFilter() }
      // Tries during a refusal could not succeed, so the first check begins now.
      if !before.isAuthorized, authorization.isAuthorized, location == nil { filter.checkNow() }
      if authorization != before {
        delegate?.locationManager(self, didChangeAuthorization: authorization.status)
        tellMonitors(.level(evaluatedLevel))
        if isMonitoring { requireLevel() }
      }
      events.send(event)
    case .failure(let error):
      // A filtering source reports the failure of a request to the request itself, unless it has no connection.
      let isRequestEnded = awaited.byOwner && (filteringSource == nil || error.code == .unavailable)
      if isRequestEnded {
        awaited.byOwner = false
        if !isRequesting { filteringSource?.cancelRequest() }
      }
      delegate?.locationManager(self, didFailWithError: error)
      events.send(event)
      if isRequestEnded { requireLevel() }
    }
  }
}

/// Which locations reach the delegate.
extension LocationManager {
  /// Makes the next location the first one, which passes the filters of distance and time, unless locations are being
  /// delivered already.
  private func openFilter() {
    guard !isUpdating, !isMonitoring else { return }
    isFirst = repeatsFirst
    resetFilter()
  }

  private func resetFilter() {
    isLocationFiltered = false
    filter.open { [weak self] in
      if let self, let location = filter.next() { deliver(location) }
    }
  }

  private var isFiltering: Bool {
    guard filteringSource == nil else { return false }
    return distanceFilter > 0 || requiredAccuracy > 0 || timeFilter > .zero || (isMonitoring && !isUpdating)
  }

  private func configureFilter() {
    guard filteringSource == nil else { return requireLevel() }
    filter.configure(DeliveryRule.Configuration(options), isLocationFiltered ? location : nil)
  }

  /// The filters as options of the service.
  private var options: ClientOptions {
    var options = ClientOptions()
    options.accuracy = desiredAccuracy
    options.distanceThreshold = distanceFilter.isFinite ? max(0, distanceFilter) : 0
    options.requiredAccuracy = requiredAccuracy.isFinite ? max(0, requiredAccuracy) : 0
    options.timeThreshold = .milliseconds(UInt32(clamping: timeFilter.milliseconds))
    options.mode = isMonitoring && !isUpdating ? .significant : .continuous
    return options
  }

  private func follow(_ source: any FilteringLocationSource) {
    let wanted = isUpdating || isMonitoring ? options : nil
    if wanted != nil, followed == nil { isAuthorizationReported = false }
    required = wanted == nil && !isRequesting ? nil : desiredAccuracy
    guard wanted != followed else { return }
    if wanted == nil { isFirst = false }
    followed = wanted
    source.follow(wanted)
  }

  private func request(from source: any FilteringLocationSource, timeout: Duration) {
    if required == nil { isAuthorizationReported = false }
    required = desiredAccuracy
    var options = ClientOptions()
    options.timeout = timeout
    (options.accuracy, options.requiredAccuracy) = (desiredAccuracy, self.options.requiredAccuracy)
    source.requestLocation(options) { [weak self] result in
      guard let self, isRequesting else { return }
      switch result {
      case .success(let location): handle(.location(location))
      case .failure(let error) where error.code == .locationUnknown && awaited.byTasks:
        // Only the request has timed out.
        let isOwners = awaited.byOwner
        awaited.byOwner = false
        requestForTasks()
        if isOwners { delegate?.locationManager(self, didFailWithError: error) }
      case .failure(let error):
        awaited = (false, false)
        requireLevel()
        handle(.failure(error))
      }
    }
  }

  private func deliver(_ location: Location) {
    deliveries.send(location)
    delegate?.locationManager(self, didUpdateLocations: [location])
  }

  private var ownNeed: SourceSchedule.Need? {
    // The source reports granted access only while it is held.
    let isRefused = isAuthorizationReported && !authorization.isAuthorized
    if isUpdating || isRequesting || isMonitoring && isRefused { return SourceSchedule.Need(desiredAccuracy) }
    return isMonitoring ? filter.need(at: desiredAccuracy) : nil
  }

  /// Returns the level at which the source is needed now, and schedules the next check.
  private func scheduledLevel() -> AccuracyLevel? {
    schedule.set(ownNeed, for: ObjectIdentifier(self))
    let (level, again) = schedule.update(at: MainLoop.main.clock.monotonic())
    scheduleTimer = again.map { again in
      MainLoop.main.at(again) { [weak self] in self?.requireLevel() }
    }
    return level
  }
}
