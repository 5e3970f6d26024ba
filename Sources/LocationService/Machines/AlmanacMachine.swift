// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// The state machine of a client's almanac. Computes everything from the reduced location of the granted level, and
/// forgets it as soon as the chain that delivered it ends.
///
/// An almanac is state: while it cannot be sent to the owner, only the newest one is kept.
nonisolated struct AlmanacMachine: ObjectMachine {
  let options: ClientOptions
  var object: ObjectState<Kind>
  /// The wall clock in microseconds since 1970, updated with each event.
  var wallClock: UInt64 = 0
  /// The place at the location of the next event.
  var place = PlaceAnswer()
  private(set) var delivered: UInt64 = 0
  /// The last almanac sent. Nil before the first one and as soon as access is lost.
  private(set) var told: AlmanacReport?
  /// When the source is checked next; nil if its location is awaited.
  private(set) var checkAt: BootInstant?
  private var newest: AlmanacReport?
  /// Whether ``newest`` must be sent to the owner.
  private var isDue = false
  private var isHeld = false
  private(set) var deadline: BootInstant?

  enum Event: ObjectEvent {
    case start(after: UInt64)
    case stop
    case access(ClientAccess)
    case location(Location)
    case slept
    case clockChanged
    /// The device may have moved.
    case check
    case timer
    case close(ClosedReason?)
  }

  enum Kind: Equatable, Sendable {
    /// Ask when the object next needs the source.
    case reviewNeed
  }

  /// A smaller error of the timer does not require rescheduling.
  private static let tolerance = Duration.seconds(2)
  /// How long the timer waits if no change of phase is near, in seconds.
  private static let longestWait: Int64 = 86_400

  init(_ options: ClientOptions, _ authorization: Authorization, sourceDecides: Bool) {
    self.options = options
    object = ObjectState(options.accuracy, authorization, sourceDecides: sourceDecides)
  }

  mutating func handle(_ event: Event, at now: BootInstant, wallClock: UInt64) -> [Action] {
    self.wallClock = wallClock
    guard !object.isOver else { return [] }
    let oldCheck = checkAt
    let isLocation = if case .location = event { true } else { false }
    var actions = react(to: event, at: now)
    // Forget everything with the chain, even if another one follows immediately.
    if actions.contains(.follow(nil)) { forget() }
    guard !object.isOver else { return actions }
    setDeadline(at: now)
    // A location that arrives may be sent now, although others are held.
    if isDue, !isHeld || isLocation { actions.append(.own(.announce)) }
    if checkAt != oldCheck { actions.append(.own(.own(.reviewNeed))) }
    return actions
  }

  mutating func forgetTold() {
    object.forgetTold()
    isDue = newest != nil
  }

  /// The newest location; nil before the first one.
  var location: Location? { newest?.location }

  /// Forgets a remembered location that may no longer be used.
  mutating func forgetRemembered() {
    if location?.isRemembered ?? false { (newest, isDue) = (nil, false) }
    if told?.location.isRemembered ?? false { told = nil }
  }

  /// Returns the almanac that must be sent to the owner now.
  ///
  /// - Parameter isReleased: Whether the newest location may be sent although others are held.
  mutating func announcement(isReleased: Bool = false) -> AlmanacReport? {
    guard isDue, !isHeld || isReleased, isActive else { return nil }
    // It may be of the day before, or a phase may have ended while it waited.
    update()
    isDue = false
    delivered &+= 1
    told = newest
    return told
  }
}

nonisolated extension AlmanacMachine {
  private mutating func react(to event: Event, at now: BootInstant) -> [Action] {
    switch event {
    case .start(let stops):
      let (actions, begins) = object.start(after: stops)
      return begins ? actions + object.settle() : actions
    case .stop: return object.stop()
    case .access(let access):
      isHeld = access.isHeld
      return object.change(to: access.authorization)
    case .location(let location):
      take(location, at: now)
      return []
    case .timer:
      deadline = nil
      update()
      guard let newest else { return [] }
      if newest.forecast.phase != told?.forecast.phase || isToldOver || isToldOfEarlierDay { isDue = true }
      return []
    case .slept, .clockChanged:
      deadline = nil
      update()
      guard let newest else { return [] }
      let isOther = told.map { newest.forecast.differs(from: $0.forecast) } ?? true
      if isOther || isToldOver || isToldOfEarlierDay { isDue = true }
      return []
    case .check:
      // Within an interval the location cannot change.
      if let newest, checkAt != nil { checkAt = max(now, newest.validUntil) }
      return []
    case .close(let reason): return object.end(reason)
    }
  }

  private mutating func take(_ location: Location, at now: BootInstant) {
    guard isActive, location.level <= level else { return }
    // A repeated location of the interval says nothing about a check that is due when the interval ends.
    let isRepeated = newest?.location == location && checkAt.map { $0 > now } ?? false
    // In the same cell only the time of the measurement differs.
    let report =
      newest?.measured(location, place) ?? AlmanacReport(location, place, at: wallClock, options.almanac)
    newest = report
    // A remembered location does not end the wait for one that is measured now.
    if !isRepeated { checkAt = location.isRemembered ? nil : now + SourceWait.checkInterval }
    if told.map({ isOther(report, than: $0) }) ?? true { isDue = true }
  }

  /// Whether the almanac of another location must be sent to the owner.
  private func isOther(_ report: AlmanacReport, than told: AlmanacReport) -> Bool {
    guard report.place == told.place else { return true }
    // An owner that waits for a reliable location must receive it, although the times are the same.
    if told.location.isRemembered, !report.location.isRemembered { return true }
    if told.location.isApproximate, !report.location.isApproximate { return true }
    guard !told.isSameCell(as: report.location) else { return false }
    // Either may have been computed on another solar day.
    var (old, new) = (told, report)
    old.update(at: wallClock, options.almanac)
    new.update(at: wallClock, options.almanac)
    return new.forecast.differs(from: old.forecast)
  }

  /// Whether the owner has been told a change of phase for a time that has passed. That of a later location may still be
  /// some minutes away.
  private var isToldOver: Bool { told?.isOver(at: wallClock) ?? false }

  /// Whether the phase does not change for a day, and the owner has been told that on an earlier one.
  private var isToldOfEarlierDay: Bool {
    guard let newest, let told, newest.forecast.entries != told.forecast.entries else { return false }
    return told.forecast.next.map { $0.start - Int64(clamping: wallClock / 1_000_000) > Self.longestWait } ?? true
  }

  private mutating func update() { newest?.update(at: wallClock, options.almanac) }

  private mutating func forget() { (told, newest, checkAt, isDue, deadline) = (nil, nil, nil, false, nil) }

  private mutating func setDeadline(at now: BootInstant) {
    guard let newest else { return }
    let told = isDue ? nil : told
    let next = [newest, told].compactMap { $0?.forecast.next?.start }.min()
    let seconds = next.map { $0 - Int64(clamping: wallClock / 1_000_000) } ?? Self.longestWait
    // A longer wait must not begin again with each location.
    if seconds >= Self.longestWait, deadline != nil { return }
    let time = now + .seconds(max(0, min(seconds, Self.longestWait)))
    if let deadline, max(deadline, time) - min(deadline, time) < Self.tolerance { return }
    deadline = time
  }
}

/// The contents of an almanac.
nonisolated struct AlmanacReport: Equatable, Sendable {
  private(set) var location: Location
  private(set) var place: PlaceAnswer
  private(set) var forecast: DayForecast

  /// Computes an almanac for a reduced location and a time in microseconds since 1970.
  init(_ location: Location, _ place: PlaceAnswer, at time: UInt64, _ options: AlmanacOptions) {
    self.location = location
    self.place = place
    forecast = Self.forecast(for: location, at: time, options)
  }

  mutating func update(at time: UInt64, _ options: AlmanacOptions) {
    forecast = Self.forecast(for: location, at: time, options)
  }

  func isSameCell(as other: Location) -> Bool {
    location.latitude == other.latitude && location.longitude == other.longitude
  }

  /// Returns the same forecast for a new measurement in the same cell, or nil for another cell.
  func measured(_ location: Location, _ place: PlaceAnswer) -> AlmanacReport? {
    guard location.level == self.location.level, isSameCell(as: location) else { return nil }
    var report = self
    (report.location, report.place) = (location, place)
    return report
  }

  /// Whether the phase has changed at a time in microseconds since 1970.
  func isOver(at time: UInt64) -> Bool {
    forecast.next.map { $0.start <= Int64(clamping: time / 1_000_000) } ?? false
  }

  /// The end of the level's interval.
  var validUntil: BootInstant { location.endOfInterval }

  private static func forecast(for location: Location, at time: UInt64, _ options: AlmanacOptions) -> DayForecast {
    DayForecast(
      latitude: location.latitude, longitude: location.longitude, at: Int64(clamping: time / 1_000_000), options)
  }
}
