// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A location as delivered by the service.
nonisolated public struct ServiceLocation: Equatable, Sendable {
  /// The contract's dictionary.
  public let value: Value
  /// The location itself.
  public let location: Location
  /// The finest level that the location may reveal, in the contract's words.
  public let level: String
  /// Whether the granted level is coarser than the requested one.
  public let isReduced: Bool
  /// Milliseconds since the location reached the service; only in the answer to a request.
  public let age: UInt32?

  /// Reads the contract's dictionary; returns nil without valid coordinates.
  public init?(_ value: Value) {
    guard let properties = value.properties, let latitude = properties["Latitude"]?.double,
      let longitude = properties["Longitude"]?.double, abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    func known(_ name: String) -> Double? { properties[name]?.double.flatMap { $0.isFinite ? $0 : nil } }
    self.value = value
    location = Location(
      latitude: latitude, longitude: longitude, accuracy: known("Accuracy"), altitude: known("Altitude"),
      speed: known("Speed"), heading: known("Heading"), sourceDescription: properties["Description"]?.string,
      timestamp: Timestamp(properties["Timestamp"]) ?? Timestamp(),
      receivedAt: properties["MonotonicUSec"]?.uint64 ?? 0, sequence: properties["Sequence"]?.uint64 ?? 0,
      isSimulated: properties["Simulated"]?.boolean ?? false,
      source: properties["Source"]?.string.flatMap(SourceKind.init) ?? .unknown)
    level = properties["Level"]?.string ?? ""
    isReduced = properties["Reduced"]?.boolean ?? false
    age = properties["Age"]?.uint32
  }
}
