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

  /// A class, because a comparison with the location would otherwise copy it for each client.
  private final class Known {
    let location: Location
    let signal: SignalTemplate

    init(_ location: Location, _ signal: SignalTemplate) { (self.location, self.signal) = (location, signal) }
  }

  private var newest: [Key: Known] = [:]

  /// Returns the signal for a delivery, or nil if D-Bus cannot carry it, which never happens for a validated location.
  func signal(for delivery: Delivery) -> SignalTemplate? {
    let key = Key(level: delivery.location.level, isReduced: delivery.isReduced)
    if let known = newest[key], known.location == delivery.location { return known.signal }
    guard
      let signal = try? SignalTemplate(
        SubscriptionInterface.locationUpdated, of: SubscriptionInterface.interface, [delivery.value()])
    else { return nil }
    newest[key] = Known(delivery.location, signal)
    return signal
  }

  /// Drops the signals, which contain coordinates.
  func forget() { newest = [:] }
}

/// Converts a location to the contract's `a{sv}`, omitting unknown values.
nonisolated extension Delivery {
  /// Returns the dictionary. `age` in milliseconds is included only in replies to `GetLocation`.
  func value(age: UInt32? = nil) -> Value {
    var pairs: [(String, Value)] = [
      ("Latitude", .double(location.latitude)),
      ("Longitude", .double(location.longitude)),
      ("Level", .string(location.level.contractName)),
      ("Reduced", .boolean(isReduced)),
      ("Simulated", .boolean(location.isSimulated)),
      ("Source", .string(location.source.rawValue)),
      ("Sequence", .uint64(location.sequence)),
      ("Timestamp", Value(location.timestamp)),
      ("MonotonicUSec", .uint64(location.receivedAt.microseconds)),
    ]
    func add(_ name: String, _ number: Double?) {
      if let number, number.isFinite { pairs.append((name, .double(number))) }
    }
    add("Accuracy", location.accuracy)
    add("Altitude", location.altitude)
    add("Speed", location.speed)
    add("Heading", location.heading)
    if location.isRemembered { pairs.append(("Remembered", .boolean(true))) }
    if let description = location.sourceDescription { pairs.append(("Description", .string(description))) }
    if let age { pairs.append(("Age", .uint32(age))) }
    return .options(pairs)
  }

  /// Returns the milliseconds since the location reached the service.
  func age(at now: BootInstant) -> UInt32 { UInt32(clamping: (now - location.receivedAt).milliseconds) }
}

nonisolated extension Value {
  init(_ timestamp: Timestamp) { self = .structure([.uint64(timestamp.seconds), .uint64(timestamp.microseconds)]) }
}
