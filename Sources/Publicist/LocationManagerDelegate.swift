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

  /// The device has come into a monitored region.
  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion)

  /// The device has left a monitored region; only ever after a known stay.
  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion)

  /// The state of a monitored region has become known, has changed, or is not known any more.
  func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion)
}

extension LocationManagerDelegate {
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}
  public func locationManager(_ manager: LocationManager, didChangeUpstreamStatus status: UpstreamStatus) {}
  public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {}
  public func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {}
  public func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {}
}
