// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Glibc

  /// Reports once that a `Task` waits for a loop that does not serve tasks, which otherwise goes unnoticed.
  final class TaskHint {
    private var watch: FileWatch?

    /// Returns nil in a program without libdispatch.
    init?() {
      // The descriptor becomes readable when a job for the main actor is enqueued; MainLoopTasks uses it, too.
      guard let symbol = dlsym(nil, "_dispatch_get_main_queue_handle_4CF") else { return nil }
      let descriptor = unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
      watch = MainLoop.main.watch(descriptor: descriptor, for: .readable) { [weak self] _ in
        self?.watch = nil
        guard !MainLoop.main.servesTasks else { return }
        let text = "A Task waits, but nothing runs it: call MainLoop.main.serveTasks() of MainLoopTasks first.\n"
        _ = write(STDERR_FILENO, text, text.utf8.count)
      }
    }
  }
#endif
