// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

/// One connection on the bus, as the gatekeeper sees it.
open class GatekeeperClient {
  package final let name: BusName
  /// The user behind the connection. Nil until the bus has answered, which happens before anything is done for the
  /// client.
  package final var credentials: Credentials?
  /// The account that is charged for the client, or nil until it is known.
  package final var account: Account?
  /// When its authorization may last have changed, until the review of a reported change has ended.
  package final var changedAt: BootInstant?
  /// The account that was last charged for a line of the log.
  final var auditAccount: Account?
  /// The systemd unit of its process, once known. For display only.
  package internal(set) final var unit: String?
  final var audited = AuditedAnswers()
  /// Called when the connection has left the bus.
  package final var onEnd: (() -> Void)?

  // Not `package`: the compiler of Swift 6.3 then warns about the initializer that subclasses do not inherit.
  public init(_ name: BusName) { self.name = name }

  /// Whether the client has a subscription, a region or a pending call, so that changed facts affect it now.
  open var isWaiting: Bool { false }
}
