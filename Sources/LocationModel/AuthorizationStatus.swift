// SPDX-License-Identifier: Apache-2.0
/// Whether a consumer may have locations, in CoreLocation's terms; the raw values are those of the D-Bus contract.
public enum AuthorizationStatus: String, CaseIterable, Sendable {
  /// Nobody has decided yet; it may still become either.
  case notDetermined = "not-determined"
  /// A rule forbids it, and the person cannot change that.
  case restricted = "restricted"
  /// The person switched location off or said no, or has no active session now.
  case denied = "denied"
  /// Allowed as long as the consumer's user has the active session.
  case authorizedWhenInUse = "authorized-when-in-use"
  /// Allowed without regard to sessions.
  case authorizedAlways = "authorized-always"

  /// Whether locations are delivered.
  public var isAuthorized: Bool {
    switch self {
    case .authorizedWhenInUse, .authorizedAlways: true
    case .notDetermined, .restricted, .denied: false
    }
  }
}
