// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import MainLoop

@testable import GeoClue

/// A source on a private bus, in this process, and all of its reports.
final class SourceListener {
  let source: GeoClueSource
  let connection: Connection
  private(set) var locations: [Location] = []
  private(set) var statuses: [SourceStatus] = []
  private(set) var authorizations: [Authorization] = []
  private(set) var failures: [LocationError] = []

  init(on bus: PrivateBus, registersAgent: Bool = true) throws {
    connection = try Connection(to: .address(bus.address))
    source = GeoClueSource(on: connection, desktopID: "org.geopublicist.Location1", registersAgent: registersAgent)
    source.onEvent = { [weak self] event in
      switch event {
      case .location(let location): self?.locations.append(location)
      case .status(let status): self?.statuses.append(status)
      case .authorization(let authorization): self?.authorizations.append(authorization)
      case .failure(let error): self?.failures.append(error)
      }
    }
  }

  var status: SourceStatus { statuses.last ?? SourceStatus() }
  var authorization: Authorization { authorizations.last ?? .undecided }

  /// Runs the loop until the source reports this event.
  func waitFor(
    _ state: SourceState, _ reason: SourceReason = .none, within limit: Duration = .seconds(10)
  ) throws {
    try eventually("\(state) \(reason)", within: limit, turn: turn, seen: "\(statuses)\n\(failures)") {
      status.state == state && status.reason == reason
    }
  }

  /// Runs the loop until that many locations have arrived, and returns the last.
  func location(_ count: Int = 1) throws -> Location {
    try eventual("\(count) locations", turn: turn, seen: "\(statuses)\n\(failures)") {
      locations.count >= count ? locations.last : nil
    }
  }
}
