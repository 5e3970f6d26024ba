// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import MainLoop

/// Returns memory to the system after many clients have left or a very large message has been freed.
///
/// Without it, a service that once had thousands of clients or received a 30 MB message would keep that size until it
/// exits.
final class HeapTrimmer {
  private var peak = ClientPeak()
  private var timer: LoopSource?

  init() {
    // glibc raises this threshold with each large block that is freed, and later blocks of that size stay in the heap.
    // Setting it, even to its default, disables the adjustment; see M_MMAP_THRESHOLD in mallopt(3).
    mallopt(M_MMAP_THRESHOLD, 128 * 1024)
  }

  /// Must be called with the number of clients after every change.
  func countChanged(to count: Int) {
    guard peak.countChanged(to: count), timer == nil else { return }
    // Clients often leave together, so wait for the others and for the messages that are still sent to them.
    timer = MainLoop.main.after(.seconds(3)) { [weak self] in
      guard let self else { return }
      timer = nil
      peak.trimmed()
      malloc_trim(0)
    }
  }
}

/// Decides when most of a large number of clients have left.
nonisolated struct ClientPeak: Sendable {
  /// Below this, trimming the heap is not worthwhile. Sixty clients with large calls leave up to 4 MiB behind.
  static let least = 16

  private var most = 0
  private var count = 0

  /// Records the number of clients. Returns whether the heap should be trimmed.
  mutating func countChanged(to count: Int) -> Bool {
    self.count = count
    most = max(most, count)
    return most >= Self.least && count <= most / 2
  }

  /// Starts over after the heap has been trimmed.
  mutating func trimmed() { most = count }
}
