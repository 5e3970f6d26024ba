// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import MainLoop

/// Paces the signals that report state.
///
/// A change of state only sets a mark. The owner of the mark waits here for its turn and then sends the current
/// value. However often a value changes, nothing accumulates. After a burst, the objects of each account take
/// turns at a fixed rate, and so do the broadcasts, which any program may receive without reading them.
final class StatePacer {
  /// The party that is charged for a signal.
  enum Payer: Hashable {
    case everybody
    case account(Account)

    /// The number of immediate turns, then of turns per second. The burst of an account covers each of its objects
    /// once.
    var pace: (burst: UInt32, perSecond: UInt32) { self == .everybody ? (20, 2) : (512, 64) }
  }

  private struct Turn {
    weak var owner: AnyObject?
    let action: () -> Void
  }

  private struct Line {
    var bucket: TokenBucket
    var waiting: [Turn] = []
  }

  private static let interval = Duration.milliseconds(50)

  private var lines: [Payer: Line] = [:]
  private var turn: LoopSource?

  /// Calls `action` once when it is the payer's turn, at the earliest on the next turn of the loop. If `owner` has been
  /// released by then, its turn costs nothing.
  func whenDue(_ payer: Payer, for owner: AnyObject, _ action: @escaping () -> Void) {
    let full = TokenBucket(burst: payer.pace.burst, at: MainLoop.main.clock.monotonic())
    lines[payer, default: Line(bucket: full)].waiting.append(Turn(owner: owner, action: action))
    if turn == nil { turn = MainLoop.main.nextTurn { [weak self] in self?.tell() } }
  }

  private func tell() {
    let now = MainLoop.main.clock.monotonic()
    var due: [() -> Void] = []
    for (payer, line) in lines {
      var line = line
      let (burst, perSecond) = payer.pace
      var count = 0
      line.waiting.removeAll { $0.owner == nil }
      while count < line.waiting.count, line.bucket.take(burst: burst, perSecond: perSecond, at: now) { count += 1 }
      due += line.waiting.prefix(count).map(\.action)
      line.waiting.removeFirst(count)
      let isIdle = line.waiting.isEmpty && line.bucket.isFull(burst: burst, perSecond: perSecond, at: now)
      lines[payer] = isIdle ? nil : line
    }
    let isDone = lines.values.allSatisfy(\.waiting.isEmpty)
    turn = isDone ? nil : MainLoop.main.after(Self.interval) { [weak self] in self?.tell() }
    for action in due { action() }
  }
}
