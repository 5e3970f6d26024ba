// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Actions for the shell around a machine that receives locations. `Own` are those of this kind of machine.
nonisolated enum LocationAction<Own: Equatable & Sendable>: Equatable, Sendable {
  /// Require locations of this level from the source, or none.
  case need(AccuracyLevel?)
  /// Replace the running chain with one for this level, or remove it.
  case follow(AccuracyLevel?)
  /// Count the object as receiving, or stop counting it.
  case receiving(Bool)
  case audit(Authorization)
  /// End the object, release everything, and report the reason, if any, to the owner.
  case end(ClosedReason?)
  case own(Own)
}

/// Actions of objects that their owner starts and stops.
nonisolated enum ObjectAction<Own: Equatable & Sendable>: Equatable, Sendable {
  /// Mark that ``ObjectState/announcement()`` must be sent to the owner.
  case announce
  case changed(MemberName)
  /// Answer the oldest `Start` call.
  case started
  case refuse(DBusError)
  case own(Own)
}

/// Why an object has ended. Raw values as in the signal `Closed`.
nonisolated enum ClosedReason: String, Sendable {
  case byClient = "by-consumer"
  case completed
  case used
  case expired
  case shutdown
}

nonisolated struct Delivery: Equatable, Sendable {
  var location: Location
  /// Whether the level that was granted for the location is coarser than the requested one.
  var isReduced: Bool
}
