// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Decides which locations are sent to one subscription, and when.
///
/// A location passes if it is the first one, lies at least the distance threshold from the last one sent, or is known
/// to be more accurate than that one by at least half and at least 10 m. The last location sent never passes again. The
/// newest location that passed is the candidate. A later location that passes replaces it. If a later location lies
/// elsewhere but does not pass, the candidate is dropped, because a location that is sent must still be valid. The
/// candidate waits until the time threshold since the last one sent has passed, and then (or from its own arrival, if
/// later) for the debounce.
///
/// Compares with the last location *sent*, not the last received, so that slow movement passes eventually.
///
/// A candidate that is due waits until the owner calls ``next(at:)``, so it is the only location that waits to be sent.
///
/// The owner keeps one timer, for ``deadline``.
package struct DeliveryRule: Sendable {
  /// The thresholds of a subscription.
  package struct Configuration: Hashable, Sendable {
    /// The minimum distance from the last location sent, in metres. 0 passes every location.
    package var distanceThreshold = 0.0
    /// The minimum time between two updates. Time asleep counts.
    package var timeThreshold = Duration.zero
    /// How long a candidate must wait without a newer one before it is sent.
    package var debounce = Duration.zero
    /// The minimum time between two updates required by the accuracy level.
    package var minimumInterval = Duration.zero
    /// The maximum accuracy radius, in metres. 0 accepts every location, including those of unknown accuracy.
    package var requiredAccuracy = 0.0
    /// Whether only significant changes pass: at least 500 m from the last location sent and outside both accuracy
    /// circles, at most one every five minutes.
    package var isSignificant = false
    /// The largest accuracy, in metres, of a location that ends a check for significant changes.
    package var sufficientAccuracy = SourceWait.sufficientAccuracy
    /// Whether the last location sent also passes again. Then no threshold may apply.
    package var allowsRepetitions = false
  }

  /// The minimum improvement in accuracy over the last location sent, in metres.
  static let betterAccuracy = 10.0
  /// The minimum distance of a significant change from the last location sent, in metres.
  package static let significantDistance = 500.0
  /// The minimum time between two significant changes.
  package static let significantInterval = Duration.seconds(300)

  /// The current thresholds, changed by ``configure(_:at:)``.
  package private(set) var configuration: Configuration
  private var sent: Timed?
  private var candidate: Timed?
  /// When to call ``timerFired(at:)``.
  package private(set) var deadline: MonotonicInstant?
  /// When a candidate was last due or sent.
  private var readyAt: MonotonicInstant?
  /// Whether a location has arrived since the last gap.
  private var hasReceived = false

  /// A location and the time at which it arrived or was sent.
  private struct Timed {
    var location: Location
    var at: MonotonicInstant
  }

  /// Creates the rule of a subscription to which nothing has been sent.
  package init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  package mutating func received(_ location: Location, at now: MonotonicInstant) {
    hasReceived = true
    if passes(location) {
      // A repetition does not end the quiet time of the one that waits.
      let isWaiting = candidate.map { isRepetition(location, of: $0.location) } ?? false
      if !isWaiting { candidate = Timed(location: location, at: now) }
    } else if let waiting = candidate?.location, contradicts(location, waiting) {
      candidate = nil
    }
    settle(at: now)
  }

  /// Whether a location is due, so that ``next(at:)`` returns it.
  package var isReady: Bool { candidate != nil && deadline == nil }

  /// Whether a location is due whose quiet time has passed, even if the timer is late. A location that arrives now must
  /// not replace it before the owner could send it. Without debounce the newest location wins.
  package func isQuiet(at now: MonotonicInstant) -> Bool {
    configuration.debounce > .zero && due.map { $0 <= now } ?? false
  }

  /// The location that waits until it is due or can be sent; nil if none waits.
  package var waiting: Location? { candidate?.location }

  /// Returns the location that is due, if any, and counts the thresholds from it and from now.
  package mutating func next(at now: MonotonicInstant) -> Location? {
    guard isReady, var waiting = candidate.take() else { return nil }
    (waiting.at, readyAt) = (now, now)
    // Without thresholds and with repetitions, nothing depends on the last location.
    sent = configuration.allowsRepetitions ? nil : waiting
    return waiting.location
  }

  /// Counts the thresholds from a location that the owner has received regardless of them, and drops the candidate.
  package mutating func delivered(_ location: Location, at now: MonotonicInstant) {
    (candidate, deadline, hasReceived) = (nil, nil, true)
    (sent, readyAt) = (Timed(location: location, at: now), now)
  }

  /// Handles the deadline. Calling it too early or without a candidate has no effect.
  package mutating func timerFired(at now: MonotonicInstant) { settle(at: now) }

  /// Drops the candidate, because the device may move unseen: the source was released, or the machine has slept. The
  /// last location sent still counts.
  package mutating func drop() { (candidate, deadline, hasReceived) = (nil, nil, false) }

  /// Counts a sleep, during which this rule's clock stood still, as time since the last location sent.
  package mutating func slept(for time: Duration) {
    if let sent { self.sent?.at = sent.at - time }
    if let readyAt { self.readyAt = readyAt - time }
  }

  /// Starts over, so that the next location counts as the first and is sent immediately. Call it for each start, each
  /// regained access and each change of accuracy, and to discard the candidate when access is lost or the subscription
  /// stops.
  package mutating func reset() {
    drop()
    (sent, readyAt) = (nil, nil)
  }

  /// Changes the thresholds of a running subscription. Re-evaluates the candidate and the newest location received,
  /// which the caller keeps: it may be the last one for a long time. One from before a gap does not count.
  package mutating func configure(
    _ configuration: Configuration, _ newest: Location? = nil, at now: MonotonicInstant
  ) {
    self.configuration = configuration
    if let waiting = candidate?.location, !passes(waiting) { candidate = nil }
    if let newest, hasReceived, candidate.map({ !isRepetition(newest, of: $0.location) }) ?? true, passes(newest) {
      candidate = Timed(location: newest, at: now)
    }
    settle(at: now)
  }

  /// Returns whether a location passes, regardless of time.
  private func passes(_ location: Location) -> Bool {
    guard configuration.accepts(location) else { return false }
    guard let sent = sent?.location else { return true }
    if isRepetition(location, of: sent) { return configuration.allowsRepetitions }
    if configuration.isSignificant { return isSignificant(location, after: sent) }
    if configuration.distanceThreshold <= 0 { return true }
    if sent.distance(to: location) >= configuration.distanceThreshold { return true }
    guard let accuracy = location.accuracy else { return false }
    guard let sentAccuracy = sent.accuracy else { return true }
    return accuracy <= sentAccuracy / 2 && sentAccuracy - accuracy >= Self.betterAccuracy
  }

  /// Returns whether a location is the same report as another one. A fixed location that GeoClue asserts again is a new
  /// measurement.
  private func isRepetition(_ location: Location, of sent: Location) -> Bool {
    location.receivedAt == sent.receivedAt && location.isSameMeasurement(as: sent)
  }

  /// Returns whether a newer location shows that the device is no longer where it was.
  private func contradicts(_ location: Location, _ waiting: Location) -> Bool {
    guard configuration.accepts(location) else { return false }
    if let sent = sent?.location, isRepetition(location, of: sent) { return false }
    return waiting.distance(to: location) > (waiting.accuracy ?? 0) + (location.accuracy ?? 0)
  }

  private func isSignificant(_ location: Location, after sent: Location) -> Bool {
    // Without a radius, nothing is known about the accuracy circle.
    guard let radius = location.accuracy else { return false }
    let distance = sent.distance(to: location)
    return distance >= max(Self.significantDistance, configuration.distanceThreshold)
      && distance > max(radius, sent.accuracy ?? 0)
  }

  /// The earliest time at which a newly arriving location may be sent, or the origin before the first one and without a
  /// time threshold. A location that cannot be sent when it is due counts as sent, because another one would not help.
  package var mayDeliverFrom: MonotonicInstant {
    guard let readyAt, configuration.interval > .zero else { return .origin }
    return readyAt + configuration.interval
  }

  private var due: MonotonicInstant? {
    guard let candidate else { return nil }
    guard let sent else { return candidate.at }
    let allowed = max(candidate.at, sent.at + configuration.interval)
    return allowed + configuration.debounce
  }

  private mutating func settle(at now: MonotonicInstant) {
    deadline = due.flatMap { $0 > now ? $0 : nil }
    if isReady { readyAt = now }
  }
}

extension DeliveryRule.Configuration {
  /// Creates the thresholds that a client requested, for locations of a level.
  package init(_ options: ClientOptions, at level: AccuracyLevel = .exact) {
    self.init(
      distanceThreshold: options.distanceThreshold, timeThreshold: options.timeThreshold, debounce: options.debounce,
      minimumInterval: level.minimumInterval, requiredAccuracy: options.requiredAccuracy,
      isSignificant: options.mode == .significant,
      sufficientAccuracy: max(SourceWait.sufficientAccuracy, level.cellSize ?? 0))
  }

  /// Returns whether a location is as accurate as required.
  package func accepts(_ location: Location) -> Bool {
    requiredAccuracy <= 0 || location.accuracy.map { $0 <= requiredAccuracy } ?? false
  }

  /// The minimum time between two updates.
  package var interval: Duration {
    max(timeThreshold, minimumInterval, isSignificant ? DeliveryRule.significantInterval : .zero)
  }
}
