// SPDX-License-Identifier: Apache-2.0
import GeopublicistCGLib
import MainLoop

/// Returns memory to the system that only a crowd of clients or one huge message needed.
///
/// Without it, a service that once had thousands of clients, or received 30 MB, would stay that large until it exits.
final class HeapTrimmer {
  private var crowd = Crowd()
  private var timer: LoopSource?

  init() {
    // The default threshold rises with each large block that is freed, and such blocks then stay in the heap. Setting
    // it, even to its default, keeps it where it is; see M_MMAP_THRESHOLD in mallopt(3).
    mallopt(M_MMAP_THRESHOLD, 128 * 1024)
  }

  /// Notes the number of clients after every change.
  func countChanged(to count: Int) {
    guard crowd.countChanged(to: count), timer == nil else { return }
    // Clients that leave with many others are seldom the last ones, so wait for the rest.
    timer = MainLoop.main.after(milliseconds: 1_000) { [weak self] in
      guard let self else { return }
      timer = nil
      crowd.trimmed()
      malloc_trim(0)
    }
  }
}

/// Decides when most of a crowd has left.
nonisolated struct Crowd: Sendable {
  /// Below this, trimming the heap is not worthwhile.
  static let least = 64

  private var most = 0
  private var count = 0

  /// Notes the number of clients; returns true when the heap should be trimmed.
  mutating func countChanged(to count: Int) -> Bool {
    self.count = count
    most = max(most, count)
    return most >= Self.least && count <= most / 2
  }

  /// Starts over after the heap was trimmed.
  mutating func trimmed() { most = count }
}
