// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A location as the service delivered it.
nonisolated public struct ServiceLocation: Equatable, Sendable {
  /// The contract's dictionary.
  public let value: Value
  /// What it says about the place.
  public let location: Location
  /// The finest level that it may reveal, in the contract's word.
  public let level: String
  /// Whether less was granted than asked.
  public let isReduced: Bool
  /// Milliseconds since it reached the service; nil unless it was requested.
  public let age: UInt32?

  /// Reads the contract's dictionary; nil if it names no place on Earth.
  public init?(_ value: Value) {
    guard let properties = value.properties, let latitude = properties["Latitude"]?.double,
      let longitude = properties["Longitude"]?.double, abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    func known(_ name: String) -> Double? { properties[name]?.double.flatMap { $0.isFinite ? $0 : nil } }
    self.value = value
    location = Location(
      latitude: latitude, longitude: longitude, accuracy: known("Accuracy"), altitude: known("Altitude"),
      speed: known("Speed"), heading: known("Heading"), sourceDescription: properties["Description"]?.string,
      timestamp: Timestamp(properties["Timestamp"]),
      receivedAt: properties["MonotonicUSec"]?.uint64 ?? 0, sequence: properties["Sequence"]?.uint64 ?? 0,
      isSimulated: properties["Simulated"]?.boolean ?? false,
      source: properties["Source"]?.string.flatMap(SourceKind.init) ?? .unknown)
    level = properties["Level"]?.string ?? ""
    isReduced = properties["Reduced"]?.boolean ?? false
    age = properties["Age"]?.uint32
  }
}
