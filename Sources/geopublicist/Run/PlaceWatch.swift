// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import GeopublicistLocationModel
import MainLoop

/// Monitors the border of a place, also when the service is restarted.
final class PlaceWatch {
  /// What the service says of the border.
  struct Event {
    let name: String
    let location: Location?
  }

  private static let region: InterfaceName = "org.geopublicist.Location1.Region"
  /// How long to wait for a service that has gone, in milliseconds.
  private static let pause: Int64 = 3_000
  /// How long to wait after a refusal, in milliseconds.
  private static let refusalPause: Int64 = 60_000

  private let service: ServiceConnection
  private let place: Place
  private let includesLocation: Bool
  private let onEvent: (Event) -> Void
  private let onFailure: (DBusError) -> Void
  private var owner: NameWatch?
  private var signals: SignalMatch?
  private var timer: LoopSource?
  /// What the service knew last: it tells of a border that was crossed meanwhile.
  private var state = "unknown"

  init(
    on service: ServiceConnection, _ place: Place, includesLocation: Bool = false,
    onEvent: @escaping (Event) -> Void, onFailure: @escaping (DBusError) -> Void
  ) {
    self.service = service
    self.place = place
    self.includesLocation = includesLocation
    self.onEvent = onEvent
    self.onFailure = onFailure
    begin()
    owner = NameWatch(ServiceContract.service, on: service.connection) { [weak self] owner in
      guard let self, owner == nil, signals != nil else { return }
      again(after: Self.pause)
    }
  }

  private func begin() {
    timer = nil
    var options: [(String, Value)] = [
      ("latitude", .double(place.latitude)), ("longitude", .double(place.longitude)), ("radius", .double(place.radius)),
      ("assumed", .string(state)),
    ]
    if includesLocation { options.append(("include-location", .boolean(true))) }
    service.manager.call("CreateRegion", .options(options), expecting: "o") { [weak self] result in
      switch result {
      case .success(let values): if let path = values.first?.objectPath { self?.follow(path) }
      case .failure(let error): self?.failed(error)
      }
    }
  }

  private func follow(_ path: ObjectPath) {
    let region = Proxy(
      on: service.connection, destination: ServiceContract.service, path: path, interface: Self.region)
    signals = region.onSignal("StateChanged") { [weak self] signal in
      if let event = signal.arguments.first?.properties { self?.received(event) }
    }
    region.call("Start", expecting: "") { [weak self] result in
      guard case .failure(let error) = result else { return }
      // The object is there, and counts.
      region.call("Close")
      self?.failed(error)
    }
  }

  private func received(_ event: [String: Value]) {
    // Of an unknown state the last known one is what counts for the next crossing.
    if let new = event["State"]?.string, new != "unknown" { state = new }
    guard let name = event["Event"]?.string else { return }
    onEvent(Event(name: name, location: event["Location"].flatMap(ServiceLocation.init)?.location))
  }

  private func failed(_ error: DBusError) {
    onFailure(error)
    again(after: error.name == .serviceUnknown || error.name == .noReply ? Self.pause : Self.refusalPause)
  }

  private func again(after pause: Int64) {
    signals = nil
    timer = MainLoop.main.after(milliseconds: pause) { [weak self] in self?.begin() }
  }
}
