// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Why GeoClue refuses to start a client.
///
/// Every refusal has the error name `AccessDenied`; only the English sentence tells them apart. The sentences are the
/// same in 2.6, 2.7 and 2.8 and are not translated. One that is unknown means no, without a guess at the reason.
nonisolated enum GeoClueRefusal {
  static func reason(for error: DBusError) -> AuthorizationReason? {
    guard error.name == .accessDenied else { return nil }
    let sentence = error.message
    // Not a refusal: said by an object that belongs to another connection, or of a client that was not set up.
    if sentence == "Access denied" || sentence.contains("property must be set") { return nil }
    if sentence.contains("Geolocation disabled for UID") { return .disabledByUser }
    if sentence.contains("disallowed by configuration") { return .disallowedByConfiguration }
    if sentence.contains("disallowed, no agent for UID") { return .noAgent }
    if sentence.contains("Agent rejected") { return .rejectedByAgent }
    if sentence.contains("authorization request is already pending") { return .undecided }
    return .disallowedByPolicy
  }
}

nonisolated extension String {
  /// The standard library's own needs Foundation for this.
  func contains(_ other: StaticString) -> Bool {
    let needle = Array(other.description.utf8)
    let text = Array(utf8)
    guard text.count >= needle.count else { return false }
    return (0...(text.count - needle.count)).contains { text[$0..<($0 + needle.count)].elementsEqual(needle) }
  }
}
