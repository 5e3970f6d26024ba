// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Converts a location to the contract's `a{sv}`, omitting unknown values.
nonisolated extension Delivery {
  /// Returns the dictionary. `age` in milliseconds is included only in replies to `GetLocation`.
  func value(age: UInt32? = nil) -> Value {
    var pairs: [(String, Value)] = [
      ("Latitude", .double(location.latitude)),
      ("Longitude", .double(location.longitude)),
      ("Level", .string(level.contractName)),
      ("Reduced", .boolean(isReduced)),
      ("Simulated", .boolean(location.isSimulated)),
      ("Source", .string(location.source.rawValue)),
      ("Sequence", .uint64(location.sequence)),
      ("Timestamp", Value(location.timestamp)),
      ("MonotonicUSec", .uint64(location.receivedAt)),
    ]
    func add(_ name: String, _ number: Double?) {
      if let number, number.isFinite { pairs.append((name, .double(number))) }
    }
    add("Accuracy", location.accuracy)
    add("Altitude", location.altitude)
    add("Speed", location.speed)
    add("Heading", location.heading)
    if let description = location.sourceDescription { pairs.append(("Description", .string(description))) }
    if let age { pairs.append(("Age", .uint32(age))) }
    return .options(pairs)
  }

  /// Returns the milliseconds since the location reached the service.
  func age(at boottime: UInt64) -> UInt32 {
    UInt32(clamping: boottime > location.receivedAt ? (boottime - location.receivedAt) / 1_000 : 0)
  }
}

nonisolated extension Value {
  init(_ timestamp: Timestamp) { self = .structure([.uint64(timestamp.seconds), .uint64(timestamp.microseconds)]) }
}
