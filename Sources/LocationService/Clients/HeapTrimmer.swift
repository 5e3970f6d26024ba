import GeopublicistCGLib
import MainLoop

/// Gives memory back to the system when many clients have left; what the allocator keeps for the next ones would
/// otherwise stay as much as there ever was need for.
final class HeapTrimmer {
  private var crowd = Crowd()
  private var timer: LoopSource?

  /// So many clients are there now.
  func countChanged(to count: Int) {
    guard crowd.countChanged(to: count), timer == nil else { return }
    // Later, since whoever leaves with many others is seldom the last one to go.
    timer = MainLoop.main.after(milliseconds: 1_000) { [weak self] in
      guard let self else { return }
      timer = nil
      crowd.cleared()
      malloc_trim(0)
    }
  }
}

/// Notices that most of many have gone.
nonisolated struct Crowd: Sendable {
  /// Of fewer there is nothing to be had.
  static let least = 64

  private var most = 0
  private var count = 0

  /// Takes the number of those who are there now; true if it is time to clear up behind the others.
  mutating func countChanged(to count: Int) -> Bool {
    self.count = count
    most = max(most, count)
    return most >= Self.least && count <= most / 2
  }

  /// It has been cleared up.
  mutating func cleared() { most = count }
}
