// SPDX-License-Identifier: Apache-2.0
import DBus

/// A client as the gatekeeper sees it: one connection on the bus.
package protocol GatekeeperClient: AnyObject {
  /// Its unique name.
  var name: BusName { get }
  /// The account behind the connection; nil until the bus has told.
  var credentials: Credentials? { get }
  /// Whether it has a subscription or a call without an answer, so that changes of its facts matter now.
  var isWaiting: Bool { get }
  /// The systemd unit of its process, once that is known; for people to read.
  var unit: String? { get set }
  /// What the journal says that it was told.
  var audited: AuditedAnswers { get set }
  /// Called when its connection has gone.
  var onEnd: (() -> Void)? { get set }
}
