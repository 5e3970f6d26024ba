// SPDX-License-Identifier: Apache-2.0
import DBus

/// One connection on the bus, as the gatekeeper sees it.
package protocol GatekeeperClient: AnyObject {
  var name: BusName { get }
  /// The user behind the connection, or nil until the bus has reported it.
  var credentials: Credentials? { get }
  /// Whether the client has a subscription, a region or a pending call, so that changed facts affect it now.
  var isWaiting: Bool { get }
  /// The systemd unit of its process, once known. For display only.
  var unit: String? { get set }
  /// The answers that have been logged for it.
  var audited: AuditedAnswers { get set }
  /// Called when the connection has left the bus.
  var onEnd: (() -> Void)? { get set }
}
