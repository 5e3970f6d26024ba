// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// The names of the contract's own errors.
nonisolated extension ErrorName {
  static let notAuthorized = ErrorName("org.geopublicist.Location1.Error.NotAuthorized")
  static let timeout = ErrorName("org.geopublicist.Location1.Error.Timeout")
  static let unavailable = ErrorName("org.geopublicist.Location1.Error.Unavailable")
  static let invalidOption = ErrorName("org.geopublicist.Location1.Error.InvalidOption")
  static let serviceLimitsExceeded = ErrorName("org.geopublicist.Location1.Error.LimitsExceeded")
}

/// The contract's own errors, each with one plain sentence that says what to do.
nonisolated extension DBusError {
  /// The refusal that goes with a status.
  static func notAuthorized(_ authorization: Authorization) -> DBusError {
    DBusError(.notAuthorized, authorization.sentence)
  }

  static func invalidOption(_ message: String) -> DBusError { DBusError(.invalidOption, message) }

  /// Beyond a limit, which is named as in the property `Limits`.
  static func limitsExceeded(_ limit: Limits.Key) -> DBusError {
    DBusError(
      .serviceLimitsExceeded,
      "The limit \(limit.rawValue) is reached; give back what is not needed any more, or try again later"
    )
  }

  /// The answer to a call that is refused.
  init(_ refusal: Refusal) {
    self =
      switch refusal {
      case .notAuthorized(let authorization): .notAuthorized(authorization)
      case .interactionRequired(let authorization):
        DBusError(.interactiveAuthorizationRequired, authorization.sentence)
      case .timeout: .timeout
      case .unavailable(let reason): .unavailable(reason)
      case .limit(let limit): .limitsExceeded(limit)
      case .ending: .ending
      }
  }

  /// The service is about to end.
  static let ending = DBusError(.unavailable, "The service is ending; call again to start it")

  /// Nothing came in time.
  static let timeout = DBusError(
    .timeout,
    "No location came in the time allowed; try again with a longer timeout or a greater maximum-age"
  )

  /// Nothing can come, for a reason of the upstream's.
  static func unavailable(_ reason: UpstreamReason) -> DBusError {
    DBusError(.unavailable, reason.sentence)
  }

  /// What the location manager says, in the contract's words.
  init(_ error: LocationError) {
    let name: ErrorName =
      switch error.code {
      case .denied: .notAuthorized
      case .unavailable, .locationUnknown: .unavailable
      }
    self.init(name, error.message)
  }
}
