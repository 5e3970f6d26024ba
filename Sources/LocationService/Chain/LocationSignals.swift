// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// Builds the signal `LocationUpdated` once for all clients that receive the same location at the same level.
final class LocationSignals {
  private struct Key: Hashable {
    let level: AccuracyLevel
    let isReduced: Bool
  }

  private var newest: [Key: (location: Location, signal: SignalTemplate)] = [:]

  /// Returns the signal for a delivery, or nil if D-Bus cannot carry it, which never happens for a validated location.
  func signal(for delivery: Delivery) -> SignalTemplate? {
    let key = Key(level: delivery.level, isReduced: delivery.isReduced)
    if let known = newest[key], known.location == delivery.location { return known.signal }
    guard let signal = try? SignalTemplate("LocationUpdated", of: ServiceContract.subscription, [delivery.value()])
    else { return nil }
    newest[key] = (delivery.location, signal)
    return signal
  }

  /// Drops the signals, which contain coordinates.
  func forget() { newest = [:] }
}
