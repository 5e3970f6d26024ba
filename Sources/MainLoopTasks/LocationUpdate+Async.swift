// SPDX-License-Identifier: Apache-2.0
import GeopublicistClient
import Publicist

extension LocationUpdate {
  /// Returns the location of this device, or the reason for its absence, as reported by the location service, until the
  /// iteration ends or its task is cancelled. Modelled on CoreLocation's `CLLocationUpdate.liveUpdates()`.
  ///
  /// ```swift
  /// for await update in LocationUpdate.liveUpdates() {
  ///   if let location = update.location { show(location) } else { show(update.message) }
  /// }
  /// ```
  ///
  /// Each iteration has its own subscription. A loop that is slower than the source receives the newest update.
  ///
  /// - Parameters:
  ///   - accuracy: The finest level that the program needs.
  ///   - distanceFilter: Metres that the device must move before the next location is delivered.
  ///   - desktopID: The name of the program's .desktop file without the extension, by which rules know it.
  ///   - bus: The bus on which the service runs.
  public static func liveUpdates(
    accuracy: AccuracyLevel = .exact, distanceFilter: Double = 0, desktopID: String = "",
    on bus: Connection.Bus = .system
  ) -> some AsyncSequence<LocationUpdate, Never> {
    liveUpdates {
      ServiceSource(on: bus, desktopID: desktopID)
    } configuredBy: { manager in
      manager.desiredAccuracy = accuracy
      manager.distanceFilter = distanceFilter
    }
  }

  /// Returns the updates of another source, such as GeoClue itself or a recorded track. Each iteration creates a source.
  public static func liveUpdates(
    from source: @escaping () -> any LocationSource,
    configuredBy configure: @escaping (LocationManager) -> Void = { _ in }
  ) -> some AsyncSequence<LocationUpdate, Never> {
    Deferred {
      let manager = LocationManager(source: source())
      configure(manager)
      return manager.updatePublisher()
    }
    .buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)
    .values
  }
}
