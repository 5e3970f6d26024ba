// SPDX-License-Identifier: Apache-2.0
import GeopublicistClient
import Observation
import Publicist

/// The location of this device and the reasons why there may be none, observed with Swift's Observation.
///
/// ```swift
/// let here = LiveLocation()
/// for await update in Observations({ here.update }) { show(update.location, update.message) }
/// ```
///
/// The source is used as long as the object exists.
@Observable public final class LiveLocation {
  /// The newest state.
  public private(set) var update = LocationUpdate()

  @ObservationIgnored private var subscription: AnyCancellable?

  /// Follows the location service, with the parameters of `LocationUpdate.liveUpdates`.
  public convenience init(
    accuracy: AccuracyLevel = .exact, distanceFilter: Double = 0, desktopID: String = "",
    on bus: Connection.Bus = .system
  ) {
    self.init(from: ServiceSource(on: bus, desktopID: desktopID)) { manager in
      manager.desiredAccuracy = accuracy
      manager.distanceFilter = distanceFilter
    }
  }

  /// Follows another source, such as GeoClue itself or a recorded track.
  public init(from source: any LocationSource, configuredBy configure: (LocationManager) -> Void = { _ in }) {
    let manager = LocationManager(source: source)
    configure(manager)
    subscription = manager.updatePublisher().sink { [weak self] in self?.update = $0 }
  }

  // Any thread may release the object.
  isolated deinit { subscription?.cancel() }
}
