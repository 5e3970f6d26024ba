// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistClient
import MainLoop
import Publicist

@main enum Follow {
  static func main() {
    let manager = LocationManager(source: ServiceSource(on: .system, desktopID: "org.example.Follow"))
    let publicist = LocationPublicist(manager)
    let printing = publicist.locationPublisher()
      .compactMap(\.last)
      .sink { print($0.latitude, $0.longitude) }

    manager.distanceFilter = 10
    manager.startUpdatingLocation()
    MainLoop.main.run()
    withExtendedLifetime((publicist, printing)) {}
  }
}
