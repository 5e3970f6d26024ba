// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// GeoClue's last measurements, by which repetitions are recognised.
///
/// GeoClue announces its last location again whenever a compass turns, and to each new client while another program uses
/// the source. Clients of different levels receive different locations, so the last one alone is not enough.
nonisolated struct RecentMeasurements: Sendable {
  static let capacity = 4
  /// Most sources report whole seconds, so a device that returns to a place within a second has the same measurement there.
  static let resolution = Duration.seconds(2)

  private var measurements: [Location] = []

  var newest: Location? { measurements.last }

  /// Records a new measurement, or that one has been asserted again.
  mutating func add(_ location: Location) {
    measurements.removeAll { $0.isSameMeasurement(as: location) }
    if measurements.count == Self.capacity { measurements.removeFirst() }
    measurements.append(location)
  }

  /// Returns whether a location repeats one of them.
  func contains(_ location: Location) -> Bool {
    measurements.contains {
      location.isSameMeasurement(as: $0) && ($0 == newest || location.receivedAt - $0.receivedAt >= Self.resolution)
    }
  }
}
