// SPDX-License-Identifier: Apache-2.0
/// Decides when to hold the source and at which level. It is held only while a delivery may be due, because sources
/// consume power.
///
/// The source is released when the next possible delivery of every need is more than a minute away, and reacquired in
/// time to have a location by then. After the last need has ended, it is kept briefly, so that short-lived clients do
/// not overload it.
///
/// All times are in microseconds of a clock that does not jump. The owner keeps one timer for ``update(at:)``.
package struct SourceSchedule: Sendable {
  /// What a client's object needs.
  package struct Need: Hashable, Sendable {
    package var level: AccuracyLevel
    /// The earliest time at which a location may be delivered.
    package var from: UInt64
    /// Whether the source is only checked periodically. Each check ends after ``checkLength``, and the next one starts
    /// ``checkInterval`` after its start.
    package var isCheck: Bool

    /// Creates a need for a level from a time on.
    package init(_ level: AccuracyLevel, from: UInt64 = 0, isCheck: Bool = false) {
      self.level = level
      self.from = from
      self.isCheck = isCheck
    }
  }

  /// The source is released if nothing is due within this time, in microseconds.
  package static let restAfter: UInt64 = 60_000_000
  /// How long before it is needed the source is reacquired, in microseconds.
  package static let warmUp: UInt64 = 15_000_000
  /// How long a check may hold the source, in microseconds.
  package static let checkLength: UInt64 = 30_000_000
  /// The time from the start of one check to the start of the next, in microseconds.
  package static let checkInterval: UInt64 = 1_800_000_000

  private let linger: UInt64
  private let isReleased: Bool
  private var needs: [ObjectIdentifier: Need] = [:]
  private var held: AccuracyLevel?
  private var lingersUntil: UInt64?
  /// Whether a check alone holds the source. The next one is far away, so lingering after it would only cost power.
  private var isChecking = false

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
  package mutating func set(_ need: Need?, for object: ObjectIdentifier) { needs[object] = need }

  /// Whether an object needs the source, now or later.
  package var isNeeded: Bool { !needs.isEmpty }

  /// Whether the source is released although it will be needed.
  package var isResting: Bool { held == nil && isNeeded }

  /// Returns the level at which to hold the source from now on and when to call this method again.
  package mutating func update(at now: UInt64) -> (level: AccuracyLevel?, again: UInt64?) {
    let horizon = held == nil ? Self.warmUp : Self.restAfter
    var level: AccuracyLevel?
    var again: UInt64?
    var isCheck = true
    for need in needs.values {
      let (isDue, next) = isReleased ? need.state(at: now, horizon) : (true, nil)
      if isDue {
        level = max(level ?? need.level, need.level)
        isCheck = isCheck && need.isCheck
      }
      if let next { again = min(again ?? next, next) }
    }
    if let level {
      (held, lingersUntil, isChecking) = (level, nil, isCheck)
    } else if held != nil {
      let end = lingersUntil ?? now.saturatingAdd(isChecking && isNeeded ? 0 : linger)
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
  /// Returns whether the source is needed at `now`, and when that changes.
  fileprivate func state(at now: UInt64, _ horizon: UInt64) -> (isDue: Bool, next: UInt64?) {
    guard isCheck else {
      let start = from.saturatingSubtract(horizon)
      return now >= start ? (true, nil) : (false, start)
    }
    guard now >= from else { return (false, from) }
    let phase = (now - from) % SourceSchedule.checkInterval
    let begin = now - phase
    return phase < SourceSchedule.checkLength
      ? (true, begin.saturatingAdd(SourceSchedule.checkLength))
      : (false, begin.saturatingAdd(SourceSchedule.checkInterval))
  }
}

/// Decides when a subscription to significant changes must check the source: half an hour after the last known
/// location, and immediately when the device may have moved, such as on resume.
package struct SignificantCheck: Sendable {
  /// The accuracy that ends a check, in metres.
  package static let sufficientAccuracy = 500.0

  /// When the next check begins, or nil before the first location, which is awaited.
  package private(set) var nextAt: UInt64?

  package init() {}

  /// Records a location, whatever caused it.
  package mutating func received(_ location: Location, at now: UInt64) {
    let isSufficient = location.accuracy.map { $0 <= Self.sufficientAccuracy } ?? false
    if nextAt == nil || isSufficient {
      nextAt = now.saturatingAdd(SourceSchedule.checkInterval)
    }
  }

  /// Makes the next check due now, because the device may have moved.
  package mutating func checkNow(at now: UInt64) {
    if nextAt != nil { nextAt = now }
  }
}
