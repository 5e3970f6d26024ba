// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import MainLoop
import Publicist

@main enum Follow {
  static func main() throws {
    let connection = try Connection(to: .system)
    let manager = LocationManager(source: GeoClueSource(on: connection, desktopID: "org.example.Follow"))
    let publicist = LocationPublicist(manager)
    let printing = publicist.locationPublisher()
      .compactMap(\.last)
      .filter { ($0.accuracy ?? .infinity) < 100 }
      .sink { print($0.latitude, $0.longitude) }

    manager.desiredAccuracy = .exact
    manager.startUpdatingLocation()
    MainLoop.main.run()
    withExtendedLifetime((publicist, printing)) {}
  }
}
