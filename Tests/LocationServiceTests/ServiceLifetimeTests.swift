// SPDX-License-Identifier: Apache-2.0
import DBus
import GeoClue
import GeopublicistMainLoopTestSupport
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
  @Test func `clients are released with their service`() throws {
    let clients = try consumersOfAServiceThatHasEnded()
    #expect(clients() == nil)
  }

  /// One survived without a bus name, and nobody told its owner.
  @Test func `D12: a service that is ending makes no more subscriptions`() throws {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let manager = LocationManager(source: GeoClueSource(on: connection, desktopID: "org.example.Test"))
    let service = LocationService(connection, manager)
    let client = try Connection(to: .address(bus.address))
    func create() throws -> Result<[Value], DBusError> {
      let call = try Message(
        calling: "CreateSubscription", of: "org.geopublicist.Location1", at: "/org/geopublicist/Location1",
        on: connection.uniqueName, [.options([])])
      var answer: Result<[Value], DBusError>?
      client.call(call) { answer = $0 }.keep()
      try turning("an answer") { answer != nil }
      return try #require(answer)
    }
    #expect(throws: Never.self) { try create().get() }
    service.closeSubscriptions()
    #expect(service.clients.objects.isEmpty)
    let error = #expect(throws: DBusError.self) { try create().get() }
    #expect(error?.name == .locationUnavailable)
    #expect(service.clients.objects.isEmpty)
  }
}

extension LocationService {
  fileprivate convenience init(_ connection: Connection, _ manager: LocationManager) {
    self.init(on: connection, LocationPublicist(manager), for: .session, Configuration()) { () throws(DBusError) in
      connection
    }
  }
}
