// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// What the shell around ``ConnectionMachine`` hears from GeoClue.
enum GeoClueReport {
  case event(ConnectionMachine.Event)
  /// A location object that was read, with unchecked values.
  case fix(Location)
  case failure(LocationError)

  /// A failed call, in words for the delegate; nil where the next event says more: GeoClue or the bus has gone.
  static func failure(_ error: DBusError) -> GeoClueReport? {
    switch error.name {
    case .noReply, .disconnected, .serviceUnknown, .nameHasNoOwner: return nil
    default: break
    }
    if let reason = GeoClueRefusal.reason(for: error) { return .failure(LocationError(.denied, reason.sentence)) }
    // Not GeoClue's own words: they may name objects of its clients.
    return .failure(LocationError(.unavailable, "GeoClue answered with an error; it is called again"))
  }
}
