// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Why GeoClue refuses to start a client.
///
/// Every refusal has the error name `AccessDenied`; only the English sentences differ. They are the same in 2.6, 2.7
/// and 2.8 and are not translated. An unknown sentence is a refusal without a known reason.
nonisolated package enum GeoClueRefusal {
  package static func reason(for error: DBusError) -> AuthorizationReason? {
    error.name == .accessDenied ? reason(in: error.message) : nil
  }

  /// The reason stated in the message of an `AccessDenied`; nil if it is not a refusal.
  package static func reason(in sentence: String) -> AuthorizationReason? {
    // Not a refusal: the object belongs to another connection, or the client was not set up.
    if sentence == "Access denied" || sentence.hasPart("property must be set") { return nil }
    if sentence.hasPart("Geolocation disabled for UID") { return .disabledByUser }
    if sentence.hasPart("disallowed by configuration") { return .disallowedByConfiguration }
    if sentence.hasPart("disallowed, no agent for UID") { return .noAgent }
    if sentence.hasPart("Agent rejected") { return .rejectedByAgent }
    if sentence.hasPart("authorization request is already pending") { return .undecided }
    return .disallowedByPolicy
  }
}
