import CGLib

/// Unix signals read from a signalfd on the main loop.
///
/// GLib's own `g_unix_signal_add` would start a second thread; here the signals are blocked and read like any file.
@MainActor public final class UnixSignals {
  private let descriptor: Int32
  private var watch: LoopSource?

  /// Blocks the given signals and calls `action` on the loop for each one that arrives.
  ///
  /// Create it before anything starts a thread or a child process, since both inherit the mask.
  public init(_ signals: [Int32], _ action: @escaping (Int32) -> Void) {
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in signals { sigaddset(&mask, signal) }
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    descriptor = signalfd(-1, &mask, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard descriptor >= 0 else { return }
    let descriptor = self.descriptor
    watch = MainLoop.main.watch(descriptor: descriptor, for: .readable) { _ in
      var information = signalfd_siginfo()
      while read(descriptor, &information, MemoryLayout<signalfd_siginfo>.size) == MemoryLayout<signalfd_siginfo>.size {
        action(Int32(bitPattern: information.ssi_signo))
      }
    }
  }

  isolated deinit {
    watch?.cancel()
    if descriptor >= 0 { close(descriptor) }
  }
}
