// SPDX-License-Identifier: Apache-2.0
import Dispatch
import GeopublicistCDispatch
import Glibc
import MainLoop

extension MainLoop {
  /// Serves Swift tasks on this loop: from now on `Task`, `async` functions, `@MainActor` jobs and `DispatchQueue.main` run
  /// in its turns. One call at the start of the program is enough; further calls do nothing.
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
  /// It works the same when other code runs the loop, such as GTK, as long as that is GLib's default main context on the
  /// main thread. `main` itself must not be `async`: Swift would then serve the main queue with a loop of its own.
  ///
  /// The loop sleeps until there is work: libdispatch makes a descriptor readable when it enqueues the first job.
  public func serveTasks() {
    if mainQueue == nil { mainQueue = MainQueueSource(on: self) }
  }
}

private var mainQueue: MainQueueSource?

/// The main queue of libdispatch as an event source of the loop.
private final class MainQueueSource {
  /// Rounds of work in one turn of the loop. A task that hops to the main actor again needs no turn of its own, and one
  /// that never stops hopping does not keep the loop from its other sources.
  private static let roundsPerTurn = 64

  private let descriptor = _dispatch_get_main_queue_handle_4CF()
  private var watch: FileWatch?

  init(on loop: MainLoop) {
    watch = loop.watch(descriptor: descriptor, for: .readable) { [weak self] _ in self?.serve() }
  }

  private func serve() {
    for _ in 0..<Self.roundsPerTurn where isSignalled() { _dispatch_main_queue_callback_4CF(nil) }
  }

  /// Returns whether there is work, and resets the descriptor, which does not block.
  private func isSignalled() -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, MemoryLayout.size(ofValue: count)) == MemoryLayout.size(ofValue: count)
  }
}
