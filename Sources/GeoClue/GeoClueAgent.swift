// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A GeoClue agent for this program's own user. Without an agent for a user, GeoClue never completes that user's
/// `CreateClient`.
///
/// The service needs one for its own user and itself decides the access of each client. `geopublicist agent` provides
/// one for users whose desktop has none.
package final class GeoClueAgent {
  private let connection: Connection
  private var object: ExportedObject?
  private var standsAside = false
  /// The finest level that GeoClue may reveal to this user.
  package private(set) var level: AccuracyLevel

  package init(on connection: Connection, level: AccuracyLevel = .exact) {
    self.connection = connection
    self.level = level
    object = connection.objects.export(GeoClueNames.agentPath, Implementation(of: Self.interface, by: self))
  }

  /// Stops the GeoClue clients that depend on this agent, because GeoClue now follows another one. The level can still
  /// be read: the service asks every agent of a user, and the coarsest level applies.
  package func standAside() {
    guard !standsAside else { return }
    let last = level
    change(to: .none)
    standsAside = true
    change(to: last)
  }

  /// Ends ``standAside()``. The level is announced with the next ``announce()``.
  package func stepIn() { standsAside = false }

  /// Sets the level and announces it to GeoClue.
  ///
  /// GeoClue 2.8 lowers the level of a running client only if the agent's level passes through 0, which stops the
  /// client.
  package func setLevel(_ new: AccuracyLevel) {
    if new < level, new != .none, !standsAside { change(to: .none) }
    change(to: new)
  }

  /// Announces the level to programs that looked for an agent before this one existed.
  package func announce() { change(to: level) }

  private func change(to new: AccuracyLevel) {
    level = new
    guard !standsAside else {
      // The signal has no value, because with a value GeoClue would restart the clients that depended on this agent.
      object?.emit(
        .propertiesChanged, of: .properties, .string(GeoClueNames.agent.rawValue), .options([]),
        .strings(["MaxAccuracyLevel"]))
      return
    }
    object?.propertyChanged("MaxAccuracyLevel", of: GeoClueNames.agent)
    object?.flushChanges()
  }

  /// Registers the agent with GeoClue. Must be repeated after each start of GeoClue and after another agent of the same
  /// user has left, because GeoClue forgets the agent in both cases.
  ///
  /// GeoClue answers only after it has read the agent's level, so a caller must not block on the answer. Neither
  /// handler is called if GeoClue exits.
  package func register(
    with owner: BusName, onSuccess: @escaping () -> Void = {}, onRefusal: @escaping (DBusError) -> Void
  ) {
    let manager = Proxy(
      on: connection, destination: owner, path: GeoClueNames.managerPath, interface: GeoClueNames.manager)
    manager.call("AddAgent", .string(GeoClueNames.agentID), expecting: "") { result in
      switch result {
      case .success: onSuccess()
      case .failure(.refused(let error)):
        if !error.isAbsence { onRefusal(error) }
      case .failure(.lost), .failure(.notSent): break
      }
    }
  }

  /// Asks a connection for the level that it allows as an agent, without starting a program.
  package static func levelQuestion(to name: BusName) -> Message {
    let message = Message(
      calling: "Get", of: .properties, at: GeoClueNames.agentPath, on: name,
      [.string(GeoClueNames.agent.rawValue), .string("MaxAccuracyLevel")])
    message.startsService = false
    return message
  }

  /// What an agent broadcasts about its level.
  package enum Announcement {
    case level(AccuracyLevel)
    /// The level has changed, but the signal does not contain it.
    case changed
  }

  /// Returns what a signal announces, or nil if it is not about the level of an agent.
  package static func announcement(in signal: Signal) -> Announcement? {
    guard let changes = GeoClueReply.changes(in: signal, of: GeoClueNames.agent) else { return nil }
    if let number = changes["MaxAccuracyLevel"]?.uint32 { return .level(AccuracyLevel(rounding: number)) }
    return signal.arguments[2].array?.contains(.string("MaxAccuracyLevel")) == true ? .changed : nil
  }

  private static let interface = Interface<GeoClueAgent>(
    GeoClueNames.agent,
    [
      .method(
        "AuthorizeApp", in: ["desktop_id": "s", "req_accuracy_level": "u"],
        out: ["authorized": "b", "allowed_accuracy_level": "u"]
      ) { _, call in
        // GeoClue asks only about sandboxed programs, which must use the portal instead.
        call.reply(.boolean(false), .uint32(AccuracyLevel.none.rawValue))
      },
      .property("MaxAccuracyLevel", "u", emits: .changed) { .uint32($0.level.rawValue) },
    ])
}
