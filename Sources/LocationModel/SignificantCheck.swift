// SPDX-License-Identifier: Apache-2.0
/// Decides when a subscription to significant changes must check the source: half an hour after the last known
/// location, and at once when the device may have moved, such as on resume.
public struct SignificantCheck: Sendable {
  /// A location at least this accurate ends a check, metres.
  public static let sufficientAccuracy = 500.0

  private var lastSeen: Location?
  /// When the next check begins; nil before the first location, which is waited for.
  public private(set) var nextAt: UInt64?

  /// Creates a check without a location.
  public init() {}

  /// Notes a location, whatever caused it.
  public mutating func received(_ location: Location, at now: UInt64) {
    // A source that was just started reports its old location first, which proves nothing.
    defer { lastSeen = location }
    let isNew = lastSeen.map { !location.isSameMeasurement(as: $0) } ?? true
    let isSufficient = location.accuracy.map { $0 <= Self.sufficientAccuracy } ?? false
    if nextAt == nil || (isNew && isSufficient) {
      nextAt = now.saturatingAdd(SourceSchedule.checkInterval)
    }
  }

  /// Notes that the device may be somewhere else: the next check begins now.
  public mutating func checkNow(at now: UInt64) {
    if nextAt != nil { nextAt = now }
  }
}
