// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport

/// Connections for calls to programs that may never answer.
///
/// The bus counts a call until it is answered, even after the caller has given up, and rejects every further call at
/// 128. The service's own connection is therefore not used for such calls, and a connection with ``tolerance``
/// unanswered calls is replaced.
package final class ProbePool {
  /// The number of unanswered calls after which a connection is replaced. The bus's own limit is 128.
  static let tolerance = 64

  /// One connection. It closes when the last reference is released.
  final class Probe {
    let connection: Connection
    fileprivate var unanswered = 0

    fileprivate init(_ connection: Connection) { self.connection = connection }

    /// Records that a call has been answered, even with an error.
    func answered() { unanswered -= 1 }
  }

  private let open: () throws(DBusError) -> Connection
  private var current: Probe?

  /// - Parameter open: Opens a connection to the bus on which the calls are made.
  package init(_ open: @escaping () throws(DBusError) -> Connection) { self.open = open }

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
      Log.warning("Cannot connect to the bus to ask users' agents: \(error.message)")
      return nil
    }
  }

  /// Returns whether a name belongs to the current connection.
  func isOurs(_ name: BusName) -> Bool { current?.connection.uniqueName == name }
}
