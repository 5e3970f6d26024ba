// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A location as it came over the bus.
nonisolated struct LocationReading {
  /// The dictionary itself, for JSON.
  let value: Value
  let location: Location
  /// The finest level that it may reveal, in the contract's word.
  let level: String
  /// What was granted is coarser than what was asked.
  let isReduced: Bool
  /// Where the fix came from, in the contract's word; `unknown` where the service does not say.
  let source: String
  /// Milliseconds since it reached the service; in the reply of `GetLocation` alone.
  let age: UInt32?

  /// Reads the contract's dictionary; nil if it has no place in it.
  init?(_ value: Value) {
    guard let properties = value.properties, let latitude = properties["Latitude"]?.double,
      let longitude = properties["Longitude"]?.double
    else { return nil }
    self.value = value
    let time = properties["Timestamp"]?.structure?.compactMap(\.uint64) ?? []
    location = Location(
      latitude: latitude, longitude: longitude, accuracy: properties["Accuracy"]?.double,
      altitude: properties["Altitude"]?.double, speed: properties["Speed"]?.double,
      heading: properties["Heading"]?.double, sourceDescription: properties["Description"]?.string,
      timestamp: time.count == 2 ? Timestamp(seconds: time[0], microseconds: time[1]) : Timestamp(),
      receivedAt: properties["MonotonicUSec"]?.uint64 ?? 0, sequence: properties["Sequence"]?.uint64 ?? 0,
      isSimulated: properties["Simulated"]?.boolean ?? false)
    level = properties["Level"]?.string ?? ""
    isReduced = properties["Reduced"]?.boolean ?? false
    source = properties["Source"]?.string ?? "unknown"
    age = properties["Age"]?.uint32
  }
}
