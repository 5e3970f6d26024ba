// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Receives the events of a ``LocationManager``; modelled on CoreLocation's delegate.
public protocol LocationManagerDelegate: AnyObject {
  /// New locations, the newest last; never an empty array.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// The authorization has changed; read ``LocationManager/authorization`` for the reason.
  func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus)

  /// A failure; the manager continues automatically.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)

  /// The state of GeoClue and its sources has changed.
  func locationManager(_ manager: LocationManager, didChangeUpstreamStatus status: UpstreamStatus)
}

extension LocationManagerDelegate {
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}
  public func locationManager(_ manager: LocationManager, didChangeUpstreamStatus status: UpstreamStatus) {}
}
