// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Receives the events of a ``LocationManager``; modelled on CoreLocation's delegate.
public protocol LocationManagerDelegate: AnyObject {
  /// Delivers new locations, the newest last. The array is never empty.
  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location])

  /// Reports that the authorization has changed. ``LocationManager/authorization`` has the reason.
  func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus)

  /// Reports a failure. The manager continues automatically.
  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError)

  /// Reports that the state of the source has changed.
  func locationManager(_ manager: LocationManager, didChangeSourceStatus status: SourceStatus)

  /// Reports that the device has entered a monitored region.
  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion)

  /// Reports that the device has left a monitored region, always after a known stay.
  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion)

  /// Reports that the state of a monitored region has become known, has changed, or is no longer known.
  func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion)
}

extension LocationManagerDelegate {
  public func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {}
  public func locationManager(_ manager: LocationManager, didChangeSourceStatus status: SourceStatus) {}
  public func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {}
  public func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {}
  public func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {}
}
