// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A region at the service that outlives the service: after a restart it is monitored again, and what was told is not
/// repeated. Letting go of it, or ``cancel()``, ends it.
@MainActor public final class ServiceRegion {
  /// What happens to a region.
  nonisolated public enum Event: Sendable {
    /// The state has changed, or a stay has lasted.
    case changed(ServiceRegionEvent)
    /// What the program may have, at the beginning and when it changes.
    case authorization(Authorization)
    /// The service refuses to start; it begins when that changes.
    case refused(DBusError)
    /// The service cannot be called; unless that is final, it is called again from time to time.
    case failed(DBusError, isFinal: Bool)
    /// The service has gone; the region is monitored again when it is back.
    case interrupted
    /// Monitoring continues after an interruption.
    case resumed
    /// The service has ended the region: it was `used`, or has `expired`.
    case closed(String)
  }

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
