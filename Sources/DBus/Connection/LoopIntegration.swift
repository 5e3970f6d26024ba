import CDBus
import MainLoop

/// Serves one libdbus connection from the main loop: its file watches, its timeouts and its queue of messages.
final class LoopIntegration {
  private let connection: OpaquePointer
  private var watches: [OpaquePointer: LoopSource] = [:]
  private var timeouts: [OpaquePointer: LoopSource] = [:]
  private var dispatching: LoopSource?
  private var isServing = false

  /// How many messages are handled before others on the loop get their turn.
  private static let batch = 64

  init(_ connection: OpaquePointer) {
    self.connection = connection
    let this = Unmanaged.passUnretained(self).toOpaque()
    let watched = dbus_connection_set_watch_functions(
      connection,
      { watch, data in
        guard let watch, let this = LoopIntegration.from(data) else { return 0 }
        this.add(watch: watch)
        return 1
      },
      { watch, data in
        guard let watch else { return }
        LoopIntegration.from(data)?.watches[watch] = nil
      },
      { watch, data in
        guard let watch else { return }
        LoopIntegration.from(data)?.add(watch: watch)
      }, this, nil)
    let timed = dbus_connection_set_timeout_functions(
      connection,
      { timeout, data in
        guard let timeout, let this = LoopIntegration.from(data) else { return 0 }
        this.add(timeout: timeout)
        return 1
      },
      { timeout, data in
        guard let timeout else { return }
        LoopIntegration.from(data)?.timeouts[timeout] = nil
      },
      { timeout, data in
        guard let timeout else { return }
        LoopIntegration.from(data)?.add(timeout: timeout)
      }, this, nil)
    guard watched != 0, timed != 0 else { fatalError("out of memory") }
    dbus_connection_set_dispatch_status_function(
      connection,
      { _, status, data in
        // Dispatching from inside this callback is forbidden; it only leaves word.
        if status == DBUS_DISPATCH_DATA_REMAINS { LoopIntegration.from(data)?.dispatchLater() }
      }, this, nil)
    // What came while the connection was opened is waiting already.
    if dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS { dispatchLater() }
  }

  /// Lets go of the connection; libdbus calls back no more.
  func stop() {
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    watches.removeAll()
    timeouts.removeAll()
    dispatching = nil
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> LoopIntegration? {
    data.map { Unmanaged<LoopIntegration>.fromOpaque($0).takeUnretainedValue() }
  }

  private func add(watch: OpaquePointer) {
    guard dbus_watch_get_enabled(watch) != 0 else {
      watches[watch] = nil
      return
    }
    let flags = dbus_watch_get_flags(watch)
    var conditions: FileCondition = []
    if flags & DBUS_WATCH_READABLE.rawValue != 0 { conditions.insert(.readable) }
    if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { conditions.insert(.writable) }
    watches[watch] = MainLoop.main.watch(descriptor: dbus_watch_get_unix_fd(watch), for: conditions) {
      [weak self] found in
      var flags: UInt32 = 0
      if found.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
      if found.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
      if found.contains(.hangUp) { flags |= DBUS_WATCH_HANGUP.rawValue }
      if found.contains(.error) { flags |= DBUS_WATCH_ERROR.rawValue }
      self?.handle(watch, flags)
    }
  }

  private func handle(_ watch: OpaquePointer, _ flags: UInt32) {
    // What was read is handled in the same turn: a trip through the poll for each message would double the syscalls.
    isServing = true
    dbus_watch_handle(watch, flags)
    isServing = false
    if dispatchBatch() { dispatchLater() }
  }

  private func add(timeout: OpaquePointer) {
    guard dbus_timeout_get_enabled(timeout) != 0 else {
      timeouts[timeout] = nil
      return
    }
    let interval = Int64(dbus_timeout_get_interval(timeout)) * 1_000
    timeouts[timeout] = MainLoop.main.every(microseconds: interval) { dbus_timeout_handle(timeout) }
  }

  private func dispatchLater() {
    guard !isServing, dispatching == nil else { return }
    dispatching = MainLoop.main.whileTrue { [weak self] in
      guard let self, self.dispatching != nil else { return false }
      if self.dispatchBatch() { return true }
      self.dispatching = nil
      return false
    }
  }

  /// Handles some of the messages that are waiting; returns whether there are more.
  private func dispatchBatch() -> Bool {
    // A handler may close the connection: the reference keeps it valid to the end of the batch.
    dbus_connection_ref(connection)
    defer { dbus_connection_unref(connection) }
    isServing = true
    defer { isServing = false }
    for _ in 0..<Self.batch where dbus_connection_dispatch(connection) != DBUS_DISPATCH_DATA_REMAINS { return false }
    return true
  }
}
