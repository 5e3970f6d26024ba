// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// Subscribes to locations at the service, again after each restart of the service. Releasing the object, or
/// ``cancel()``, ends it.
///
/// ```swift
/// let service = try ServiceConnection(to: .system)
/// var options = ClientOptions()
/// options.distanceThreshold = 50
/// let subscription = ServiceSubscription(on: service, options) { event in
///   if case .update(let update) = event { print(update.location.latitude, update.location.longitude) }
/// }
/// ```
@MainActor public final class ServiceSubscription {
  /// An update is a location.
  public typealias Event = ServiceEvent<ServiceLocation>

  private let object: ServiceObject<ResubscriptionMachine>

  /// Subscribes with options, and calls `onEvent` with every event across restarts of the service. Unless `starts`, only
  /// changes of the authorization are reported, and the location is not used.
  public init(
    on service: ServiceConnection, _ options: ClientOptions, starts: Bool = true, _ onEvent: @escaping (Event) -> Void
  ) {
    object = ServiceObject(ResubscriptionMachine(starts: starts), SubscriptionInterface.interface, on: service, onEvent)
    change(to: options)
  }

  isolated deinit { cancel() }

  /// Changes the options while the subscription exists.
  public func change(to options: ClientOptions) { object.want(options) }

  /// Ends it. The handler is not called again.
  public func cancel() { object.end() }

  func disconnected() { object.disconnected() }

  /// Continues on another connection without repeating anything.
  func move(to service: ServiceConnection) { object.move(to: service) }
}

/// Monitors a region at the service, across restarts of the service and without repeating events. Releasing the
/// object, or ``cancel()``, ends it.
@MainActor public final class ServiceRegion {
  /// An update is a change of the region's state, or a stay that has lasted for the dwell time.
  public typealias Event = ServiceEvent<ServiceRegionEvent>

  private let object: ServiceObject<RegionKeeper>

  /// Monitors the circle of `options.region`.
  public init(on service: ServiceConnection, _ options: ClientOptions, _ onEvent: @escaping (Event) -> Void) {
    object = ServiceObject(RegionKeeper(), RegionInterface.interface, on: service, onEvent)
    change(to: options)
  }

  isolated deinit { cancel() }

  /// Changes the level. What was reported is remembered.
  func change(to options: ClientOptions) { object.want(options) }

  /// Ends it. The handler is not called again.
  public func cancel() { object.end() }

  func disconnected() { object.disconnected() }

  /// Continues on another connection without repeating anything.
  func move(to service: ServiceConnection) { object.move(to: service) }
}
