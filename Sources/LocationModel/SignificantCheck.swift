// SPDX-License-Identifier: Apache-2.0
/// Decides when a subscription to significant changes must check the source: half an hour after the last known
/// location, and immediately when the device may have moved, such as on resume.
package struct SignificantCheck: Sendable {
  /// The accuracy that ends a check, in metres.
  package static let sufficientAccuracy = 500.0

  private var lastSeen: Location?
  /// When the next check begins, or nil before the first location, which is awaited.
  package private(set) var nextAt: UInt64?

  /// Creates a check without a location.
  package init() {}

  /// Records a location, whatever caused it.
  package mutating func received(_ location: Location, at now: UInt64) {
    // A source that has just been started reports its old location first, which proves nothing.
    defer { lastSeen = location }
    let isNew = lastSeen.map { !location.isSameMeasurement(as: $0) } ?? true
    let isSufficient = location.accuracy.map { $0 <= Self.sufficientAccuracy } ?? false
    if nextAt == nil || (isNew && isSufficient) {
      nextAt = now.saturatingAdd(SourceSchedule.checkInterval)
    }
  }

  /// Makes the next check due now, because the device may have moved.
  package mutating func checkNow(at now: UInt64) {
    if nextAt != nil { nextAt = now }
  }
}
