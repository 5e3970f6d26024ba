// SPDX-License-Identifier: Apache-2.0
import DBus

/// Connections for calls to programs that may never answer.
///
/// The bus counts a call until it is answered, even after the caller has given up, and rejects every further call at
/// 128. The service's own connection is therefore not used for such calls, and a connection with ``tolerance``
/// unanswered calls is replaced.
package final class ProbePool {
  /// The number of unanswered calls after which a connection is replaced.
  static let tolerance = 64
  /// The number of unanswered calls with which a connection is used until the bus has admitted its successor. The bus's
  /// own limit is 128.
  static let limit = 120

  /// One connection. It closes when the last reference is released.
  final class Probe {
    let connection: Connection
    private var quota = Quota()
    /// The accounts that are charged for the calls to each program that the bus counts.
    private var open: [BusName: [Account]] = [:]

    fileprivate init(_ connection: Connection) {
      self.connection = connection
      connection.unansweredCallLimit = limit
      connection.onAnswer = { [weak self] peer in self?.answered(peer) }
    }

    var unanswered: Int { quota.total }

    fileprivate func begin(_ peer: BusName, of account: Account) -> Bool {
      guard quota.take(for: account, perAccount: limit, of: limit) == nil else { return false }
      open[peer, default: []].append(account)
      return true
    }

    /// Records that a program has answered a call, even with an error or too late.
    func answered(_ peer: BusName) {
      if let account = open[peer]?.popLast() { quota.release(of: account) }
      if open[peer]?.isEmpty == true { open[peer] = nil }
    }

    fileprivate func left(_ peer: BusName) {
      for account in open.removeValue(forKey: peer) ?? [] { quota.release(of: account) }
    }
  }

  /// Called when a connection may be taken again.
  var onReady: (() -> Void)? { didSet { opener.onReady = onReady } }

  private let opener: ConnectionOpener
  private var current: Probe?

  /// - Parameter open: Opens a connection to the bus on which the calls are made.
  package init(_ open: @escaping () throws(DBusError) -> Connection) {
    opener = ConnectionOpener("to ask users' agents", open)
  }

  /// Returns a connection for one call to a program, for which an account is charged; nil if there is none yet, or if the
  /// account has used its share of the present one.
  func take(for peer: BusName, of account: Account) -> Probe? {
    if let connection = current?.connection, !connection.isConnected {
      current = nil
      opener.wasLost()
    }
    if let current, current.unanswered < Self.tolerance, current.begin(peer, of: account) { return current }
    if let connection = opener.next() {
      connection.onDisconnected = { [weak self] in self?.onReady?() }
      current = Probe(connection)
    }
    return current.flatMap { $0.begin(peer, of: account) ? $0 : nil }
  }

  /// Returns a connection for one call that may end it; nil if there is none yet.
  func takeAlone() -> Probe? { opener.next().map(Probe.init) }

  /// Records that a program has left the bus, which no longer counts the calls to it.
  func left(_ peer: BusName) { current?.left(peer) }

  /// Returns whether a name is that of the current connection or of its successor.
  func isOurs(_ name: BusName) -> Bool { current?.connection.uniqueName == name || opener.isOurs(name) }
}
