// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Actions for the shell around a machine.
nonisolated enum ClientAction: Equatable, Sendable {
  /// Requires locations of this level from the source, or none.
  case need(AccuracyLevel?)
  /// Replaces the running chain with one for this level, or removes it.
  case follow(AccuracyLevel?)
  /// Counts the object as receiving, or stops counting it.
  case receiving(Bool)
  case askSource
  case audit(Authorization)
  case deliver(Delivery)
  case tell(RegionReport)
  /// Asks when the object next needs the source.
  case reviewNeed
  /// Marks that ``ObjectState/announcement()`` must be sent to the owner.
  case announce
  case changed(MemberName)
  /// Answers the current call without values.
  case done
  /// Answers the call with a status and a reason.
  case reply(Authorization)
  case refuse(DBusError)
  case openDialog
  /// Ends the object, releases everything, and reports the reason, if any, to the owner.
  case end(ClosedReason?)
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
  /// Whether the granted level is coarser than the requested one.
  var isReduced: Bool
}
