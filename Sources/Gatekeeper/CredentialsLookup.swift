// SPDX-License-Identifier: Apache-2.0
import DBus
import Glibc

/// Asks the bus which users connections belong to, a few connections at a time.
///
/// Simultaneous questions about hundreds of new connections would precede every answer to clients: while hundreds of
/// connections keep dbus-daemon busy, it reads only 4 KiB from the service in a second.
package final class CredentialsLookup {
  /// The maximum number of questions in flight.
  package static let parallel = 4

  private struct Subject {
    var handlers: [(Credentials?) -> Void] = []
    var isUrgent = false
    var isAsked = false
    var question: PendingCall?
  }

  private let connection: Connection
  private var subjects: [BusName: Subject] = [:]
  /// The connections that the bus has not been asked about, in the order in which they came.
  private var waiting: [BusName] = []
  private var asksOldest = false
  private var inFlight = 0

  package init(on connection: Connection) { self.connection = connection }

  /// Calls the handler with a connection's credentials, or with nil if the bus does not return the user.
  ///
  /// - Parameter isUrgent: Whether a call waits for the answer. The latest urgent question takes turns with the oldest
  ///   of all: the clients that came before a flood have been identified already, and those that come during one must
  ///   not wait for its end.
  package func ask(about name: BusName, isUrgent: Bool, _ handler: @escaping (Credentials?) -> Void) {
    if subjects[name] == nil { waiting.append(name) }
    subjects[name, default: Subject()].handlers.append(handler)
    if isUrgent { subjects[name]?.isUrgent = true }
    askNext()
  }

  /// Discards the questions about a connection that has left the bus. Their handlers are called with nil.
  package func forget(_ name: BusName) {
    if subjects[name]?.isAsked == false { waiting.removeAll { $0 == name } }
    answered(name, nil)
  }

  private func askNext() {
    while inFlight < Self.parallel, !waiting.isEmpty {
      let latest = asksOldest ? nil : waiting.lastIndex { subjects[$0]?.isUrgent == true }
      asksOldest.toggle()
      let name = waiting.remove(at: latest ?? 0)
      guard subjects[name] != nil else { continue }
      inFlight += 1
      subjects[name]?.isAsked = true
      subjects[name]?.question = Credentials.ask(for: name, on: connection) { [weak self] in self?.ended(name, $0) }
    }
  }

  /// A busy bus may answer too late or not at all, which says nothing about the connection. A call that waits must be
  /// answered in time; another question is repeated.
  private func ended(_ name: BusName, _ result: Result<Credentials?, CallFailure>) {
    guard case .failure(.lost) = result, connection.isConnected, subjects[name]?.isUrgent == false else {
      return answered(name, (try? result.get()) ?? nil)
    }
    subjects[name]?.isAsked = false
    waiting.append(name)
    inFlight -= 1
    askNext()
  }

  private func answered(_ name: BusName, _ credentials: Credentials?) {
    guard let subject = subjects.removeValue(forKey: name) else { return }
    if subject.isAsked { inFlight -= 1 }
    for handler in subject.handlers { handler(credentials) }
    askNext()
  }
}

nonisolated package struct Credentials: Hashable, Sendable {
  package let userID: UInt32
  /// For display only: process ids are reused, so no decision depends on it.
  package let processID: UInt32?
  /// The label from a Linux security module, if the bus reports one.
  package let securityLabel: SecurityLabel?

  static func question(about name: BusName) -> Message {
    Message(callingBus: "GetConnectionCredentials", [.string(name.rawValue)])
  }

  /// Asks the bus for a connection's credentials. The result is nil if the bus does not return the user.
  @MainActor package static func ask(
    for name: BusName, on connection: Connection, _ handler: @escaping (Result<Credentials?, CallFailure>) -> Void
  ) -> PendingCall {
    connection.call(question(about: name), timeout: .milliseconds(5_000)) { result in
      handler(result.map { $0.first?.properties.flatMap(Credentials.init) })
    }
  }
}

nonisolated extension Credentials {
  /// Returns nil without a user.
  fileprivate init?(_ properties: [String: Value]) {
    guard let user = properties["UnixUserID"]?.uint32 else { return nil }
    let label = properties["LinuxSecurityLabel"]?.bytes
    self.init(
      userID: user, processID: properties["ProcessID"]?.uint32, securityLabel: label.map(SecurityLabel.init(bytes:)))
  }
}

package enum UserID {
  /// The user that this process runs as.
  package static var own: UInt32 { getuid() }
}
