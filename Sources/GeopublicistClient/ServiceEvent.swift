// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// An event of a subscription or a region at the service.
nonisolated public enum ServiceEvent<Update: Sendable>: Sendable {
  /// A location, or a change of the region.
  case update(Update)
  /// The authorization, at the beginning and after each change.
  case authorization(Authorization)
  /// The service reports a failure; updates may continue.
  case failure(DBusError)
  /// The service refuses to start the updates. Updates begin when the refusal ends.
  case refused(DBusError)
  /// The service cannot be called, or has not answered for 25 s. Unless the failure is final, the call is repeated or
  /// remains pending.
  case failed(DBusError, isFinal: Bool)
  /// The service has exited. The object is created again when the service is back.
  case interrupted
  /// Updates continue after an interruption.
  case resumed
  /// The service has ended the object, with the contract's reason: `completed` for a subscription, `used` or
  /// `expired` for a region.
  case closed(String)
}

nonisolated extension ServiceEvent: Equatable where Update: Equatable {}

/// A location as delivered by the service.
nonisolated public struct ServiceLocation: Equatable, Sendable {
  /// The contract's dictionary, as received.
  public let value: Value
  /// The coordinates and their accuracy, time, speed and heading.
  public let location: Location
  /// The finest level that the location may reveal, in the contract's words, or `unknown`.
  public let level: String
  /// Whether the granted level is coarser than the requested one.
  public let isReduced: Bool
  /// Milliseconds since the location reached the service; only in the answer to a request.
  public let age: UInt32?

  /// Reads the contract's dictionary; returns nil without valid coordinates.
  public init?(_ value: Value) {
    guard let properties = value.properties, let latitude = properties["Latitude"]?.double,
      let longitude = properties["Longitude"]?.double, abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    func known(_ name: String) -> Double? { properties[name]?.double.flatMap { $0.isFinite ? $0 : nil } }
    self.value = value
    location = Location(
      latitude: latitude, longitude: longitude, accuracy: known("Accuracy"), altitude: known("Altitude"),
      speed: known("Speed"), heading: known("Heading"), sourceDescription: properties["Description"]?.string?.printable,
      timestamp: Timestamp(properties["Timestamp"]) ?? Timestamp(),
      receivedAt: BootInstant(microseconds: properties["MonotonicUSec"]?.uint64 ?? 0),
      sequence: properties["Sequence"]?.uint64 ?? 0,
      isSimulated: properties["Simulated"]?.boolean ?? false,
      source: properties["Source"]?.string.flatMap(SourceKind.init) ?? .unknown)
    level = ContractWord.level(properties["Level"]?.string)
    isReduced = properties["Reduced"]?.boolean ?? false
    age = properties["Age"]?.uint32
  }
}

/// An event of a region as sent by the service.
nonisolated public struct ServiceRegionEvent: Equatable, Sendable {
  /// The contract's dictionary.
  public let value: Value
  /// The event itself.
  public let event: RegionEvent

  /// Reads the contract's dictionary; returns nil for an unknown event or state.
  public init?(_ value: Value) {
    guard let properties = value.properties, let kind = properties["Event"]?.string.flatMap(RegionEvent.Kind.init),
      let state = properties["State"]?.string.flatMap(RegionState.init)
    else { return nil }
    self.value = value
    event = RegionEvent(
      kind: kind, state: state, previous: properties["Previous"]?.string.flatMap(RegionState.init) ?? .unknown,
      reason: properties["Reason"]?.string.flatMap(RegionReason.init) ?? .none,
      sequence: properties["Sequence"]?.uint64 ?? 0, timestamp: Timestamp(properties["Timestamp"]) ?? Timestamp(),
      committedAt: BootInstant(microseconds: properties["MonotonicUSec"]?.uint64 ?? 0),
      hasGap: properties["Gap"]?.boolean ?? false,
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
      pairs.map { ($0.name, $0.value) } + [("Previous", .string(previous.rawValue)), ("Sequence", .uint64(sequence))])
    return ServiceRegionEvent(changed) ?? self
  }
}
