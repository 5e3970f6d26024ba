// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Publicist

/// A source of locations that says what the test says, and notes what it is asked.
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
