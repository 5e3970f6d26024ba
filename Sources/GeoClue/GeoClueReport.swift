// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// What GeoClue reports to the shell around ``ConnectionMachine``.
enum GeoClueReport {
  case event(ConnectionMachine.Event)
  /// A location object that was read, with unchecked values.
  case fix(Location)
  case failure(LocationError)

  /// A failed call, as an error for the delegate; nil if the next event says more: GeoClue or the bus has exited.
  static func failure(_ error: DBusError) -> GeoClueReport? {
    switch error.name {
    case .noReply, .disconnected, .serviceUnknown, .nameHasNoOwner: return nil
    default: break
    }
    if let reason = GeoClueRefusal.reason(for: error) { return .failure(LocationError(.denied, reason.sentence)) }
    // Not GeoClue's own message, which may name objects of its clients.
    return .failure(LocationError(.unavailable, "GeoClue answered with an error; it is called again"))
  }
}
