// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Reports from GeoClue to the shell around ``ConnectionMachine``.
enum GeoClueReport {
  case event(ConnectionMachine.Event)
  /// A location object was read. Its values have not been validated.
  case fix(Location)
  case failure(LocationError)

  /// Returns a failed call as an error for the delegate, or nil if GeoClue or the bus has exited, which the next event
  /// reports.
  static func failure(_ error: DBusError) -> GeoClueReport? {
    switch error.name {
    case .noReply, .disconnected, .serviceUnknown, .nameHasNoOwner: return nil
    default: break
    }
    if let reason = GeoClueRefusal.reason(for: error) { return .failure(LocationError(.denied, reason.sentence)) }
    // GeoClue's own message may contain object paths of its clients.
    return .failure(LocationError(.unavailable, "GeoClue returned an error; trying again"))
  }
}
