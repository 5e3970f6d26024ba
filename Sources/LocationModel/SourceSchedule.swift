// SPDX-License-Identifier: Apache-2.0
/// Decides when to hold the source and at which level. It is held only while a delivery may be due, because sources
/// consume power.
///
/// The source is released when the next possible delivery of every need is more than a minute away, and reacquired in
/// time to have a location by then. A need that may wait does not hold a source that does not answer. After the last need
/// has ended, it is kept briefly, so that short-lived clients do not overload it.
///
/// All times are in microseconds of a clock that does not jump. The owner keeps one timer for ``update(at:)``.
package struct SourceSchedule: Sendable {
  /// What a client's object needs.
  package struct Need: Hashable, Sendable {
    package var level: AccuracyLevel
    /// The earliest time at which a location may be delivered.
    package var from: UInt64
    /// For how long the source is first tried if it does not answer, in microseconds; nil to hold it until it does. The
    /// further tries are those of ``SourceTries``.
    package var firstTry: UInt64?

    /// Creates a need for a level from a time on.
    package init(_ level: AccuracyLevel, from: UInt64 = 0, firstTry: UInt64? = nil) {
      self.level = level
      self.from = from
      self.firstTry = firstTry
    }
  }

  /// The source is released if nothing is due within this time, in microseconds.
  package static let restAfter: UInt64 = 60_000_000
  /// How long before it is needed the source is reacquired, in microseconds.
  package static let warmUp: UInt64 = 15_000_000
  private let linger: UInt64
  private let isReleased: Bool
  private var needs: [ObjectIdentifier: Need] = [:]
  private var held: AccuracyLevel?
  private var lingersUntil: UInt64?
  /// Whether a need has ended since the last update. One that waits for its next time does not come back soon.
  private var hasEnded = false

  /// Creates a schedule without needs.
  ///
  /// - Parameters:
  ///   - linger: How long the source is kept after it is no longer needed, in microseconds.
  ///   - isReleased: Whether the source is released to rest while it will be needed later.
  package init(linger: UInt64 = 0, isReleased: Bool = true) {
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
  package mutating func update(at now: UInt64) -> (level: AccuracyLevel?, again: UInt64?) {
    var level: AccuracyLevel?
    var again: UInt64?
    for need in needs.values {
      let (isDue, next) = isReleased ? need.state(at: now, isHeld: held != nil) : (true, nil)
      if isDue { level = max(level ?? need.level, need.level) }
      if let next { again = min(again ?? next, next) }
    }
    if let level {
      (held, lingersUntil, hasEnded) = (level, nil, false)
    } else if held != nil {
      let end = lingersUntil ?? now.saturatingAdd(hasEnded ? linger : 0)
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
  package static func check(_ level: AccuracyLevel, from: UInt64) -> Self {
    Self(level, from: from, firstTry: SourceWait.updateLength)
  }

  /// Returns whether the source is needed at `now`, and when that changes.
  fileprivate func state(at now: UInt64, isHeld: Bool) -> (isDue: Bool, next: UInt64?) {
    if let firstTry {
      // A source that is held is kept for a try that begins soon.
      let begin = isHeld ? from.saturatingSubtract(SourceSchedule.restAfter - SourceSchedule.warmUp) : from
      guard now >= begin else { return (false, begin) }
      guard now >= from else { return (true, from) }
      let (isDue, end) = SourceTries.phase(at: now - from, firstTry: firstTry)
      return (isDue, from.saturatingAdd(end))
    }
    let start = from.saturatingSubtract(isHeld ? SourceSchedule.restAfter : SourceSchedule.warmUp)
    return now >= start ? (true, nil) : (false, start)
  }
}

/// The tries of a source that does not answer: short at first, then longer, for slow receivers, but ever more rarely, to
/// spare a machine that has no source. All times are in microseconds.
enum SourceTries {
  private static let second: UInt64 = 1_000_000
  /// The pauses after the first tries; all others are the ``longestPause``.
  private static let pauses = [120 * second, 600 * second]
  private static let longestPause = 1_800 * second
  /// The lengths of the tries after ``pauses``, again and again.
  private static let lengths = [60 * second, 120 * second, 60 * second, 60 * second]

  /// Returns whether the source is held after a time without an answer, and when that changes, from the same start.
  static func phase(at time: UInt64, firstTry: UInt64) -> (isHeld: Bool, until: UInt64) {
    var (begin, length) = (UInt64(0), firstTry)
    for pause in pauses {
      if time < begin + length { return (true, begin + length) }
      begin += length + pause
      if time < begin { return (false, begin) }
      length = 60 * second
    }
    let cycle = lengths.reduce(0, +) + UInt64(lengths.count) * longestPause
    begin += (time - begin) / cycle * cycle
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
/// A subscription that may wait, for its time threshold or for a significant change, does not hold a source that does not
/// answer.
package struct SourceWait: Sendable {
  /// The time from a location that ends a check for significant changes to the next check, in microseconds.
  package static let checkInterval: UInt64 = 1_800_000_000
  /// How long a check waits at first for a location, in microseconds.
  static let checkLength: UInt64 = 30_000_000
  /// How long an update that is due waits at first for a location, with the warm-up, in microseconds. Receivers that were
  /// off for minutes need most of it.
  static let updateLength: UInt64 = 60_000_000

  /// When the source is tried next, at the earliest.
  private var from: UInt64

  /// Begins to wait for the first location.
  package init(at now: UInt64 = 0) { from = now }

  /// Records a location, whatever caused it. One that is too inaccurate for a check leaves it open.
  package mutating func received(_ location: Location, _ configuration: DeliveryRule.Configuration, at now: UInt64) {
    guard configuration.isSignificant else {
      // The source answers, so keep waiting for a location that passes.
      from = now
      return
    }
    let isSufficient = location.accuracy.map { $0 <= configuration.sufficientAccuracy } ?? false
    if isSufficient { from = now.saturatingAdd(Self.checkInterval) }
  }

  /// Tries the source at a time, because the device may have moved.
  package mutating func check(at time: UInt64) { from = time }

  package func need(_ rule: DeliveryRule, at level: AccuracyLevel) -> SourceSchedule.Need {
    let due = rule.mayDeliverFrom
    if rule.configuration.isSignificant {
      return SourceSchedule.Need(level, from: from, firstTry: Self.checkLength)
    }
    guard rule.configuration.interval > SourceSchedule.restAfter else { return SourceSchedule.Need(level, from: due) }
    let begin = max(from, due.saturatingSubtract(SourceSchedule.warmUp))
    return SourceSchedule.Need(level, from: begin, firstTry: Self.updateLength)
  }
}
