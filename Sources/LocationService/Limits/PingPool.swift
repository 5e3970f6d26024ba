// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistProcessSupport

/// Asks clients for a sign of life.
protocol ClientPinging: AnyObject {
  /// Pings a client unless a ping is under way; `action` runs when it has answered. Does nothing if too many pings are
  /// under way, and may be called again later.
  func ping(_ client: BusName, of user: UInt32?, _ action: @escaping () -> Void)
  /// A client has left: its ping is no use any more.
  func forget(_ client: BusName)
}

/// Connections through which clients are asked for a sign of life.
///
/// dbus-daemon counts a call until it is answered, and at 128 it refuses the caller everything. So clients are not
/// pinged through the service's own connection, each connection has few pings under way, and no user may have more than
/// its share of all.
final class PingPool: ClientPinging {
  /// How many pings may be under way on one connection; dbus-daemon's own limit is 128.
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

  /// `open` makes a connection to the bus on which the clients are.
  init(_ open: @escaping () throws(DBusError) -> Connection) { self.open = open }

  func ping(_ client: BusName, of user: UInt32?, _ action: @escaping () -> Void) {
    // A user that is not known shares with the others that are not.
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
      // Without the rule in the bus policy nothing can be known of clients that only listen: they get everything.
      if !hasComplained { Log.warning("The policy of the bus does not let the service ping its clients") }
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
      Log.warning("No connection to ping clients: \(error.message)")
      return nil
    }
  }

  /// Keeps one connection for the next ping; the others close when their last ping has ended.
  private func closeUnused() {
    guard let kept = lanes.first, lanes.count > 1 else { return }
    lanes.removeAll { $0.pings == 0 && $0 !== kept }
  }
}
