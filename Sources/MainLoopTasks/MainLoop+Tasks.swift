// SPDX-License-Identifier: Apache-2.0
import Dispatch
import GeopublicistCDispatch
import Glibc
@_exported import MainLoop

extension MainLoop {
  /// Serves Swift tasks on this loop. From this call on, `Task`, `async` functions, `@MainActor` jobs and
  /// `DispatchQueue.main` run in its turns. Call it once at the start of the program. Further calls have no effect.
  ///
  /// ```swift
  /// @main enum Program {
  ///   static func main() {
  ///     MainLoop.main.serveTasks()
  ///     Task { await work() }
  ///     MainLoop.main.run()
  ///   }
  /// }
  /// ```
  ///
  /// This also works if other code runs the loop, such as GTK, as long as it is GLib's default main context on the main
  /// thread. `main` itself must not be `async`, because Swift would then serve the main queue with its own loop.
  ///
  /// Without it, a `Task` never begins, which a debug build of this package reports on the standard error.
  ///
  /// The loop sleeps until there is work: libdispatch makes a descriptor readable when it enqueues the first job.
  public func serveTasks() {
    if mainQueue == nil { mainQueue = MainQueueSource(on: self) }
    servesTasks = true
  }
}

private var mainQueue: MainQueueSource?

/// Serves libdispatch's main queue as an event source of the loop.
private final class MainQueueSource {
  /// The number of rounds of work per turn of the loop. A task that hops to the main actor again does not need another
  /// turn, and one that never stops hopping does not starve other sources.
  private static let roundsPerTurn = 64

  private let descriptor = _dispatch_get_main_queue_handle_4CF()
  private var watch: FileWatch?

  init(on loop: MainLoop) {
    watch = loop.watch(descriptor: descriptor, for: .readable) { [weak self] _ in self?.serve() }
  }

  private func serve() {
    var rounds = 0
    while rounds < Self.roundsPerTurn, isSignalled() {
      rounds += 1
      _dispatch_main_queue_callback_4CF(nil)
    }
  }

  /// Returns whether there is work, and resets the descriptor. Does not block.
  private func isSignalled() -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, MemoryLayout.size(ofValue: count)) == MemoryLayout.size(ofValue: count)
  }
}
