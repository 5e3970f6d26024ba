// SPDX-License-Identifier: Apache-2.0
/// Where the device is in relation to a region; the raw values are those of the D-Bus contract.
public enum RegionState: String, CaseIterable, Sendable {
  /// There is not enough evidence.
  case unknown
  /// Within the circle.
  case inside
  /// Beyond the border.
  case outside
}

/// Why the state of a region is unknown; the raw values are those of the D-Bus contract.
public enum RegionReason: String, CaseIterable, Sendable {
  /// The state is known, or monitoring has only begun.
  case none = ""
  /// No location arrived for as long as the region waits for evidence.
  case noFix = "no-fix"
  /// The machine slept and may be elsewhere.
  case slept
  /// Locations arrived, but all were too coarse or too close to the border.
  case accuracyInsufficient = "accuracy-insufficient"
  /// The granted level is coarser than the region.
  case accuracyLimited = "accuracy-limited"
  /// The client is not authorized.
  case notAuthorized = "not-authorized"
}

/// A change of a region's state, or the end of a stay's dwell time.
public struct RegionEvent: Equatable, Sendable {
  /// What happened; the raw values are those of the D-Bus contract.
  public enum Kind: String, CaseIterable, Sendable {
    /// The state is known and does not differ from the last one known.
    case determined
    /// The device came in.
    case entered
    /// The device went out; only ever after a known stay.
    case exited
    /// The device has been inside for the dwell time; once per stay.
    case dwelled
    /// The state is not known any more.
    case lost
  }

  /// What happened.
  public let kind: Kind
  /// The state from now on.
  public let state: RegionState
  /// The state until now.
  public let previous: RegionState
  /// Why the state is unknown; ``RegionReason/none`` if it is known.
  public let reason: RegionReason
  /// Counts the events of this region from 1, without gaps.
  public let sequence: UInt64
  /// When the first location that supports the change was measured; for `lost`, the last one that said anything.
  public let timestamp: Timestamp
  /// When the change was committed: microseconds of `CLOCK_BOOTTIME`.
  public let committedAt: UInt64
  /// Whether the crossing happened while nothing was known, so that its time is not known either.
  public let hasGap: Bool
  /// Whether the evidence came from a test source.
  public let isSimulated: Bool
  /// The newest location that supports the change; nil where there is none.
  public let location: Location?

  /// Makes an event as given.
  public init(
    kind: Kind, state: RegionState, previous: RegionState, reason: RegionReason = .none, sequence: UInt64,
    timestamp: Timestamp, committedAt: UInt64, hasGap: Bool = false, isSimulated: Bool = false,
    location: Location? = nil
  ) {
    self.kind = kind
    self.state = state
    self.previous = previous
    self.reason = reason
    self.sequence = sequence
    self.timestamp = timestamp
    self.committedAt = committedAt
    self.hasGap = hasGap
    self.isSimulated = isSimulated
    self.location = location
  }
}
