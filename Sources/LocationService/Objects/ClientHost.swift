// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel

/// The part of the service that clients' objects can access.
protocol ClientHost: AnyObject {
  var connection: Connection { get }
  var gatekeeper: any Gatekeeper { get }
  /// The part of the chain that all clients share.
  var locations: SharedLocations { get }
  var signals: LocationSignals { get }
  var sourceStatus: SourceStatus { get }

  func firstLocation(for level: AccuracyLevel) -> Location?
  /// Sets what an object needs from the source, or nil for nothing.
  func setNeed(_ need: SourceSchedule.Need?, for object: ObjectIdentifier)
  func askSource()
  /// Changes the number of receiving objects.
  func receiverCountChanged(by difference: Int)
  /// Counts one more dialog for a client, or returns the limit that it would exceed.
  func reservePrompt(for client: Client) -> Limits.Key?
  /// Releases the count of a client's dialog that has ended.
  func releasePrompt(of client: Client)
  /// Called when a client's object has ended.
  func ended(_ object: any OwnedObject)
}
