// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// The position of the device relative to a region. The raw values are those of the D-Bus contract.
public enum RegionState: String, CaseIterable, Sendable {
  /// There is not enough evidence.
  case unknown
  /// Within the circle.
  case inside
  /// Beyond the border.
  case outside
}

/// The reason why the state of a region is unknown. The raw values are those of the D-Bus contract.
public enum RegionReason: String, CaseIterable, Sendable {
  /// The state is known, or monitoring has just begun.
  case none = ""
  /// No location arrived for ``RegionConfiguration/unknownAfter``.
  case noFix = "no-fix"
  /// The machine has slept and may have moved.
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
  /// The kind of an event. The raw values are those of the D-Bus contract.
  public enum Kind: String, CaseIterable, Sendable {
    /// The state has become known: for the first time, or again the same as before.
    case determined
    /// The device has entered the region.
    case entered
    /// The device has left the region, always after a known stay.
    case exited
    /// The device has been inside for the dwell time. Reported once per stay.
    case dwelled
    /// The state is no longer known.
    case lost
  }

  /// The kind of the event.
  public let kind: Kind
  /// The new state.
  public let state: RegionState
  /// The state before the event.
  public package(set) var previous: RegionState
  /// The reason why the state is unknown; ``RegionReason/none`` if it is known.
  public let reason: RegionReason
  /// The number of the event, from 1 and without gaps.
  public package(set) var sequence: UInt64
  /// When the first location that supports the change was measured; for `lost`, the last location that was evidence.
  /// 0 if there is none.
  public package(set) var timestamp: Timestamp
  /// When the change was committed.
  public let committedAt: BootInstant
  /// Whether the crossing happened while the state was unknown, so that its time is unknown, too.
  public let hasGap: Bool
  /// Whether the evidence came from a test source.
  public package(set) var isSimulated: Bool
  /// The newest location that supports the change; nil if there is none.
  public let location: Location?

  /// Creates an event.
  public init(
    kind: Kind, state: RegionState, previous: RegionState, reason: RegionReason = .none, sequence: UInt64,
    timestamp: Timestamp, committedAt: BootInstant, hasGap: Bool = false, isSimulated: Bool = false,
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

extension RegionEvent: CustomStringConvertible {
  /// The kind and the state, such as `entered: inside`, without a coordinate.
  public var description: String { "\(kind): \(reason == .none ? state.rawValue : reason.rawValue)" }
}
