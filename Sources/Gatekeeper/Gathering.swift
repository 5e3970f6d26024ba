// SPDX-License-Identifier: Apache-2.0
/// Calls an action once all expected answers have arrived. Answers may arrive immediately.
final class Gathering {
  private var missing = 1
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) { self.action = action }

  /// Expects one more answer. Call the returned closure when it has arrived.
  func expect() -> () -> Void {
    missing += 1
    return { [self] in finishOne() }
  }

  /// Whether the action has been called.
  var isOver: Bool { action == nil }

  /// Declares that no further answers will be expected.
  func allExpected() { finishOne() }

  /// Calls the action now, even if answers are missing.
  func giveUp() {
    let action = action
    self.action = nil
    action?()
  }

  private func finishOne() {
    missing -= 1
    if missing == 0 { giveUp() }
  }
}

/// The rounds that wait for one answer. A round that is over is dropped before the next is added, so that rounds do not
/// pile up while nothing answers.
struct Waiters {
  private var waiting: [(round: Gathering, arrived: () -> Void)] = []

  mutating func add(_ round: Gathering) {
    waiting.removeAll { $0.round.isOver }
    waiting.append((round, round.expect()))
  }

  /// Tells every round that the answer has arrived.
  mutating func release() {
    let released = waiting
    waiting = []
    for (_, arrived) in released { arrived() }
  }
}
