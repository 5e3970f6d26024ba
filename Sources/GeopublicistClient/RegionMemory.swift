// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Remembers across restarts of the service what was reported of a region, so that nothing is reported twice.
nonisolated struct RegionMemory {
  /// The newest known state.
  private(set) var known: RegionState
  /// Whether `dwelled` was reported for the present stay.
  private var hasDwelled = false
  /// Whether the service has restarted, so that its first event may be known already.
  private var isAfterRestart = false

  /// Begins with the state that the program assumes.
  init(assumed: RegionState) { known = assumed }

  /// Notes that the service has gone.
  mutating func interrupted() { isAfterRestart = true }

  /// Notes that the state is no longer known.
  mutating func lost() { isAfterRestart = false }

  /// Returns whether an event is new to the program.
  mutating func isNew(_ event: RegionEvent) -> Bool {
    defer {
      if event.state != .unknown {
        isAfterRestart = false
        known = event.state
      }
    }
    switch event.kind {
    case .dwelled:
      defer { hasDwelled = true }
      return !hasDwelled
    case .determined: return !(isAfterRestart && event.state == known)
    case .entered, .exited:
      hasDwelled = false
      return true
    case .lost: return true
    }
  }
}
