// SPDX-License-Identifier: Apache-2.0
/// The reason for a status. Raw values as in the D-Bus contract.
///
/// The reason determines the status, see ``refusedStatus``.
public enum AuthorizationReason: String, CaseIterable, Sendable {
  /// Authorized without restrictions.
  case none = ""
  /// Authorized, but for a coarser level than requested.
  case reducedAccuracy = "reduced-accuracy"

  /// No location agent is running for this user.
  case noAgent = "no-agent"
  /// The user must be asked in a dialog.
  case authorizationRequired = "authorization-required"
  /// A check is in progress.
  case undecided = "undecided"

  /// The user turned location off.
  case disabledByUser = "disabled-by-user"
  /// The user's agent refused this program.
  case rejectedByAgent = "rejected-by-agent"
  /// The user has no active session.
  case sessionInactive = "session-inactive"

  /// GeoClue's configuration forbids access for this program or user.
  case disallowedByConfiguration = "disallowed-by-configuration"
  /// The administrator's polkit rules forbid access.
  case disallowedByPolicy = "disallowed-by-policy"
  /// The caller is in a sandbox and must use the desktop portal.
  case sandboxed = "sandboxed"
  /// polkit cannot be asked.
  case policyUnavailable = "policy-unavailable"

  /// The status of a refusal for this reason, or nil for the two reasons for an authorized status.
  public var refusedStatus: AuthorizationStatus? {
    switch self {
    case .none, .reducedAccuracy: nil
    case .noAgent, .authorizationRequired, .undecided: .notDetermined
    case .disabledByUser, .rejectedByAgent, .sessionInactive: .denied
    case .disallowedByConfiguration, .disallowedByPolicy, .sandboxed, .policyUnavailable: .restricted
    }
  }

  /// One sentence that tells the user what to do, used as the message of `NotAuthorized`. Never contains a user, path
  /// or coordinate.
  public var sentence: String {
    switch self {
    case .none: "Access to the location is allowed"
    case .reducedAccuracy:
      "Only an approximate location is allowed; run `geopublicist doctor` to see how to allow the exact one"
    case .noAgent:
      "No location agent is running for this user; log in to a desktop that has one, or run `geopublicist switch on`"
    case .authorizationRequired:
      "The user must be asked first; call RequestAuthorization with interactive authorization allowed"
    case .undecided: "The authorization check is still in progress; try again in a few seconds"
    case .disabledByUser:
      "Location is turned off for this user; turn it on in the desktop's settings, or, if "
        + "there is no such setting, with `geopublicist switch on`"
    case .rejectedByAgent: "The request was refused; try again from the program"
    case .sessionInactive: "This user has no active session; switch to the user's session to continue"
    case .disallowedByConfiguration:
      "GeoClue's configuration forbids location for this program or user; ask the administrator to allow it"
    case .disallowedByPolicy:
      "polkit does not allow access: a rule forbids it, or this is not a local session; ask the administrator"
    case .sandboxed:
      "Sandboxed programs get the location only from the desktop portal; use org.freedesktop.portal.Location"
    case .policyUnavailable: "polkit cannot be asked for permission; ask the administrator to install or start it"
    }
  }
}

/// Whether a client may have locations, in CoreLocation's terms; the raw values are those of the D-Bus contract.
public enum AuthorizationStatus: String, CaseIterable, Sendable {
  /// Not decided yet.
  case notDetermined = "not-determined"
  /// Forbidden by a rule that the user cannot change.
  case restricted = "restricted"
  /// The user turned location off, refused, or has no active session.
  case denied = "denied"
  /// Allowed while the user has an active session.
  case authorizedWhenInUse = "authorized-when-in-use"
  /// Allowed regardless of sessions.
  case authorizedAlways = "authorized-always"

  /// Whether locations are delivered.
  public var isAuthorized: Bool {
    switch self {
    case .authorizedWhenInUse, .authorizedAlways: true
    case .notDetermined, .restricted, .denied: false
    }
  }
}
