// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel

/// What the objects of clients may ask of the service that holds them: all they know of it.
protocol ClientHost: AnyObject {
  var connection: Connection { get }
  var gatekeeper: any Gatekeeper { get }
  var limits: Limits { get }
  /// The way of locations.
  var locations: SharedLocations { get }
  var signals: LocationSignals { get }
  /// What the source does now.
  var upstreamStatus: UpstreamStatus { get }

  /// The location that a subscription begins with.
  func firstLocation(for level: AccuracyLevel) -> Location?
  /// Sets what an object needs of the source; nil is nothing.
  func setNeed(_ need: SourceSchedule.Need?, for object: ObjectIdentifier)
  /// Has the source hand over what it has.
  func askSource()
  /// Counts one client more or less that receives.
  func receiverCountChanged(by difference: Int)
  /// Counts one more dialog of a client, or returns the limit that it would exceed.
  func reservePrompt(for client: Client) -> Limits.Key?
  /// A dialog of a client has ended.
  func releasePrompt(of client: Client)
  /// An object of a client is gone.
  func ended(_ object: any OwnedObject)
}
