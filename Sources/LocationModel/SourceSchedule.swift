// SPDX-License-Identifier: Apache-2.0
/// Decides when the source is held, and at which level: while a delivery may be due, and for a moment after the last
/// client has left, so that clients that come and go do not wear the source out.
///
/// All times are microseconds of a clock that does not jump; the owner keeps one timer for ``update(at:)``.
public struct SourceSchedule: Sendable {
  private var counts: [AccuracyLevel: Int] = [:]
  private var held: AccuracyLevel?
  private var lingersUntil: UInt64?

  private let linger: UInt64

  /// Makes a schedule without needs; the source is kept for `linger` microseconds when nothing needs it any more.
  public init(linger: UInt64 = 0) { self.linger = linger }

  /// Moves one need from one level to another; nil is none.
  public mutating func move(from old: AccuracyLevel?, to new: AccuracyLevel?) {
    guard old != new else { return }
    if let old, let count = counts[old] { counts[old] = count > 1 ? count - 1 : nil }
    if let new { counts[new, default: 0] += 1 }
  }

  /// The highest level that is needed; nil if none is.
  public var needed: AccuracyLevel? { counts.keys.max() }

  /// Returns the level at which the source is to be held from now on, and when to ask again.
  public mutating func update(at now: UInt64) -> (level: AccuracyLevel?, again: UInt64?) {
    if let needed {
      (held, lingersUntil) = (needed, nil)
    } else if held != nil {
      let end = lingersUntil ?? now.saturatingAdd(linger)
      (held, lingersUntil) = now >= end ? (nil, nil) : (held, end)
    }
    return (held, lingersUntil)
  }
}
