// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// An event of a subscription or a region at the service.
nonisolated public enum ServiceEvent<Update: Sendable>: Sendable {
  /// A location, or a change of the region.
  case update(Update)
  /// The authorization, at the beginning and after each change.
  case authorization(Authorization)
  /// The service reports a failure; updates may continue.
  case failure(DBusError)
  /// The service refuses to start the updates. They begin when that changes.
  case refused(DBusError)
  /// The service cannot be called. Unless that is final, the call is repeated.
  case failed(DBusError, isFinal: Bool)
  /// The service has gone. The object is created again when it is back.
  case interrupted
  /// Updates continue after an interruption.
  case resumed
  /// The service has ended the object, with the contract's reason: `completed` for a subscription, `used` or
  /// `expired` for a region.
  case closed(String)
}

nonisolated extension ServiceEvent: Equatable where Update: Equatable {}

nonisolated extension ServiceEvent where Update == Never {
  /// Converts the event to the type of an object that has updates.
  func typed<Other>() -> ServiceEvent<Other> {
    switch self {
    case .authorization(let authorization): .authorization(authorization)
    case .failure(let error): .failure(error)
    case .refused(let error): .refused(error)
    case .failed(let error, let isFinal): .failed(error, isFinal: isFinal)
    case .interrupted: .interrupted
    case .resumed: .resumed
    case .closed(let reason): .closed(reason)
    }
  }
}
