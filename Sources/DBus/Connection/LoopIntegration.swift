// SPDX-License-Identifier: Apache-2.0
import GeopublicistCDBus
import Glibc
import MainLoop

/// Serves one libdbus connection from the main loop: its socket, timeouts and message queue.
///
/// libdbus has separate watches for reading and writing on the same socket and toggles the latter with every message.
/// Here, one source of the loop covers both, and its conditions change without a system call.
final class LoopIntegration {
  private let connection: OpaquePointer
  private var watches: [OpaquePointer] = []
  private var socket: FileWatch?
  private var timeouts: [OpaquePointer: LoopSource] = [:]
  private var dispatching: LoopSource?
  private var isServing = false
  private var isStopped = false

  /// The number of messages handled before other sources on the loop get their turn.
  static let batch = 64
  /// The number of further reads before other sources get their turn.
  private static let reads = 16

  init(_ connection: OpaquePointer) {
    self.connection = connection
    let this = Unmanaged.passUnretained(self).toOpaque()
    let watched = dbus_connection_set_watch_functions(
      connection,
      { watch, data in
        guard let watch, let this = LoopIntegration.from(data) else { return 0 }
        this.watches.append(watch)
        this.follow()
        return 1
      },
      { watch, data in
        guard let watch, let this = LoopIntegration.from(data) else { return }
        this.watches.removeAll { $0 == watch }
        this.follow()
      },
      { _, data in LoopIntegration.from(data)?.follow() }, this, nil)
    let timed = dbus_connection_set_timeout_functions(
      connection,
      { timeout, data in
        guard let timeout, let this = LoopIntegration.from(data) else { return 0 }
        this.follow(timeout)
        return 1
      },
      { timeout, data in
        guard let timeout else { return }
        LoopIntegration.from(data)?.timeouts[timeout] = nil
      },
      { timeout, data in
        guard let timeout else { return }
        LoopIntegration.from(data)?.follow(timeout)
      }, this, nil)
    guard watched != 0, timed != 0 else { fatalError("out of memory") }
    dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, data in
        // Dispatching is not allowed inside this callback.
        if status == DBUS_DISPATCH_DATA_REMAINS { LoopIntegration.from(data)?.dispatchLater() }
      }, this, nil)
    // Messages may have arrived while the connection was being opened.
    if dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS { dispatchLater() }
  }

  /// Detaches from the connection. libdbus makes no more callbacks, and waiting messages are not handled.
  func stop() {
    isStopped = true
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    watches = []
    socket = nil
    timeouts = [:]
    dispatching = nil
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> LoopIntegration? {
    data.map { Unmanaged<LoopIntegration>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Waits for the conditions of the enabled watches. libdbus holds its lock here, so the connection must not be used.
  private func follow() {
    guard let first = watches.first else {
      socket = nil
      return
    }
    var conditions: FileCondition = []
    for watch in watches where dbus_watch_get_enabled(watch) != 0 {
      let flags = dbus_watch_get_flags(watch)
      if flags & DBUS_WATCH_READABLE.rawValue != 0 { conditions.insert(.readable) }
      if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { conditions.insert(.writable) }
    }
    if let socket {
      socket.wait(for: conditions)
    } else {
      socket = MainLoop.main.watch(descriptor: dbus_watch_get_unix_fd(first), for: conditions) { [weak self] found in
        self?.handle(found)
      }
    }
  }

  private func handle(_ found: FileCondition) {
    var flags: UInt32 = 0
    if found.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
    if found.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
    if found.contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
    // An invalid descriptor is an error, too.
    if !found.subtracting([.readable, .writable, .hangUp]).isEmpty { flags |= DBUS_WATCH_ERROR.rawValue }
    guard !isServing else { return }
    // libdbus reads 2 KiB at a time. Keep reading in the same turn while everything can be handled: the bus delivers
    // all messages in one queue, and messages behind a large one should not wait for the rest of the loop.
    for _ in 0..<Self.reads {
      handleWatches(flags)
      // Handle messages in the same turn, because a poll for each message would double the system calls.
      if dispatchBatch() { return dispatchLater() }
      flags &= DBUS_WATCH_READABLE.rawValue
      guard flags != 0, hasInput else { return }
    }
  }

  /// Whether there is unread input.
  var hasInput: Bool {
    guard let watch = watches.first else { return false }
    var state = pollfd(fd: dbus_watch_get_unix_fd(watch), events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLIN) != 0
  }

  private func handleWatches(_ flags: UInt32) {
    isServing = true
    // libdbus selects the flags that concern each watch. Handling one watch may remove the other.
    for watch in watches where watches.contains(watch) && dbus_watch_get_enabled(watch) != 0 {
      dbus_watch_handle(watch, flags)
    }
    isServing = false
  }

  private func follow(_ timeout: OpaquePointer) {
    guard dbus_timeout_get_enabled(timeout) != 0 else {
      timeouts[timeout] = nil
      return
    }
    let interval = Duration.milliseconds(dbus_timeout_get_interval(timeout))
    timeouts[timeout] = MainLoop.main.every(interval) { dbus_timeout_handle(timeout) }
  }

  private func dispatchLater() {
    guard !isServing, !isStopped, dispatching == nil else { return }
    dispatching = MainLoop.main.whileTrue { [weak self] in
      guard let self, self.dispatching != nil else { return false }
      if self.dispatchBatch() { return true }
      self.dispatching = nil
      return false
    }
  }

  /// Handles a batch of waiting messages. Returns whether there are more.
  private func dispatchBatch() -> Bool {
    guard !isStopped, !isServing else { return false }
    // A handler may close the connection; the reference keeps it valid until the end of the batch.
    dbus_connection_ref(connection)
    defer { dbus_connection_unref(connection) }
    isServing = true
    defer { isServing = false }
    for _ in 0..<Self.batch {
      guard dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS, !isStopped else { return false }
    }
    return true
  }
}
