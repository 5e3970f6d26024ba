// SPDX-License-Identifier: Apache-2.0
/// The reason of a status; the raw values are those of the D-Bus contract.
///
/// The reason decides the status: see ``refusedStatus``.
public enum AuthorizationReason: String, CaseIterable, Sendable {
  /// Authorized, with nothing to add.
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

  /// GeoClue's configuration forbids it for this program or user.
  case disallowedByConfiguration = "disallowed-by-configuration"
  /// The administrator's polkit rules forbid it.
  case disallowedByPolicy = "disallowed-by-policy"
  /// The caller is in a sandbox and must use the desktop portal.
  case sandboxed = "sandboxed"
  /// polkit cannot be asked.
  case policyUnavailable = "policy-unavailable"

  /// The status that goes with this reason when nothing is granted; nil for the two reasons of an authorized status.
  public var refusedStatus: AuthorizationStatus? {
    switch self {
    case .none, .reducedAccuracy: nil
    case .noAgent, .authorizationRequired, .undecided: .notDetermined
    case .disabledByUser, .rejectedByAgent, .sessionInactive: .denied
    case .disallowedByConfiguration, .disallowedByPolicy, .sandboxed, .policyUnavailable: .restricted
    }
  }

  /// One sentence that tells the user what to do; the message of `NotAuthorized`. It names no user, path or
  /// coordinate.
  public var sentence: String {
    switch self {
    case .none:
      "Access to the location is allowed; there is nothing to do"
    case .reducedAccuracy:
      "Only an approximate location is allowed; `geopublicist doctor` shows where the exact one is allowed"
    case .noAgent:
      "No agent decides about locations for this user; log in to a desktop that has one, or run `geopublicist switch on`"
    case .authorizationRequired:
      "This user must be asked first; call RequestAuthorization with interactive authorization allowed"
    case .undecided:
      "The check whether this is allowed is still under way; try again in a few seconds"
    case .disabledByUser:
      "Location is turned off for this user; turn it on in the desktop's settings, or with `geopublicist switch on` "
        + "where the desktop has no such setting"
    case .rejectedByAgent:
      "The answer for this program was no; let it ask again"
    case .sessionInactive:
      "This user has no active session now; switch to the user's session to go on"
    case .disallowedByConfiguration:
      "The GeoClue configuration forbids this program or user to have the location; ask the administrator to allow it"
    case .disallowedByPolicy:
      "polkit does not allow it: a rule forbids it, or this session is not at the machine itself; ask the administrator"
    case .sandboxed:
      "A sandboxed program gets the location from the desktop portal only; use org.freedesktop.portal.Location"
    case .policyUnavailable:
      "polkit cannot be asked whether this is allowed; ask the administrator to install or start it"
    }
  }
}
