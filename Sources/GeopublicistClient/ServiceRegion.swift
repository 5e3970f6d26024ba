// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// Monitors a region at the service, across restarts of the service and without repeating events. Releasing the
/// object, or ``cancel()``, ends it.
@MainActor public final class ServiceRegion {
  /// An update is a change of the region's state, or a stay that has lasted for the dwell time.
  public typealias Event = ServiceEvent<ServiceRegionEvent>

  private let object: ServiceObject<RegionKeeper>

  /// Monitors the circle of `options.region`.
  public init(on service: ServiceConnection, _ options: ClientOptions, _ onEvent: @escaping (Event) -> Void) {
    object = ServiceObject(RegionKeeper(options), ServiceContract.region, on: service, onEvent)
    object.run { $0.begin(at: $1) }
  }

  isolated deinit { cancel() }

  /// Ends it. The handler is not called again.
  public func cancel() { object.end { $0.stop(at: $1) } }
}
