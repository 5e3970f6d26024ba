// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// An event of a region as sent by the service.
nonisolated public struct ServiceRegionEvent: Equatable, Sendable {
  /// The contract's dictionary.
  public let value: Value
  /// The event itself.
  public let event: RegionEvent

  /// Reads the contract's dictionary; returns nil for an unknown event or state.
  public init?(_ value: Value) {
    guard let properties = value.properties,
      let kind = properties["Event"]?.string.flatMap(RegionEvent.Kind.init),
      let state = properties["State"]?.string.flatMap(RegionState.init)
    else { return nil }
    self.value = value
    event = RegionEvent(
      kind: kind, state: state, previous: properties["Previous"]?.string.flatMap(RegionState.init) ?? .unknown,
      reason: properties["Reason"]?.string.flatMap(RegionReason.init) ?? .none,
      sequence: properties["Sequence"]?.uint64 ?? 0,
      timestamp: Timestamp(properties["Timestamp"]) ?? Timestamp(),
      committedAt: properties["MonotonicUSec"]?.uint64 ?? 0, hasGap: properties["Gap"]?.boolean ?? false,
      isSimulated: properties["Simulated"]?.boolean ?? false,
      location: properties["Location"].flatMap(ServiceLocation.init)?.location)
  }
}

nonisolated extension ServiceRegionEvent {
  /// Creates the loss of a state that no event has confirmed; nil if the state is unknown already.
  init?(lostFrom state: RegionState) {
    guard state != .unknown else { return nil }
    self.init(
      .options([
        ("Event", .string(RegionEvent.Kind.lost.rawValue)), ("State", .string(RegionState.unknown.rawValue)),
        ("Reason", .string(RegionReason.noFix.rawValue)),
      ]))
  }

  /// Returns the event with a sequence number and a previous state that continue across restarts.
  func numbered(_ sequence: UInt64, after previous: RegionState) -> ServiceRegionEvent {
    let pairs = (value.options ?? []).filter { $0.name != "Sequence" && $0.name != "Previous" }
    let changed = Value.options(
      pairs.map { ($0.name, $0.value) } + [
        ("Previous", .string(previous.rawValue)), ("Sequence", .uint64(sequence)),
      ])
    return ServiceRegionEvent(changed) ?? self
  }
}
