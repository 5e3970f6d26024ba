// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// A region at the service that outlives the service: after a restart it is monitored again, and what was told is not
/// repeated. Letting go of it, or ``cancel()``, ends it.
@MainActor public final class ServiceRegion {
  /// What happens to the region; an update is a change of its state, or a stay that has lasted.
  public typealias Event = ServiceEvent<ServiceRegionEvent>

  private let object: ServiceObject<RegionKeeper>

  /// Monitors a region with these options, whose `ClientOptions.region` is the circle.
  public init(on service: ServiceConnection, _ options: ClientOptions, _ onEvent: @escaping (Event) -> Void) {
    object = ServiceObject(RegionKeeper(options), ServiceContract.region, on: service, onEvent)
    object.run { $0.begin(at: $1) }
  }

  isolated deinit { cancel() }

  /// Ends it; the handler is not called any more.
  public func cancel() { object.end { $0.stop(at: $1) } }
}
