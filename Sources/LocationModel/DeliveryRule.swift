// SPDX-License-Identifier: Apache-2.0
/// Decides which locations are sent to one subscription, and when.
///
/// A location is sent if it is the first one, or lies at least the distance threshold from the last one sent, or is
/// known to be better than that one by half and by 10 m; the last one sent is never sent again. The newest location
/// that passed is the candidate: a later one that passes replaces it, one that does not pass leaves it in place. The
/// candidate waits until the time threshold after the last one sent is over, and then (or from its own arrival, if
/// that is later) for the debounce.
///
/// Compares with the last location *sent*, not the last received, so that a slow walker passes eventually.
///
/// All times are microseconds of a clock that does not jump; the owner keeps one timer and executes the actions.
public struct DeliveryRule: Sendable {
  /// The thresholds of a subscription.
  public struct Configuration: Hashable, Sendable {
    /// Least distance from the last one sent, in metres; 0 passes every location.
    public var distanceThreshold: Double
    /// Least time between two updates, in milliseconds.
    public var timeThreshold: UInt32
    /// Time without another candidate before one is sent, in milliseconds.
    public var debounce: UInt32
    /// Least time between two updates required by the accuracy level, in milliseconds; see
    /// ``AccuracyLevel/minimumInterval``, which is in seconds.
    public var minimumInterval: UInt32

    /// Largest accuracy radius, in metres; 0 accepts every location, including those of unknown accuracy.
    public var requiredAccuracy: Double
    /// Only significant changes count: 500 m from the last one sent, outside both accuracy circles, at most one every
    /// five minutes.
    public var isSignificant: Bool

    /// Creates a configuration; without thresholds every location is sent at once.
    public init(
      distanceThreshold: Double = 0, timeThreshold: UInt32 = 0, debounce: UInt32 = 0,
      minimumInterval: UInt32 = 0,
      requiredAccuracy: Double = 0, isSignificant: Bool = false
    ) {
      self.distanceThreshold = distanceThreshold
      self.timeThreshold = timeThreshold
      self.debounce = debounce
      self.minimumInterval = minimumInterval
      self.requiredAccuracy = requiredAccuracy
      self.isSignificant = isSignificant
    }
  }

  /// What the owner must do.
  public enum Action: Equatable, Sendable {
    /// Send this location now.
    case deliver(Location)
    /// Call ``DeliveryRule/timerFired(at:)`` at this time, instead of an earlier requested one.
    case armTimer(at: UInt64)
    /// Cancel the requested time.
    case disarmTimer
  }

  /// Least improvement over the accuracy of the last one sent, in metres.
  static let betterAccuracy = 10.0
  /// Distance from the last one sent that is a significant change, in metres.
  public static let significantDistance = 500.0
  /// Least time between two significant changes, in microseconds.
  public static let significantInterval: UInt64 = 300_000_000

  /// The thresholds in force; see ``configure(_:at:)``.
  public private(set) var configuration: Configuration
  private var sent: Sent?
  private var candidate: Candidate?
  /// The newest fix, if it did not pass; it is newer than the candidate.
  private var newest: Candidate?
  private var armedAt: UInt64?

  private struct Sent {
    var location: Location
    var at: UInt64
  }

  private struct Candidate {
    var location: Location
    var arrivedAt: UInt64
  }

  /// Creates the rule of a subscription that has not been sent anything.
  public init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Handles a new location.
  public mutating func received(_ location: Location, at now: UInt64) -> [Action] {
    var actions: [Action] = []
    // Its time of quiet was over before this fix came, even if the timer is late. Without debounce the newest wins.
    if configuration.debounce > 0, let due, due <= now { actions += deliverCandidate(at: now) }
    let fix = Candidate(location: location, arrivedAt: now)
    if passes(location) {
      candidate = fix
      newest = nil
    } else {
      newest = fix
    }
    return actions + proceed(at: now)
  }

  /// Does what ``received(_:at:)`` does, for the most common case: there are no thresholds, nothing waits, and the fix
  /// goes out at once, which is all there is to do. False, with nothing changed, in any other case.
  public mutating func receivedAndSent(_ location: Location, at now: UInt64) -> Bool {
    guard configuration == Configuration(), candidate == nil, armedAt == nil,
      sent.map({ $0.at <= now && !location.isSameMeasurement(as: $0.location) }) ?? true
    else { return false }
    sent = Sent(location: location, at: now)
    newest = nil
    return true
  }

  /// Handles the requested time. A call that is too early, or without a candidate, does nothing.
  public mutating func timerFired(at now: UInt64) -> [Action] {
    armedAt = nil
    return proceed(at: now)
  }

  /// Starts over: the next location is the first one, which is sent at once. For each start, each regained access and
  /// each change of the accuracy, and to drop the candidate when access is lost or the subscription stops.
  public mutating func reset() -> [Action] {
    (sent, candidate, newest) = (nil, nil, nil)
    return settleTimer()
  }

  /// Changes the thresholds of a running subscription. The candidate is judged again, and so is the newest location
  /// that did not pass, which may be the last one for a long time.
  public mutating func configure(_ configuration: Configuration, at now: UInt64) -> [Action] {
    self.configuration = configuration
    if let waiting = candidate, !passes(waiting.location) {
      (candidate, newest) = (nil, newest ?? waiting)
    }
    if let rejected = newest, passes(rejected.location) {
      (candidate, newest) = (rejected, nil)
    }
    return proceed(at: now)
  }

  /// Whether a fix may go out, apart from the time.
  private func passes(_ location: Location) -> Bool {
    guard configuration.accepts(location) else { return false }
    guard let sent = sent?.location else { return true }
    if location.isSameMeasurement(as: sent) { return false }
    if configuration.isSignificant { return isSignificant(location, after: sent) }
    if configuration.distanceThreshold <= 0 { return true }
    if sent.distance(to: location) >= configuration.distanceThreshold { return true }
    guard let accuracy = location.accuracy else { return false }
    guard let sentAccuracy = sent.accuracy else { return true }
    return accuracy <= sentAccuracy / 2 && sentAccuracy - accuracy >= Self.betterAccuracy
  }

  private func isSignificant(_ location: Location, after sent: Location) -> Bool {
    // Nothing is known of a circle without a radius.
    guard let radius = location.accuracy else { return false }
    let distance = sent.distance(to: location)
    return distance >= max(Self.significantDistance, configuration.distanceThreshold)
      && distance > max(radius, sent.accuracy ?? 0)
  }

  /// When an arriving location may be sent at the earliest; 0 before the first one and without a time threshold.
  public var mayDeliverFrom: UInt64 {
    guard let sent, configuration.interval > 0 else { return 0 }
    return sent.at.saturatingAdd(configuration.interval)
  }

  /// When the candidate is due; nil if there is none.
  private var due: UInt64? {
    guard let candidate else { return nil }
    guard let sent else { return candidate.arrivedAt }
    let allowed = max(candidate.arrivedAt, sent.at.saturatingAdd(configuration.interval))
    return allowed.saturatingAdd(UInt64(configuration.debounce) * 1000)
  }

  private mutating func proceed(at now: UInt64) -> [Action] {
    var actions: [Action] = []
    if let due, due <= now { actions += deliverCandidate(at: now) }
    return actions + settleTimer()
  }

  private mutating func deliverCandidate(at now: UInt64) -> [Action] {
    guard let waiting = candidate else { return [] }
    sent = Sent(location: waiting.location, at: now)
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
  /// Whether a location is as accurate as required.
  func accepts(_ location: Location) -> Bool {
    requiredAccuracy <= 0 || location.accuracy.map { $0 <= requiredAccuracy } ?? false
  }

  /// Least time between two updates, in microseconds.
  var interval: UInt64 {
    max(
      UInt64(max(timeThreshold, minimumInterval)) * 1_000,
      isSignificant ? DeliveryRule.significantInterval : 0)
  }
}
