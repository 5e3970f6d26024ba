// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistProcessSupport
import MainLoop

/// How a ping ended.
nonisolated enum PingEnd: Equatable, Sendable {
  case answered
  /// The connection through which it was sent was lost.
  case lost
  /// The bus refused it, or others needed its room.
  case abandoned
}

/// Asks clients for a sign of life.
protocol ClientPinging: AnyObject {
  /// Pings a client unless a ping is in flight, and calls `action` when the ping has ended. Returns false if no ping could
  /// be sent because too many are in flight. May be called again later.
  func ping(_ client: BusName, of account: Account, _ action: @escaping (PingEnd) -> Void) -> Bool
  /// Cancels the ping of a client that has left.
  func forget(_ client: BusName)
}

/// Connections through which clients are asked for a sign of life.
///
/// dbus-daemon counts a call until it is answered and rejects every further call at 128. Clients are therefore not
/// pinged through the service's own connection, each connection has only a few pings in flight, and each account has
/// a limited share.
///
/// A ping has no timeout, because a stopped client answers when it continues. An overdue ping is abandoned if its
/// account needs room for another one. A connection is replaced when its abandoned pings, which the bus counts, leave
/// no room.
final class PingPool: ClientPinging {
  /// The maximum number of pings in flight on one connection. dbus-daemon's own limit is 128.
  nonisolated static let perConnection = 64
  nonisolated static let connections = 8
  /// How long a ping may stay unanswered before it can be abandoned.
  nonisolated static let patience = Duration.seconds(5)

  private final class Lane {
    let connection: Connection
    /// The pings that the bus counts, and those of them that were abandoned.
    var (pings, abandoned) = (0, 0)
    init(_ connection: Connection) { self.connection = connection }
  }

  private struct Ping {
    let lane: Lane
    let account: Account
    let call: PendingCall
    let sentAt: MonotonicInstant
    let action: (PingEnd) -> Void
  }

  private let opener: ConnectionOpener
  private var lanes: [Lane] = []
  private var pings: [BusName: Ping] = [:]
  private var quota = Quota()
  private var hasComplained = false
  private let (connections, perConnection, patience): (Int, Int, Duration)

  /// - Parameter open: Opens a connection to the clients' bus.
  init(
    connections: Int = PingPool.connections, perConnection: Int = PingPool.perConnection,
    patience: Duration = PingPool.patience, _ open: @escaping () throws(DBusError) -> Connection
  ) {
    (self.connections, self.perConnection, self.patience) = (connections, perConnection, patience)
    opener = ConnectionOpener("to ping clients", open)
    // For the first ping.
    _ = lane()
  }

  func ping(_ client: BusName, of account: Account, _ action: @escaping (PingEnd) -> Void) -> Bool {
    if let ping = pings[client], ping.lane.connection.isConnected { return true }
    forget(client)
    if begin(client, of: account, sentAt: now, action) { return true }
    return abandonOverdue(of: account) && begin(client, of: account, sentAt: now, action)
  }

  private var now: MonotonicInstant { MainLoop.main.clock.monotonic() }

  private func begin(
    _ client: BusName, of account: Account, sentAt: MonotonicInstant, _ action: @escaping (PingEnd) -> Void
  ) -> Bool {
    let all = perConnection * connections
    guard quota.take(for: account, perAccount: all, of: all) == nil else { return false }
    guard let lane = lane() else {
      quota.release(of: account)
      return false
    }
    let call = lane.connection.ping(client) { [weak self] result in self?.ended(client, result, action) }
    lane.pings += 1
    pings[client] = Ping(lane: lane, account: account, call: call, sentAt: sentAt, action: action)
    return true
  }

  /// Abandons an account's overdue pings. Returns whether there were any.
  private func abandonOverdue(of account: Account) -> Bool {
    let overdue = pings.filter { $0.value.account == account && now - $0.value.sentAt >= patience }
    for (client, ping) in overdue {
      pings[client] = nil
      quota.release(of: account)
      ping.lane.abandoned += 1
      ping.action(.abandoned)
    }
    return !overdue.isEmpty
  }

  /// Closes the connection with the most abandoned pings. The other pings on it are lost.
  private func closeMostAbandoned() {
    guard let lane = lanes.max(by: { $0.abandoned < $1.abandoned }), lane.abandoned > 0 else { return }
    lanes.removeAll { $0 === lane }
    for (client, ping) in pings where ping.lane === lane {
      pings[client] = nil
      quota.release(of: ping.account)
      ping.action(.lost)
    }
  }

  func forget(_ client: BusName) {
    guard let ping = pings.removeValue(forKey: client) else { return }
    ping.lane.pings -= 1
    quota.release(of: ping.account)
    closeUnused()
  }

  private func ended(_ client: BusName, _ result: Connection.PingResult, _ action: (PingEnd) -> Void) {
    let lane = pings[client]?.lane
    forget(client)
    switch result {
    case .answered: action(.answered)
    // The client has left, the bus has no room for the ping, or only the connection was lost.
    case .lost: if let lane { action(lane.connection.isConnected ? .abandoned : .lost) }
    case .refused:
      // Without the rule in the bus policy, the service cannot detect clients that do not read, so every client is sent
      // everything.
      if !hasComplained { Log.warning("The bus policy does not allow the service to ping its clients") }
      hasComplained = true
      action(.answered)
    }
  }

  /// Returns a connection with room; nil if there is none yet.
  private func lane() -> Lane? {
    lanes.removeAll { !$0.connection.isConnected }
    if let lane = lanes.first(where: { $0.pings < perConnection }) { return lane }
    let isFull = lanes.count == connections
    // A connection is closed only when its successor has been admitted.
    guard !isFull || lanes.contains(where: { $0.abandoned > 0 }), let connection = opener.next() else { return nil }
    if isFull { closeMostAbandoned() }
    let lane = Lane(connection)
    lanes.append(lane)
    return lane
  }

  /// Keeps one connection for the next ping. Others close when their last ping has ended.
  private func closeUnused() {
    guard let kept = lanes.first, lanes.count > 1 else { return }
    lanes.removeAll { $0.pings == 0 && $0 !== kept }
  }
}
