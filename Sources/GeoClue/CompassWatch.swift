// SPDX-License-Identifier: Apache-2.0
import DBus

/// Whether GeoClue may have a compass, whose angle then replaces the course in every location.
///
/// GeoClue uses iio-sensor-proxy, whose bus policy prevents other users from reading whether there is a compass. One
/// that cannot be read may exist.
final class CompassWatch {
  private(set) var mayExist = false
  private var name: NameWatch?
  private var changes: SignalMatch?
  private static let service: BusName = "net.hadess.SensorProxy"
  private static let path: ObjectPath = "/net/hadess/SensorProxy/Compass"

  /// Asks as soon as the proxy runs, and never starts it.
  init(on connection: Connection) {
    name = NameWatch(Self.service, on: connection) { [weak self, weak connection] owner in
      self?.mayExist = owner != nil
      self?.ask(owner, on: connection)
    }
    changes = connection.onSignal(
      MatchRule(sender: Self.service, path: Self.path, interface: .properties, member: .propertiesChanged)
    ) { [weak self, weak connection] signal in self?.ask(signal.sender, on: connection) }
  }

  private func ask(_ owner: BusName?, on connection: Connection?) {
    guard let owner, let connection else { return }
    let compass = Proxy(
      on: connection, destination: owner, path: Self.path, interface: "net.hadess.SensorProxy.Compass")
    compass.get("HasCompass") { [weak self] result in
      guard let self, name?.owner == owner else { return }
      mayExist = (try? result.get())?.boolean ?? true
    }
  }
}
