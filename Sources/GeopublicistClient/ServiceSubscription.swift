// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A subscription at the service that outlives the service: after a restart it subscribes again. Letting go of it, or
/// ``cancel()``, ends it.
///
/// ```swift
/// let service = try ServiceConnection(to: .system)
/// var options = ClientOptions()
/// options.distanceThreshold = 50
/// let subscription = ServiceSubscription(on: service, options) { event in
///   if case .location(let update) = event { print(update.location.latitude, update.location.longitude) }
/// }
/// ```
@MainActor public final class ServiceSubscription {
  /// What happens to a subscription.
  nonisolated public enum Event: Sendable {
    /// A location.
    case location(ServiceLocation)
    /// What the program may have, at the beginning and when it changes.
    case authorization(Authorization)
    /// The service reports a failure; updates may continue.
    case failure(DBusError)
    /// The service refuses to start the updates; they begin when that changes.
    case refused(DBusError)
    /// The service cannot be called; unless that is final, it is called again from time to time.
    case failed(DBusError, isFinal: Bool)
    /// The service has gone; it is subscribed to again.
    case interrupted
    /// Updates continue after an interruption.
    case resumed
    /// The service has ended the subscription, usually with the reason `completed`.
    case closed(String)
  }

  private let object: ServiceObject<ResubscriptionMachine>

  /// Subscribes with these options.
  ///
  /// - Parameters:
  ///   - service: The connection that owns the subscription.
  ///   - options: Level, filters and limits.
  ///   - starts: Whether to receive updates; if not, only changes of the authorization are reported, and the location is
  ///     not used.
  ///   - onEvent: Called with everything that happens, across restarts of the service.
  public init(
    on service: ServiceConnection, _ options: ClientOptions, starts: Bool = true,
    _ onEvent: @escaping (Event) -> Void
  ) {
    object = ServiceObject(
      ResubscriptionMachine(starts: starts), ServiceContract.subscription, on: service,
      onFailure: { onEvent(.failure($0)) }, onEvent)
    change(to: options)
  }

  isolated deinit { cancel() }

  /// Changes the options while the subscription exists.
  public func change(to options: ClientOptions) { object.run { $0.want(options, at: $1) } }

  /// Ends it; the handler is not called any more.
  public func cancel() { object.end { $0.want(nil, at: $1) } }
}
