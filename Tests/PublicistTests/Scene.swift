// SPDX-License-Identifier: Apache-2.0
import PublicistTesting
import Testing

extension FakeLocationSource {
  func authorize(_ authorization: Authorization) { send(.authorization(authorization)) }

  /// A fix at a distance north of a fixed place, in metres.
  func move(north metres: Double, accuracy: Double? = nil, at time: Timestamp = Timestamp()) {
    // One degree of latitude on the sphere that distances are computed on.
    let degrees = metres / (6_371_008.8 * .pi / 180)
    send(.location(Location(latitude: 52.5 + degrees, longitude: 13.25, accuracy: accuracy, timestamp: time)))
  }

  func fail(_ code: LocationError.Code) { send(.failure(LocationError(code, "a scripted failure"))) }
}

/// A publicist on a manager on a source under the test's control.
struct Scene {
  let source = FakeLocationSource()
  let manager: LocationManager
  let publicist: LocationPublicist

  init() {
    manager = LocationManager(source: source)
    publicist = LocationPublicist(manager)
    manager.startUpdatingLocation()
  }
}

/// Records a manager's callbacks.
final class Diary: LocationManagerDelegate {
  private(set) var locations: [Location] = []
  private(set) var authorizations: [AuthorizationStatus] = []
  private(set) var failures: [LocationError] = []
  private(set) var statuses: [SourceStatus] = []
  private(set) var regionEvents: [String] = []
  var onLocation: ((LocationManager) -> Void)?
  var onAuthorization: ((LocationManager) -> Void)?

  var latitudes: [Double] { locations.map(\.latitude) }

  func locationManager(_ manager: LocationManager, didUpdateLocations locations: [Location]) {
    #expect(!locations.isEmpty)
    self.locations += locations
    onLocation?(manager)
  }

  func locationManager(_ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus) {
    #expect(status == manager.authorizationStatus)
    authorizations.append(status)
    onAuthorization?(manager)
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) { failures.append(error) }

  func locationManager(_ manager: LocationManager, didChangeSourceStatus status: SourceStatus) {
    statuses.append(status)
  }

  func locationManager(_ manager: LocationManager, didEnterRegion region: CircularRegion) {
    regionEvents.append("entered")
  }

  func locationManager(_ manager: LocationManager, didExitRegion region: CircularRegion) {
    regionEvents.append("exited")
  }

  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) { regionEvents.append(state.rawValue) }
}
