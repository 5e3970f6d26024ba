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
/// The owner keeps one timer and executes the actions.
package struct DeliveryRule: Sendable {
  /// The thresholds of a subscription.
  package struct Configuration: Hashable, Sendable {
    /// The minimum distance from the last location sent, in metres. 0 passes every location.
    package var distanceThreshold = 0.0
    /// The minimum time between two updates.
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
    package var sufficientAccuracy = 500.0
  }

  package enum Action: Equatable, Sendable {
    case deliver(Location)
    /// Calls ``DeliveryRule/timerFired(at:)`` at this time, replacing any earlier request.
    case armTimer(at: MonotonicInstant)
    case disarmTimer
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
  /// The newest location that did not pass, if newer than the candidate.
  private var newest: Timed?
  private var armedAt: MonotonicInstant?

  /// A location and the time at which it arrived or was sent.
  private struct Timed {
    var location: Location
    var at: MonotonicInstant
  }

  /// Creates the rule of a subscription to which nothing has been sent.
  package init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  package mutating func received(_ location: Location, at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    // The candidate's quiet time had passed before this location arrived, even if the timer is late. Without debounce
    // the newest location wins.
    if configuration.debounce > .zero, let due, due <= now { actions += deliverCandidate(at: now) }
    let fix = Timed(location: location, at: now)
    if passes(location) {
      candidate = fix
      newest = nil
    } else {
      if let waiting = candidate?.location, contradicts(location, waiting) { candidate = nil }
      newest = fix
    }
    return actions + proceed(at: now)
  }

  /// Handles the most common case of ``received(_:at:)``: without thresholds or a candidate, the location is sent
  /// immediately. Returns false and changes nothing in any other case.
  package mutating func receivedAndSent(_ location: Location, at now: MonotonicInstant) -> Bool {
    guard configuration == Configuration(), candidate == nil, armedAt == nil,
      sent.map({ $0.at <= now && !isRepetition(location, of: $0.location) }) ?? true
    else { return false }
    sent = Timed(location: location, at: now)
    newest = nil
    return true
  }

  /// Records that the last location delivered was sent only now, because it had to wait.
  package mutating func sentLate(at now: MonotonicInstant) -> [Action] {
    sent?.at = now
    return settleTimer()
  }

  /// Handles the requested time. Calling it too early or without a candidate has no effect.
  package mutating func timerFired(at now: MonotonicInstant) -> [Action] {
    armedAt = nil
    return proceed(at: now)
  }

  /// Drops the candidate, because the device may move unseen: the source was released, or the machine has slept. The
  /// last location sent still counts.
  package mutating func drop() -> [Action] {
    (candidate, newest) = (nil, nil)
    return settleTimer()
  }

  /// Starts over, so that the next location counts as the first and is sent immediately. Call it for each start, each
  /// regained access and each change of accuracy, and to discard the candidate when access is lost or the subscription
  /// stops.
  package mutating func reset() -> [Action] {
    (sent, candidate, newest) = (nil, nil, nil)
    return settleTimer()
  }

  /// Changes the thresholds of a running subscription. Re-evaluates the candidate and the newest location that did not
  /// pass, which may be the last one for a long time.
  package mutating func configure(_ configuration: Configuration, at now: MonotonicInstant) -> [Action] {
    self.configuration = configuration
    if let waiting = candidate, !passes(waiting.location) {
      (candidate, newest) = (nil, newest ?? waiting)
    }
    if let rejected = newest, passes(rejected.location) {
      (candidate, newest) = (rejected, nil)
    }
    return proceed(at: now)
  }

  /// Returns whether a location passes, regardless of time.
  private func passes(_ location: Location) -> Bool {
    guard configuration.accepts(location) else { return false }
    guard let sent = sent?.location else { return true }
    if isRepetition(location, of: sent) { return false }
    if configuration.isSignificant { return isSignificant(location, after: sent) }
    if configuration.distanceThreshold <= 0 { return true }
    if sent.distance(to: location) >= configuration.distanceThreshold { return true }
    guard let accuracy = location.accuracy else { return false }
    guard let sentAccuracy = sent.accuracy else { return true }
    return accuracy <= sentAccuracy / 2 && sentAccuracy - accuracy >= Self.betterAccuracy
  }

  /// Returns whether a location is one that has been sent. A fixed location that GeoClue asserts again is a new
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
  /// time threshold.
  package var mayDeliverFrom: MonotonicInstant {
    guard let sent, configuration.interval > .zero else { return .origin }
    return sent.at + configuration.interval
  }

  private var due: MonotonicInstant? {
    guard let candidate else { return nil }
    guard let sent else { return candidate.at }
    let allowed = max(candidate.at, sent.at + configuration.interval)
    return allowed + configuration.debounce
  }

  private mutating func proceed(at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    if let due, due <= now { actions += deliverCandidate(at: now) }
    return actions + settleTimer()
  }

  private mutating func deliverCandidate(at now: MonotonicInstant) -> [Action] {
    guard let waiting = candidate else { return [] }
    sent = Timed(location: waiting.location, at: now)
    candidate = nil
    return [.deliver(waiting.location)]
  }

  private mutating func settleTimer() -> [Action] {
    guard armedAt != due else { return [] }
    armedAt = due
    return [due.map { .armTimer(at: $0) } ?? .disarmTimer]
  }
}

extension DeliveryRule.Configuration {
  /// Creates the thresholds that a client requested, for locations of a level.
  package init(_ options: ClientOptions, at level: AccuracyLevel = .exact) {
    self.init(
      distanceThreshold: options.distanceThreshold, timeThreshold: options.timeThreshold, debounce: options.debounce,
      minimumInterval: level.minimumInterval, requiredAccuracy: options.requiredAccuracy,
      isSignificant: options.mode == .significant, sufficientAccuracy: max(500, level.cellSize ?? 0))
  }

  /// Returns whether a location is as accurate as required.
  func accepts(_ location: Location) -> Bool {
    requiredAccuracy <= 0 || location.accuracy.map { $0 <= requiredAccuracy } ?? false
  }

  /// The minimum time between two updates.
  var interval: Duration {
    max(timeThreshold, minimumInterval, isSignificant ? DeliveryRule.significantInterval : .zero)
  }
}
