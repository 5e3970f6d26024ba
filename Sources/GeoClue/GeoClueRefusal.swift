// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Recognises why GeoClue refuses to start a client.
///
/// All refusals have the error name `AccessDenied` and differ only in their English messages, which are not translated
/// and identical in 2.6, 2.7 and 2.8. An unknown message is a refusal without a known reason.
nonisolated package enum GeoClueRefusal {
  package static func reason(for error: DBusError) -> AuthorizationReason? {
    error.name == .accessDenied ? reason(in: error.message) : nil
  }

  /// Returns the reason stated in the message of an `AccessDenied` error, or nil if it is not a refusal.
  package static func reason(in sentence: String) -> AuthorizationReason? {
    // Not a refusal: the object belongs to another connection, or the client was not configured.
    if sentence == "Access denied" || sentence.hasPart("property must be set") { return nil }
    if sentence.hasPart("Geolocation disabled for UID") { return .disabledByUser }
    if sentence.hasPart("disallowed by configuration") { return .disallowedByConfiguration }
    if sentence.hasPart("disallowed, no agent for UID") { return .noAgent }
    if sentence.hasPart("Agent rejected") { return .rejectedByAgent }
    if sentence.hasPart("authorization request is already pending") { return .undecided }
    return .disallowedByPolicy
  }
}
