// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib

/// Unix signals read from a signalfd on the main loop.
///
/// Used instead of `g_unix_signal_add`, which would start a second thread.
@MainActor public final class UnixSignals {
  private let descriptor: Int32
  private var watch: LoopSource?

  /// Blocks the given signals and calls `action` on the loop for each one that arrives.
  ///
  /// Must be created before any thread or child process, because both inherit the signal mask. The signals stay blocked
  /// after this object is released, so that a late signal does not interrupt the end of the program.
  public init(_ signals: [Int32], _ action: @escaping (Int32) -> Void) {
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in signals { sigaddset(&mask, signal) }
    pthread_sigmask(SIG_BLOCK, &mask, nil)
    descriptor = signalfd(-1, &mask, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    // The signals are already blocked, so they could no longer end a program that continued.
    guard descriptor >= 0 else { fatalError("signalfd failed") }
    watch = MainLoop.main.watch(descriptor: descriptor, for: .readable) { [weak self] _ in
      // Handle one signal at a time, because the action may release this object and with it the descriptor.
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
