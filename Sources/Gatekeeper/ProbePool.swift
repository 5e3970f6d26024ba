// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport

/// Connections through which strangers are asked something that they may never answer.
///
/// The bus counts a call as long as it has no reply, whether or not anybody still waits for one, and at 128 it refuses
/// the caller everything. So strangers are not asked through the service's own connection, and a connection that has
/// met enough silence is given up for a new one.
package final class ProbePool {
  /// How many calls without a reply a connection bears; the bus's own limit is 128.
  static let tolerance = 64

  /// One such connection; it closes when nobody uses it any more.
  final class Probe {
    let connection: Connection
    fileprivate var unanswered = 0

    fileprivate init(_ connection: Connection) { self.connection = connection }

    /// A call has been answered, however.
    func answered() { unanswered -= 1 }
  }

  private let open: () throws(DBusError) -> Connection
  private var current: Probe?

  /// `open` makes a connection to the bus on which the strangers are.
  package init(_ open: @escaping () throws(DBusError) -> Connection) { self.open = open }

  /// A connection for one more call; nil if the bus gives none.
  func take() -> Probe? {
    if let current, current.unanswered < Self.tolerance, current.connection.isConnected {
      current.unanswered += 1
      return current
    }
    do throws(DBusError) {
      let probe = Probe(try open())
      probe.unanswered = 1
      current = probe
      return probe
    } catch {
      Log.warning("No connection to ask users' agents: \(error.message)")
      return nil
    }
  }

  /// Whether a connection is one of these.
  func isOurs(_ name: BusName) -> Bool { current?.connection.uniqueName == name }

  /// Closes the connection until it is needed again.
  func rest() { current = nil }
}
