// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Unix signals read from a signalfd on the main loop.
///
/// GLib's own `g_unix_signal_add` would start a second thread; here the signals are blocked and read from a
/// descriptor.
@MainActor public final class UnixSignals {
  private let descriptor: Int32
  private var watch: LoopSource?

  /// Blocks the given signals and calls `action` on the loop for each one that arrives.
  ///
  /// Create it before any thread or child process, because both inherit the mask. The signals stay blocked after this
  /// object is gone, so that a late signal does not cut the end of the program short.
  public init(_ signals: [Int32], _ action: @escaping (Int32) -> Void) {
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in signals { sigaddset(&mask, signal) }
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    descriptor = signalfd(-1, &mask, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    // The signals are blocked by now: a program that continued could no longer be ended by them.
    guard descriptor >= 0 else { fatalError("the kernel gives no signalfd") }
    watch = MainLoop.main.watch(descriptor: descriptor, for: .readable) { [weak self] _ in
      // One signal at a time: the action may release this object, and with it the descriptor.
      if let signal = self?.next() { action(signal) }
    }
  }

  isolated deinit {
    watch?.cancel()
    close(descriptor)
  }

  private func next() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor, &information, size) == size else { return nil }
    return Int32(bitPattern: information.ssi_signo)
  }
}
