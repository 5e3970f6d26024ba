// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Publicist
import Testing

/// A source of locations under the test's control, which records its calls.
final class ScriptedSource: LocationSource {
  var onEvent: ((LocationSourceEvent) -> Void)?
  var required: [AccuracyLevel?] = []
  private(set) var refreshes = 0
  private(set) var startOvers = 0
  private(set) var rests = 0
  var level: AccuracyLevel? { required.last ?? nil }

  func require(_ level: AccuracyLevel?) { required.append(level) }
  func refresh() { refreshes += 1 }
  func startOver() { startOvers += 1 }

  func rest() {
    required.append(nil)
    rests += 1
  }

  func authorize(_ authorization: Authorization) { onEvent?(.authorization(authorization)) }

  /// A fix at a distance north of a fixed place, in metres.
  func move(north metres: Double, accuracy: Double? = nil, at time: Timestamp = Timestamp()) {
    // One degree of latitude on the sphere that distances are computed on.
    let degrees = metres / (6_371_008.8 * .pi / 180)
    onEvent?(.location(Location(latitude: 52.5 + degrees, longitude: 13.25, accuracy: accuracy, timestamp: time)))
  }

  func fail(_ code: LocationError.Code) { onEvent?(.failure(LocationError(code, "a scripted failure"))) }
}

/// A publicist on a manager on a scripted source.
struct Scene {
  let source = ScriptedSource()
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
