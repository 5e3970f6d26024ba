// SPDX-License-Identifier: Apache-2.0
import MainLoop

/// Waits for several answers, some of which may be there at once, and acts when the last one has come.
final class Gathering {
  /// What makes it give up, perhaps; ends with it.
  var timer: LoopSource?
  private var missing = 1
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) { self.action = action }

  /// One more answer to wait for; what is returned is called when it has come.
  func expect() -> () -> Void {
    missing += 1
    return { [self] in finishOne() }
  }

  /// Nothing more will be expected.
  func allExpected() { finishOne() }

  /// Acts now, whatever is missing.
  func giveUp() {
    timer = nil
    let action = action
    self.action = nil
    action?()
  }

  private func finishOne() {
    missing -= 1
    if missing == 0 { giveUp() }
  }
}
