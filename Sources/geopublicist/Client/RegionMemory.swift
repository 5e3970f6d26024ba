// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// An event of a region as it came over the bus.
nonisolated struct RegionReading: Equatable {
  /// The dictionary itself, for JSON.
  let value: Value
  let kind: RegionEvent.Kind
  let state: RegionState
  let reason: String
  let hasGap: Bool
  let isSimulated: Bool
  let timestamp: Timestamp

  /// Reads the contract's dictionary; nil for an event that is not known here.
  init?(_ value: Value) {
    guard let properties = value.properties,
      let kind = properties["Event"]?.string.flatMap(RegionEvent.Kind.init(rawValue:)),
      let state = properties["State"]?.string.flatMap(RegionState.init(rawValue:))
    else { return nil }
    self.value = value
    self.kind = kind
    self.state = state
    reason = properties["Reason"]?.string ?? ""
    hasGap = properties["Gap"]?.boolean ?? false
    isSimulated = properties["Simulated"]?.boolean ?? false
    let time = properties["Timestamp"]?.structure?.compactMap(\.uint64) ?? []
    timestamp = time.count == 2 ? Timestamp(seconds: time[0], microseconds: time[1]) : Timestamp()
  }
}

/// What is known of a region across restarts of the service, so that nothing is told twice.
nonisolated struct RegionMemory {
  /// The newest state that was known.
  private(set) var known: RegionState
  /// Whether the present stay has had its `dwelled`.
  private var hasDwelled = false
  /// The service begins again, and reports first what may be known already.
  private var isAfterRestart = false

  /// `assumed` is what the user said.
  init(assumed: RegionState) { known = assumed }

  /// The service has gone, and its regions with it.
  mutating func interrupted() { isAfterRestart = true }

  /// Takes an event in; returns whether it is new.
  mutating func isNew(_ event: RegionReading) -> Bool {
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
