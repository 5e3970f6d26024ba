// SPDX-License-Identifier: Apache-2.0
import DBus
import Glibc

/// The owner of a connection, as reported by the bus.
nonisolated package struct Credentials: Hashable, Sendable {
  package let userID: UInt32
  /// For display only: process ids are reused, so no decision depends on it.
  package let processID: UInt32?
  /// The label from a Linux security module, if the bus reports one.
  package let securityLabel: SecurityLabel?

  /// Asks the bus for a connection's credentials. Calls the handler with nil if the bus does not return the user.
  @MainActor package static func ask(
    for name: BusName, on connection: Connection, _ handler: @escaping (Credentials?) -> Void
  ) -> PendingCall? {
    guard let message = try? Message(callingBus: "GetConnectionCredentials", [.string(name.rawValue)]) else {
      return nil
    }
    return connection.call(message, timeout: .milliseconds(5_000)) { result in
      guard case .success(let values) = result, let properties = values.first?.properties,
        let user = properties["UnixUserID"]?.uint32
      else { return handler(nil) }
      let label = properties["LinuxSecurityLabel"]?.bytes
      handler(
        Credentials(
          userID: user, processID: properties["ProcessID"]?.uint32, securityLabel: label.map(SecurityLabel.init(bytes:))
        ))
    }
  }
}

package enum UserID {
  /// The user that this process runs as.
  package static var own: UInt32 { getuid() }
}
