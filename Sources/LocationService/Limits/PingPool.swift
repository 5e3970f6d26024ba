// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistProcessSupport

/// Asks clients for a sign of life.
protocol ClientPinging: AnyObject {
  /// Pings a client unless a ping is in flight, and calls `action` when it has answered. Does nothing if too many pings
  /// are in flight. May be called again later.
  func ping(_ client: BusName, of user: UInt32?, _ action: @escaping () -> Void)
  /// Cancels the ping of a client that has left.
  func forget(_ client: BusName)
}

/// Connections through which clients are asked for a sign of life.
///
/// dbus-daemon counts a call until it is answered and rejects every further call at 128. Clients are therefore not
/// pinged through the service's own connection, each connection has only a few pings in flight, and each user has a
/// limited share.
final class PingPool: ClientPinging {
  /// The maximum number of pings in flight on one connection. dbus-daemon's own limit is 128.
  static let perConnection = 64
  static let connections = 8

  private final class Lane {
    let connection: Connection
    var pings = 0
    init(_ connection: Connection) { self.connection = connection }
  }

  private struct Ping {
    let lane: Lane
    let user: UInt32
    let call: PendingCall
  }

  private let open: () throws(DBusError) -> Connection
  private var lanes: [Lane] = []
  private var pings: [BusName: Ping] = [:]
  private var quota = UserQuota()
  private var hasComplained = false

  /// - Parameter open: Opens a connection to the clients' bus.
  init(_ open: @escaping () throws(DBusError) -> Connection) { self.open = open }

  func ping(_ client: BusName, of user: UInt32?, _ action: @escaping () -> Void) {
    // Unknown users share one quota.
    let user = user ?? .max
    let all = Self.perConnection * Self.connections
    if let ping = pings[client], ping.lane.connection.isConnected { return }
    forget(client)
    guard quota.take(for: user, perUser: all, of: all) == nil else { return }
    guard let lane = lane(),
      let call = lane.connection.ping(client, { [weak self] result in self?.ended(client, result, action) })
    else { return quota.release(of: user) }
    lane.pings += 1
    pings[client] = Ping(lane: lane, user: user, call: call)
  }

  func forget(_ client: BusName) {
    guard let ping = pings.removeValue(forKey: client) else { return }
    ping.lane.pings -= 1
    quota.release(of: ping.user)
    closeUnused()
  }

  private func ended(_ client: BusName, _ result: Connection.PingResult, _ action: () -> Void) {
    forget(client)
    switch result {
    case .answered: action()
    case .lost: break
    case .refused:
      // Without the rule in the bus policy, the service cannot detect clients that do not read, so every client is sent
      // everything.
      if !hasComplained { Log.warning("The bus policy does not allow the service to ping its clients") }
      hasComplained = true
      action()
    }
  }

  private func lane() -> Lane? {
    lanes.removeAll { !$0.connection.isConnected }
    if let lane = lanes.first(where: { $0.pings < Self.perConnection }) { return lane }
    guard lanes.count < Self.connections else { return nil }
    do throws(DBusError) {
      let lane = Lane(try open())
      lanes.append(lane)
      return lane
    } catch {
      Log.warning("Cannot open a connection for pinging clients: \(error.message)")
      return nil
    }
  }

  /// Keeps one connection for the next ping. Others close when their last ping has ended.
  private func closeUnused() {
    guard let kept = lanes.first, lanes.count > 1 else { return }
    lanes.removeAll { $0.pings == 0 && $0 !== kept }
  }
}
