// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport
import MainLoop

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

  /// How long to wait before a connection is opened after one that was soon lost or could not be opened.
  package nonisolated static let pause = Duration.seconds(1)

  /// Called when ``take()`` may return a connection again.
  var onReady: (() -> Void)?

  private let openConnection: () throws(DBusError) -> Connection
  private var current: Probe?
  private var (openedAt, opensFrom) = (MonotonicInstant.origin, MonotonicInstant.origin)
  private var opening: LoopSource?

  /// - Parameter open: Opens a connection to the bus on which the calls are made.
  package init(_ open: @escaping () throws(DBusError) -> Connection) { openConnection = open }

  /// Returns a connection for one call; nil if there is none yet.
  func take() -> Probe? {
    if current.map({ $0.unanswered >= Self.tolerance || !$0.connection.isConnected }) ?? true { replace() }
    guard let current, current.connection.isJoined else { return nil }
    current.unanswered += 1
    return current
  }

  private func replace() {
    if let connection = current?.connection, !connection.isConnected {
      opensFrom = openedAt + Self.pause
      if !connection.isJoined { Log.warning("The bus does not admit a connection to ask users' agents") }
    }
    current = nil
    guard opening == nil else { return }
    let now = MainLoop.main.clock.monotonic()
    guard now >= opensFrom else {
      opening = MainLoop.main.at(opensFrom) { [weak self] in
        self?.opening = nil
        self?.onReady?()
      }
      return
    }
    openedAt = now
    guard let probe = open() else {
      opensFrom = now + Self.pause
      return replace()
    }
    probe.connection.onJoined = { [weak self] in self?.onReady?() }
    probe.connection.onDisconnected = { [weak self] in self?.onReady?() }
    current = probe
  }

  /// Opens a connection for one call that may end it; nil if that fails.
  func open() -> Probe? {
    do throws(DBusError) { return Probe(try openConnection()) } catch {
      Log.warning("Cannot connect to the bus to ask users' agents: \(error.message)")
      return nil
    }
  }

  /// Returns whether a name belongs to the current connection.
  func isOurs(_ name: BusName) -> Bool { current?.connection.uniqueName == name }
}
