// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// A GeoClue agent for this program's own user: without an agent for a uid, GeoClue never returns a client to it.
///
/// The service needs one for its own user, and decides itself what each client may have. `geopublicist agent` is one for
/// a user whose desktop has none.
package final class GeoClueAgent {
  private let connection: Connection
  private var object: ExportedObject?
  /// The most that GeoClue may tell this user.
  package private(set) var level: AccuracyLevel

  package init(on connection: Connection, level: AccuracyLevel = .exact) {
    self.connection = connection
    self.level = level
    show()
  }

  /// Answers questions about the level again after ``hide()``.
  package func show() {
    guard object == nil else { return }
    object = connection.objects.export(GeoClueNames.agentPath, Implementation(of: Self.interface, by: self))
  }

  /// Stops the clients that GeoClue runs by this agent's permission, and answers no more questions.
  package func hide() {
    let last = level
    change(to: .none)
    object?.unexport()
    object = nil
    level = last
  }

  /// Sets the level, and announces it to GeoClue.
  ///
  /// GeoClue 2.8 does not reduce the level of a running client unless it passes through 0, which stops it.
  package func setLevel(_ new: AccuracyLevel) {
    if new < level, new != .none { change(to: .none) }
    change(to: new)
  }

  /// Announces the level, for programs that have asked before there was an agent.
  package func announce() { change(to: level) }

  private func change(to new: AccuracyLevel) {
    level = new
    object?.propertyChanged("MaxAccuracyLevel", of: GeoClueNames.agent)
    object?.flushChanges()
  }

  /// Registers the agent with a GeoClue; to be repeated after each start of GeoClue, and when another agent of the same
  /// user has left, because GeoClue forgets both then.
  ///
  /// GeoClue answers only after it has read the agent's level, so the answer must not be waited for. Neither handler is
  /// called when GeoClue has gone.
  package func register(
    with owner: BusName, onSuccess: @escaping () -> Void = {}, onRefusal: @escaping (DBusError) -> Void
  ) {
    let message = try? Message(
      calling: "AddAgent", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: owner,
      [.string(GeoClueNames.agentID)])
    guard let message else { return }
    connection.call(message, timeout: .milliseconds(25_000), expecting: "") { result in
      guard case .failure(let error) = result else { return onSuccess() }
      switch error.name {
      case .noReply, .disconnected, .serviceUnknown, .nameHasNoOwner: break
      default: onRefusal(error)
      }
    }.keep()
  }

  private static let interface = Interface<GeoClueAgent>(
    GeoClueNames.agent,
    [
      .method(
        "AuthorizeApp", in: ["desktop_id": "s", "req_accuracy_level": "u"],
        out: ["authorized": "b", "allowed_accuracy_level": "u"]
      ) { _, call in
        // Asked about sandboxed programs only, whose way to locations is the portal.
        call.reply(.boolean(false), .uint32(AccuracyLevel.none.rawValue))
      },
      .property("MaxAccuracyLevel", "u", emits: .changed) { .uint32($0.level.rawValue) },
    ])
}
