// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What a program knows of a region across restarts of the service, so that nothing is told twice.
nonisolated struct RegionMemory {
  /// The newest state that was known.
  private(set) var known: RegionState
  /// Whether the present stay has had its `dwelled`.
  private var hasDwelled = false
  /// The service begins again, and reports first what may be known already.
  private var isAfterRestart = false

  /// `assumed` is what the program said.
  init(assumed: RegionState) { known = assumed }

  /// The service has gone, and its regions with it.
  mutating func interrupted() { isAfterRestart = true }

  /// Nothing has been heard for too long: the state is not known any more.
  mutating func lost() { isAfterRestart = false }

  /// Takes an event in; returns whether it is new.
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
