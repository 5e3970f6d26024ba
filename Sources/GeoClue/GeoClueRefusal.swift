// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistProcessSupport

/// Why GeoClue refuses to start a client.
///
/// Every refusal has the error name `AccessDenied`; only the English sentence tells them apart. The sentences are the
/// same in 2.6, 2.7 and 2.8 and are not translated. One that is unknown means no, without a guess at the reason.
nonisolated package enum GeoClueRefusal {
  package static func reason(for error: DBusError) -> AuthorizationReason? {
    error.name == .accessDenied ? reason(in: error.message) : nil
  }

  /// The reason that the message of an `AccessDenied` states; nil if it is no refusal.
  package static func reason(in sentence: String) -> AuthorizationReason? {
    // Not a refusal: said by an object that belongs to another connection, or of a client that was not set up.
    if sentence == "Access denied" || sentence.hasPart("property must be set") { return nil }
    if sentence.hasPart("Geolocation disabled for UID") { return .disabledByUser }
    if sentence.hasPart("disallowed by configuration") { return .disallowedByConfiguration }
    if sentence.hasPart("disallowed, no agent for UID") { return .noAgent }
    if sentence.hasPart("Agent rejected") { return .rejectedByAgent }
    if sentence.hasPart("authorization request is already pending") { return .undecided }
    return .disallowedByPolicy
  }
}
