// SPDX-License-Identifier: Apache-2.0
/// Knows when a subscription to significant changes must have the source checked: half an hour after it last knew where the
/// device is, and when that may have changed at once, such as on resume.
public struct SignificantCheck: Sendable {
  /// A location at least this accurate ends a check, metres.
  public static let sufficientAccuracy = 500.0

  private var lastSeen: Location?
  /// When the next check begins; nil before the first location, which is waited for.
  public private(set) var nextAt: UInt64?

  /// Makes one that has seen nothing.
  public init() {}

  /// A location has come, whoever caused it.
  public mutating func received(_ location: Location, at now: UInt64) {
    // A source that is started tells its old location first, which answers nothing.
    defer { lastSeen = location }
    let isNew = lastSeen.map { !location.isSameMeasurement(as: $0) } ?? true
    let isSufficient = location.accuracy.map { $0 <= Self.sufficientAccuracy } ?? false
    if nextAt == nil || (isNew && isSufficient) {
      nextAt = now.saturatingAdd(SourceSchedule.checkInterval)
    }
  }

  /// The device may be elsewhere: the next check begins now.
  public mutating func checkNow(at now: UInt64) {
    if nextAt != nil { nextAt = now }
  }
}
