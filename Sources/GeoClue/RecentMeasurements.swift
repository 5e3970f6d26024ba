// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// GeoClue's last measurements, by which repetitions are recognised.
///
/// GeoClue announces its last location again whenever a compass turns, and to each new client while another program uses
/// the source. Clients of different levels receive different locations, so the last one alone is not enough.
nonisolated struct RecentMeasurements: Sendable {
  static let capacity = 4

  /// The newest one is the last.
  private var measurements: [Location] = []

  /// Records a new measurement.
  mutating func add(_ location: Location) {
    measurements.removeAll { $0.isSameMeasurement(as: location) }
    if measurements.count == Self.capacity { measurements.removeFirst() }
    measurements.append(location)
  }

  /// Returns the measurement that a location repeats, and whether no other one has arrived since; nil if it is new.
  ///
  /// If one has, GeoClue prefers the earlier one again, for example for a client of another level. It then becomes the
  /// newest, but has the time of arrival of the one before it: a later time would count as a new measurement, and with an
  /// earlier one it would count as replaced.
  mutating func original(of location: Location) -> (location: Location, isNewest: Bool)? {
    guard let index = measurements.firstIndex(where: { location.isSameMeasurement(as: $0) }) else { return nil }
    let isNewest = index == measurements.indices.last
    var original = measurements.remove(at: index)
    if let newest = measurements.last, !isNewest { original.receivedAt = newest.receivedAt }
    measurements.append(original)
    return (original, isNewest)
  }
}
