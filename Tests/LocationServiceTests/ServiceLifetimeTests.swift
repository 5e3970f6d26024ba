import DBus
import GeoClue
import Publicist
import TestSupport
import Testing

@testable import LocationService

@Suite struct ServiceLifetimeTests {
  private func consumersOfAServiceThatHasEnded() throws -> () -> ConsumerRegistry? {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let manager = LocationManager(source: GeoClueSource(on: connection, registersAgent: false))
    let service = LocationService(connection, manager)
    return { [weak consumers = service.consumers] in consumers }
  }

  /// They and the watch that ends the service when it is idle held each other.
  @Test func consumersGoWithTheirService() throws {
    let consumers = try consumersOfAServiceThatHasEnded()
    #expect(consumers() == nil)
  }
}

extension LocationService {
  fileprivate convenience init(_ connection: Connection, _ manager: LocationManager) {
    self.init(on: connection, LocationPublicist(manager), for: .session, Configuration()) { () throws(DBusError) in
      connection
    }
  }
}
