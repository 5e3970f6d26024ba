// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistGatekeeper
import GeopublicistLocationModel

/// The part of the service that the objects of clients know.
protocol ClientHost: AnyObject {
  var connection: Connection { get }
  var gatekeeper: any Gatekeeper { get }
  var limits: Limits { get }
  /// The shared half of every chain.
  var locations: SharedLocations { get }
  var signals: LocationSignals { get }
  /// The current state of the source.
  var upstreamStatus: UpstreamStatus { get }

  /// The first location of a subscription.
  func firstLocation(for level: AccuracyLevel) -> Location?
  /// Sets what an object needs from the source; nil for nothing.
  func setNeed(_ need: SourceSchedule.Need?, for object: ObjectIdentifier)
  /// Requests the current location from the source.
  func askSource()
  /// Counts one receiving client more or less.
  func receiverCountChanged(by difference: Int)
  /// Counts one more dialog of a client, or returns the limit that it would exceed.
  func reservePrompt(for client: Client) -> Limits.Key?
  /// Notes that a dialog of a client has ended.
  func releasePrompt(of client: Client)
  /// An object of a client is gone.
  func ended(_ object: any OwnedObject)
}
