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
    fileprivate var unanswered = 0

    fileprivate init(_ connection: Connection) { self.connection = connection }

    /// Records that a call has been answered, even with an error.
    func answered() { unanswered -= 1 }
  }

  /// Called when a connection may be taken again.
  var onReady: (() -> Void)? { didSet { opener.onReady = onReady } }

  private let opener: ConnectionOpener
  private var current: Probe?

  /// - Parameter open: Opens a connection to the bus on which the calls are made.
  package init(_ open: @escaping () throws(DBusError) -> Connection) {
    opener = ConnectionOpener("to ask users' agents", open)
  }

  /// Returns a connection for one call; nil if there is none yet.
  func take() -> Probe? {
    replaceIfNeeded()
    guard let current, current.unanswered < Self.limit else { return nil }
    current.unanswered += 1
    return current
  }

  /// Returns a connection for one call that may end it; nil if there is none yet. The connection that the other calls
  /// share comes first.
  func takeAlone() -> Probe? {
    replaceIfNeeded()
    guard let current, current.unanswered < Self.tolerance else { return nil }
    return opener.next().map(Probe.init)
  }

  private func replaceIfNeeded() {
    if let connection = current?.connection, !connection.isConnected {
      current = nil
      opener.wasLost()
    }
    guard current.map({ $0.unanswered >= Self.tolerance }) ?? true, let connection = opener.next() else { return }
    connection.onDisconnected = { [weak self] in self?.onReady?() }
    current = Probe(connection)
  }

  /// Returns whether a name is that of the current connection or of its successor.
  func isOurs(_ name: BusName) -> Bool { current?.connection.uniqueName == name || opener.isOurs(name) }
}
