// SPDX-License-Identifier: Apache-2.0
import DBus

/// Who a connection belongs to, as the bus says.
nonisolated package struct Credentials: Hashable, Sendable {
  package let userID: UInt32
  /// For people to read; pids are reused, so nothing is decided by it.
  package let processID: UInt32?
  /// Of a Linux security module, if there is one.
  package let securityLabel: SecurityLabel?

  /// Asks the bus; the handler hears nil if it does not tell the user.
  @MainActor package static func ask(
    for name: BusName, on connection: Connection, _ handler: @escaping (Credentials?) -> Void
  ) -> PendingCall? {
    guard let message = try? Message(callingBus: "GetConnectionCredentials", [.string(name.rawValue)]) else {
      return nil
    }
    return connection.call(message) { result in
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
