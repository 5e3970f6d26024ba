// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistTestSupport
import Publicist
import Testing

@testable import GeopublicistService

@Suite struct ServiceLifetimeTests {
  private func consumersOfAServiceThatHasEnded() throws -> () -> ClientRegistry? {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let manager = LocationManager(source: GeoClueSource(on: connection, desktopID: "org.example.Test"))
    let service = LocationService(connection, manager)
    return { [weak clients = service.clients] in clients }
  }

  /// They and the watch that ends the service when it is idle held each other.
  @Test func consumersGoWithTheirService() throws {
    let clients = try consumersOfAServiceThatHasEnded()
    #expect(clients() == nil)
  }
}

extension LocationService {
  fileprivate convenience init(_ connection: Connection, _ manager: LocationManager) {
    self.init(on: connection, LocationPublicist(manager), for: .session, Configuration()) { () throws(DBusError) in
      connection
    }
  }
}
