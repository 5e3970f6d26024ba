// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistProcessSupport
import MainLoop

/// Opens further connections to the bus, one at a time. Others can delay the moment at which the bus admits one, so
/// nothing waits for it: a connection is returned once it has been admitted.
package final class ConnectionOpener {
  /// How long to wait before another connection is opened after one that could not be opened, or was soon lost.
  package nonisolated static let pause = Duration.seconds(1)

  /// Called when ``next()`` may return a connection.
  package var onReady: (() -> Void)?

  private let purpose: String
  private let open: () throws(DBusError) -> Connection
  /// The connection that is returned next, also before it has been admitted.
  private var opened: Connection?
  private var (openedAt, opensFrom) = (MonotonicInstant.origin, MonotonicInstant.origin)
  private var timer: LoopSource?

  /// - Parameters:
  ///   - purpose: What the connections are for, as the end of a sentence for the journal.
  ///   - open: Opens a connection.
  package init(_ purpose: String, _ open: @escaping () throws(DBusError) -> Connection) {
    (self.purpose, self.open) = (purpose, open)
  }

  /// Returns a connection that the bus has admitted. Without one, opens it, unless that must wait, and returns nil.
  package func next() -> Connection? {
    if let opened, !opened.isConnected {
      if !opened.isJoined { Log.warning("The bus does not admit a connection \(purpose)") }
      self.opened = nil
      wasLost()
    }
    if opened == nil { openIfDue() }
    guard let connection = opened, connection.isJoined else { return nil }
    opened = nil
    connection.onJoined = nil
    connection.onDisconnected = nil
    return connection
  }

  /// Records that the last connection has been lost, so that one that is lost again and again does not load the bus.
  package func wasLost() { opensFrom = openedAt + Self.pause }

  /// Returns whether a name is that of the connection that is returned next.
  package func isOurs(_ name: BusName) -> Bool { opened?.uniqueName == name }

  private func openIfDue() {
    let now = MainLoop.main.clock.monotonic()
    guard now >= opensFrom else { return wait() }
    openedAt = now
    do throws(DBusError) {
      let connection = try open()
      connection.onJoined = { [weak self] in self?.onReady?() }
      connection.onDisconnected = { [weak self] in self?.onReady?() }
      opened = connection
    } catch {
      Log.warning("Cannot connect to the bus \(purpose): \(error.message)")
      wasLost()
      wait()
    }
  }

  private func wait() {
    timer =
      timer
      ?? MainLoop.main.at(opensFrom) { [weak self] in
        self?.timer = nil
        self?.onReady?()
      }
  }
}
