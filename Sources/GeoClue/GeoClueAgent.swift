// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Our own GeoClue agent, which the system deployment needs: without an agent for a uid, GeoClue never hands out a
/// client to it.
///
/// It speaks for the daemon's own user alone. What the daemon's consumers may have, the daemon decides by itself.
final class GeoClueAgent {
  private let connection: Connection
  private var object: ExportedObject?

  init(on connection: Connection) {
    self.connection = connection
    object = connection.objects.export(
      GeoClueNames.agentPath, Implementation(of: Self.interface, by: self))
  }

  /// Tells a GeoClue of the agent; it has to be told again after each start of GeoClue, and when another agent of the
  /// same user has left, because GeoClue forgets both then.
  ///
  /// GeoClue answers only after it has read the agent's level, so the answer must not be waited for. `onRefusal` is not
  /// called when GeoClue has gone.
  func register(with owner: BusName, onRefusal: @escaping (DBusError) -> Void) {
    let message = try? Message(
      calling: "AddAgent", of: GeoClueNames.manager, at: GeoClueNames.managerPath, on: owner,
      [.string(GeoClueNames.agentID)])
    guard let message else { return }
    connection.call(message, timeout: .milliseconds(25_000), expecting: "") { result in
      guard case .failure(let error) = result else { return }
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
        // Asked for sandboxed applications of our own user only, and there are none.
        call.reply(.boolean(false), .uint32(AccuracyLevel.none.rawValue))
      },
      .property("MaxAccuracyLevel", "u", emits: .changed) { _ in .uint32(AccuracyLevel.exact.rawValue) },
    ])
}
