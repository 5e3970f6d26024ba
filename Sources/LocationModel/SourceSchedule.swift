// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Decides when to hold the source and at which level. It is held only while a delivery may be due, because sources
/// consume power.
///
/// The source is released when the next possible delivery of every need is more than a minute away, and reacquired in
/// time to have a location by then. A need that may wait does not hold a source that does not answer. After the last
/// need has ended, the source is kept briefly, so that short-lived clients do not overload it.
///
/// The owner keeps one timer for ``update(at:)``.
package struct SourceSchedule: Sendable {
  /// The need of a client's object.
  package struct Need: Hashable, Sendable {
    package var level: AccuracyLevel
    /// The earliest time at which a location may be delivered.
    package var from: MonotonicInstant
    /// For how long the source is first tried if it does not answer; nil to hold it until it does. The
    /// further tries are those of ``SourceTries``.
    package var firstTry: Duration?
    /// When the location that waits was or will be due. A source that is held is kept until ``patience`` later, because
    /// its release would drop that location.
    package var dueAt: MonotonicInstant?
    /// Whether a source that is held already must measure when the try begins. One that is silent because nothing moves
    /// does that only if it is asked.
    package private(set) var asks = false

    /// How long a location may wait for a decision about its owner, with some reserve.
    package static let patience = Duration.seconds(5)

    /// Creates a need for a level from a time on.
    package init(_ level: AccuracyLevel, from: MonotonicInstant = .origin, firstTry: Duration? = nil) {
      self.level = level
      self.from = from
      self.firstTry = firstTry
    }
  }

  /// The source is released if nothing is due within this time.
  package static let restAfter = Duration.seconds(60)
  /// The source is reacquired this long before it is needed.
  package static let warmUp = Duration.seconds(15)
  private let linger: Duration
  private let isReleased: Bool
  private var needs: [ObjectIdentifier: Need] = [:]
  private var held: AccuracyLevel?
  private var updatedAt = MonotonicInstant.origin
  /// Whether a try that requires a measurement has begun between the last two updates, while the source was held
  /// already.
  package private(set) var mustAsk = false
  private var lingersUntil: MonotonicInstant?
  /// Whether a need has ended since the last update. Only then is the source kept: a need that merely waits for its
  /// next time does not return soon.
  private var hasEnded = false

  /// Creates a schedule without needs.
  ///
  /// - Parameters:
  ///   - linger: How long the source is kept after it is no longer needed.
  ///   - isReleased: Whether the source is released to rest while it will be needed later.
  package init(linger: Duration = .zero, isReleased: Bool = true) {
    self.linger = linger
    self.isReleased = isReleased
  }

  /// Sets what an object needs, or nil for nothing.
  package mutating func set(_ need: Need?, for object: ObjectIdentifier) {
    if need == nil, needs[object] != nil { hasEnded = true }
    needs[object] = need
  }

  /// Whether an object needs the source, now or later.
  package var isNeeded: Bool { !needs.isEmpty }

  /// Whether the source is released although it will be needed.
  package var isResting: Bool { held == nil && isNeeded }

  /// Returns the level at which to hold the source from now on and when to call this method again.
  package mutating func update(at now: MonotonicInstant) -> (level: AccuracyLevel?, again: MonotonicInstant?) {
    mustAsk = held != nil && needs.values.contains { $0.asks && $0.from > updatedAt && $0.from <= now }
    updatedAt = now
    var level: AccuracyLevel?
    var again: MonotonicInstant?
    for need in needs.values {
      let (isDue, next) = isReleased ? need.state(at: now, isHeld: held != nil) : (true, nil)
      if isDue { level = max(level ?? need.level, need.level) }
      if let next { again = min(again ?? next, next) }
    }
    if let level {
      (held, lingersUntil, hasEnded) = (level, nil, false)
    } else if held != nil {
      let end = lingersUntil ?? now + (hasEnded ? linger : .zero)
      guard now >= end else {
        lingersUntil = end
        return (held, min(again ?? end, end))
      }
      (held, lingersUntil) = (nil, nil)
      return update(at: now)
    }
    return (held, again)
  }
}

extension SourceSchedule.Need {
  /// A region's check, which tries the source from a time on.
  package static func check(_ level: AccuracyLevel, from: MonotonicInstant) -> Self {
    var need = Self(level, from: from, firstTry: SourceWait.updateLength)
    need.asks = true
    return need
  }

  /// Returns whether the source is needed at `now`, and when that changes.
  fileprivate func state(at now: MonotonicInstant, isHeld: Bool) -> (isDue: Bool, next: MonotonicInstant?) {
    if let firstTry {
      if isHeld, let end = dueAt.map({ $0 + Self.patience }), now < end { return (true, end) }
      // A source that is held is kept for a try that begins soon.
      let begin = isHeld ? from - (SourceSchedule.restAfter - SourceSchedule.warmUp) : from
      guard now >= begin else { return (false, begin) }
      guard now >= from else { return (true, from) }
      let (isDue, end) = SourceTries.phase(after: now - from, firstTry: firstTry)
      return (isDue, from + end)
    }
    let start = from - (isHeld ? SourceSchedule.restAfter : SourceSchedule.warmUp)
    return now >= start ? (true, nil) : (false, start)
  }
}

/// The tries of a source that does not answer. They are short at first, then longer, for slow receivers, but less and
/// less frequent, to save power on a machine that has no source.
enum SourceTries {
  /// The pauses after the first tries; all others are the ``longestPause``.
  private static let pauses = [Duration.seconds(120), .seconds(600)]
  private static let longestPause = Duration.seconds(1_800)
  /// The lengths of the tries after ``pauses``, which repeat.
  private static let lengths = [Duration.seconds(60), .seconds(120), .seconds(60), .seconds(60)]

  /// Returns whether the source is held after a time without an answer, and when that changes, counted from the same
  /// start.
  static func phase(after time: Duration, firstTry: Duration) -> (isHeld: Bool, until: Duration) {
    var (begin, length) = (Duration.zero, firstTry)
    for pause in pauses {
      if time < begin + length { return (true, begin + length) }
      begin += length + pause
      if time < begin { return (false, begin) }
      length = .seconds(60)
    }
    let cycle = lengths.reduce(.zero, +) + longestPause * lengths.count
    begin += cycle * ((time - begin).microseconds / cycle.microseconds)
    for length in lengths {
      if time < begin + length { return (true, begin + length) }
      begin += length + longestPause
      if time < begin { break }
    }
    return (false, begin)
  }
}

/// When a subscription needs the source.
///
/// A subscription that may wait, for its time threshold or for a significant change, does not hold a source that does
/// not answer.
package struct SourceWait: Sendable {
  /// The time from a location that ends a check for significant changes to the next check.
  package static let checkInterval = Duration.seconds(1_800)
  /// How long a check waits at first for a location.
  static let checkLength = Duration.seconds(30)
  /// The largest accuracy, in metres, of an exact location that ends a check, whatever it shows.
  static let sufficientAccuracy = 500.0
  /// How long an update that is due waits at first for a location, with the warm-up. Receivers that were off for
  /// minutes need most of this time.
  static let updateLength = Duration.seconds(60)

  /// When the source is tried next, at the earliest.
  private var from: MonotonicInstant

  /// Begins to wait for the first location.
  package init(at now: MonotonicInstant = .origin) { from = now }

  /// Records a location, whatever caused it. A location that is too inaccurate for a check does not end it.
  package mutating func received(
    _ location: Location, _ configuration: DeliveryRule.Configuration, at now: MonotonicInstant
  ) {
    guard configuration.isSignificant else {
      // The source answers, so keep waiting for a location that passes.
      from = now
      return
    }
    delivered(location, configuration, at: now)
  }

  /// Records a location that was delivered, possibly regardless of the thresholds. If it is accurate enough, a check for
  /// significant changes is not needed soon.
  package mutating func delivered(
    _ location: Location, _ configuration: DeliveryRule.Configuration, at now: MonotonicInstant
  ) {
    let isSufficient = location.accuracy.map { $0 <= configuration.sufficientAccuracy } ?? false
    if isSufficient, configuration.accepts(location) { from = now + Self.checkInterval }
  }

  /// Tries the source at the given time, because the device may have moved.
  package mutating func check(at time: MonotonicInstant) { from = time }

  package func need(_ rule: DeliveryRule, at level: AccuracyLevel) -> SourceSchedule.Need {
    let due = rule.mayDeliverFrom
    if rule.configuration.isSignificant {
      return SourceSchedule.Need(level, from: from, firstTry: Self.checkLength)
    }
    guard rule.configuration.interval > SourceSchedule.restAfter else { return SourceSchedule.Need(level, from: due) }
    let begin = max(from, due - SourceSchedule.warmUp)
    return SourceSchedule.Need(level, from: begin, firstTry: Self.updateLength)
  }
}
