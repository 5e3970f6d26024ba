// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// The state machine of one `GetLocation` call. Waits for a decision, a location or its timeout.
nonisolated struct LocationRequestMachine: LocationMachine {
  let options: ClientOptions
  private var state = State.gathering
  private var access = ClientAccess(authorization: .undecided)
  private var source: SourceStatus
  private var use = ServiceUse()
  /// The newest suitable location, which waits while deliveries are held.
  private var kept: Location?
  /// The most accurate location that does not meet the required accuracy, for `best-effort`.
  private var best: Location?
  private var asksSourceAt: BootInstant?
  /// Whether that time has passed. The question waits until access is known.
  private var isSourceDue = false
  /// The timeout of 0 has passed, but a location may still answer once the facts are known or deliveries are not held.
  private var isOverdue = false
  private let began: BootInstant
  private let end: BootInstant
  private let sourceDecides: Bool

  enum Event: LocationEvent, CallEvent {
    case prepared
    case access(ClientAccess)
    case source(SourceStatus)
    case location(Location)
    case slept
    case clockChanged
    case timer
    case close(ClosedReason?)
  }

  enum Own: Equatable, Sendable {
    case askSource
    case deliver(Delivery)
    case refuse(DBusError)
  }

  private enum State {
    /// The facts about the caller are being gathered.
    case gathering
    case waiting
    case over
  }

  /// How long a call waits for the source before it requests another measurement.
  static let patience = Duration.seconds(3)

  init(_ options: ClientOptions, _ source: SourceStatus, at now: BootInstant, sourceDecides: Bool) {
    self.options = options
    self.source = source
    self.sourceDecides = sourceDecides
    began = now
    end = now + options.timeout
    // A source that is silent because nothing moves measures again on request.
    asksSourceAt = now + min(Self.patience, options.timeout / 2)
  }

  mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
    guard state != .over else { return [] }
    switch event {
    case .prepared:
      state = .waiting
      return evaluate()
    case .access(let access):
      self.access = access
      return evaluate()
    case .source(let status):
      source = status
      return evaluate()
    case .location(let location):
      // A location that was held back arrived earlier, maybe long before the call.
      if location.level != .exact || accepts(arrivedAt: location.receivedAt, at: now) { take(location) }
      return evaluate(released: location)
    case .slept:
      (kept, best, access.cached) = (nil, nil, nil)
      return []
    case .clockChanged:
      // The age of a remembered location follows the wall clock.
      if kept?.isRemembered == true { kept = nil }
      if best?.isRemembered == true { best = nil }
      if access.cached?.isRemembered == true { access.cached = nil }
      return []
    case .timer: return timer(now)
    case .close(let reason): return finish(reason == nil ? nil : .refuse(.ending))
    }
  }

  /// Returns whether a cached location is recent enough, based on when it reached the service. One that arrived after
  /// the call, while the caller was still being checked, always is.
  func accepts(arrivedAt arrival: BootInstant, at now: BootInstant) -> Bool {
    arrival >= began || options.maximumAge > .zero && now - arrival <= options.maximumAge
  }

  /// Returns whether a remembered location is recent enough, based on its age.
  func accepts(age: Duration) -> Bool {
    Duration.milliseconds(age.milliseconds) <= options.maximumAge && options.maximumAge > .zero
  }

  /// Whether the interval of a reduced location had not ended when the call was made. Such a location answers the call
  /// whatever its age.
  func isOfInterval(_ location: Location) -> Bool {
    location.level != .exact && location.endOfInterval > began
  }

  var deadline: BootInstant? { state == .over || isOverdue ? nil : min(asksSourceAt ?? end, end) }
}

nonisolated extension LocationRequestMachine {
  private var authorization: Authorization { access.authorization }
  private var level: AccuracyLevel { authorization.revealedLevel(asked: options.accuracy) }

  /// - Parameter released: The location that the chain delivers now, although deliveries may be held.
  private mutating func evaluate(released: Location? = nil) -> [Action] {
    guard state == .waiting else { return [] }
    switch authorization.status {
    case .restricted, .denied: return refuse()
    case .notDetermined:
      (kept, best) = (nil, nil)
      if isFinal { return refuse() }
    case .authorizedWhenInUse, .authorizedAlways:
      // Discard locations of a finer level than is allowed now, and remembered ones: that of the present level is
      // cached.
      if let kept, kept.level > level || kept.isRemembered { self.kept = nil }
      if let best, best.level > level || best.isRemembered { self.best = nil }
      // While deliveries are held, the kept location may become older than the newest one.
      if let cached = access.cached, kept.map({ released == nil && $0.receivedAt < cached.receivedAt }) ?? true {
        take(cached)
      }
      if let kept, !access.isHeld || kept == released { return answer(kept) }
    }
    if isOverdue, !isHeld { return timeIsUp() }
    // Neither reason changes while the call waits.
    let isHopeless = source.reason == .geoclueNotInstalled || source.reason == .disallowedByConfiguration
    if need != nil, !access.isHeld, source.state == .unavailable, isHopeless {
      return finish(.refuse(.unavailable(source.reason)))
    }
    let isAllowed = authorization.isAuthorized
    let new = ServiceUse(need: need, follows: isAllowed ? level : nil, isReceiving: isAllowed)
    let actions: [Action] = use.change(to: new)
    // An agent that has started since GeoClue exited is found only if GeoClue runs again.
    let isAgentOpen = asksSourceAt != nil && source.reason == .noAgent && !isGeoClueThere
    guard isSourceDue || isAgentOpen, need != nil, !access.isHeld else { return actions }
    (asksSourceAt, isSourceDue) = (nil, false)
    return actions + [.own(.askSource)]
  }

  /// Whether an undecided authorization stays so until the user does something. If the source decides, its decision
  /// about an earlier client may be outdated.
  private var isFinal: Bool {
    switch authorization.reason {
    case .authorizationRequired: true
    case .noAgent: !sourceDecides || source.state == .waiting && source.reason == .noAgent && isGeoClueThere
    default: false
    }
  }

  private var isGeoClueThere: Bool { source.availableAccuracy != nil }

  private mutating func take(_ location: Location) {
    let accuracy = location.accuracy ?? .infinity
    if options.requiredAccuracy <= 0 || accuracy <= options.requiredAccuracy {
      kept = location
    } else if options.isBestEffort, isBetter(location, accuracy), mayAnswerAtEnd(location) {
      best = location
    }
  }

  /// Whether a location is more accurate than the best, or as accurate and not older: the cached one is taken repeatedly.
  private func isBetter(_ location: Location, _ accuracy: Double) -> Bool {
    guard let best else { return true }
    let before = best.accuracy ?? .infinity
    return accuracy < before || accuracy == before && location.receivedAt >= best.receivedAt
  }

  /// Whether a location is recent enough to answer the call at the deadline. By then, a cached one may be too old. The
  /// age of a remembered one was checked when it was found.
  private func mayAnswerAtEnd(_ location: Location) -> Bool {
    location.isRemembered || isOfInterval(location) || accepts(arrivedAt: location.receivedAt, at: end)
  }

  private var need: AccuracyLevel? {
    if authorization.isAuthorized { return level }
    return sourceDecides ? options.accuracy : nil
  }

  /// Whether a location waits until deliveries are no longer held.
  private var isHeld: Bool { access.isHeld && (kept != nil || best != nil) }

  private mutating func timer(_ now: BootInstant) -> [Action] {
    if now >= end {
      isOverdue = options.timeout == .zero && (state == .gathering || isHeld)
      return isOverdue ? [] : timeIsUp()
    }
    guard let time = asksSourceAt, now >= time else { return [] }
    (asksSourceAt, isSourceDue) = (nil, true)
    return evaluate()
  }

  private mutating func timeIsUp() -> [Action] {
    if authorization.isAuthorized, !access.isHeld, let best { return answer(best) }
    // If the source decides but does not answer, it has not refused anything.
    let isOpen = sourceDecides && authorization.reason == .undecided
    if source.state == .unavailable, isOpen || authorization.isAuthorized {
      return finish(.refuse(.unavailable(source.reason)))
    }
    return authorization.isAuthorized ? finish(.refuse(.timeout)) : refuse()
  }

  private mutating func answer(_ location: Location) -> [Action] {
    // A measured location may be from before an increase of the level. A remembered one says nothing about the level.
    let level = location.isRemembered ? authorization.level : location.level
    let delivery = Delivery(location: location, isReduced: level < options.accuracy)
    return [.audit(authorization)] + finish(.deliver(delivery))
  }

  private mutating func refuse() -> [Action] {
    [.audit(authorization)] + finish(.refuse(.notAuthorized(authorization)))
  }

  private mutating func finish(_ answer: Own?) -> [Action] {
    state = .over
    (kept, best) = (nil, nil)
    return use.end(answer)
  }
}
