// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper

/// An object on the bus or a pending call that belongs to one client.
protocol ClientPart: AnyObject {
  /// Queries the gatekeeper again, because something may have changed.
  func refresh()
  /// Drops what was measured before a suspend.
  func slept()
  /// Handles a change of the wall clock.
  func clockChanged()
  /// Ends the object, and reports the reason, if any, to its owner.
  func end(_ reason: ClosedReason?)
}

/// An object on the bus that belongs to one client.
protocol OwnedObject: ClientPart {
  var kind: ObjectKind { get }
  var number: UInt64 { get }
  var path: ObjectPath { get }
  var client: Client { get }
  /// The account that is charged for the object while it exists.
  var account: Account { get }
  /// Whether the object is started and its owner authorized.
  var isActive: Bool { get }
  /// The object's row in `ListSubscriptions`, which never contains a coordinate.
  var listEntry: Value { get }
  /// Offers the newest location to an object that still awaits the first one since it was started.
  func offerFirst()
  /// Drops the location that waits to be sent, or all locations.
  func forget(_ part: DeliverySlot.Part)
  /// Sends changed state to the owner when there is room.
  func tellLater()
  /// Sends the state again, because what was sent last may be lost.
  func tellAgain()
  /// Makes periodic checks due now, because the device may have moved.
  func checkNow()
}
