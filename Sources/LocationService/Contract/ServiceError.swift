// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// The contract's own errors, each with one sentence that tells the user what to do.
nonisolated extension DBusError {
  static func notAuthorized(_ authorization: Authorization) -> DBusError {
    DBusError(.notAuthorized, authorization.sentence)
  }

  /// The refusal of a call for which the user must be asked first.
  static func interactionRequired(_ authorization: Authorization) -> DBusError {
    DBusError(.interactiveAuthorizationRequired, authorization.sentence)
  }

  static func invalidOption(_ message: String) -> DBusError { DBusError(.invalidOption, message) }

  /// A limit is exceeded; named as in the property `Limits`.
  static func limitsExceeded(_ limit: Limits.Key) -> DBusError {
    DBusError(
      .serviceLimitsExceeded,
      "The limit \(limit.rawValue) is reached; close subscriptions or regions that are no longer needed, or try again later"
    )
  }

  static let ending = DBusError(.locationUnavailable, "The service is shutting down; call again to start it")

  static let timeout = DBusError(
    .locationTimeout, "No location arrived in time; try again with a longer timeout or a greater maximum-age")

  /// No location can arrive, for a reason given by the source.
  static func unavailable(_ reason: SourceReason) -> DBusError { DBusError(.locationUnavailable, reason.sentence) }

  /// Converts an error of the location manager into one of the contract.
  init(_ error: LocationError) {
    let name: ErrorName =
      switch error.code {
      case .denied: .notAuthorized
      case .unavailable, .locationUnknown: .locationUnavailable
      }
    self.init(name, error.message)
  }
}
