// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import Testing

@testable import geopublicist

/// What `watch` shows before it knows everything.
@Suite struct WatchStateTests {
  private func text(_ change: (inout WatchState) -> Void) -> String {
    var state = WatchState()
    change(&state)
    return state.lines(for: StandardOutput(), fitting: 20).joined(separator: "\n")
  }

  @Test func `access is not said to be allowed before that is known`() {
    #expect(!text { _ in }.contains("allowed"))
    #expect(text { _ in }.contains("asking"))
    let idle = text {
      $0.sourceChanged(["State": .string("idle"), "StateReason": .string("")])
      $0.handle(.authorization(.refused(.disabledByUser)))
    }
    #expect(idle.contains("turned off") && !idle.contains("No subscribers"))
  }
}
