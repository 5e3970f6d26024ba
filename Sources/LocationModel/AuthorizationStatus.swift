// SPDX-License-Identifier: Apache-2.0
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
