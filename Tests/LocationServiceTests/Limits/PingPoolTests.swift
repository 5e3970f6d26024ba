// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistService

/// Signs of life of clients, over real connections.
@Suite struct PingPoolTests {
  /// The exclusivity check ended the service when spare connections were closed.
  @Test func `more clients than fit on one connection answer`() throws {
    let bus = try PrivateBus(.session)
    let pool = PingPool { () throws(DBusError) in try Connection(to: .address(bus.address)) }
    let clients = try (0..<PingPool.perConnection + 6).map { _ in try Connection(to: .address(bus.address)) }
    var answered: Set<BusName> = []
    for client in clients { pool.ping(client.uniqueName, of: 1000) { answered.insert(client.uniqueName) } }
    try turning("all have answered") { answered.count == clients.count }
  }
}
