// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Hears what a ``LocationManager`` has to tell; the shape is CoreLocation's.
public protocol LocationManagerDelegate: AnyObject {
  /// New locations, the newest last; never an empty array.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// The manager may do more or less than before; read ``LocationManager/authorization`` for the reason.
  func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus)

  /// Something went wrong; the manager goes on by itself.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)

  /// What is known of GeoClue and its sources has changed.
  func locationManager(_ manager: LocationManager, didChangeUpstreamStatus status: UpstreamStatus)
}

extension LocationManagerDelegate {
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}
  public func locationManager(_ manager: LocationManager, didChangeUpstreamStatus status: UpstreamStatus) {}
}
