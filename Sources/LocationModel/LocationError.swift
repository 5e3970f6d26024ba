// SPDX-License-Identifier: Apache-2.0
/// A failure reported to `locationManager(_:didFailWithError:)` of the delegate; the manager continues.
///
/// Its description is the code and the sentence, such as `denied: Location is turned off for this user. …`.
public struct LocationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: String, Hashable, Sendable {
    /// Access to the location is refused.
    case denied
    /// No location can arrive: the service, GeoClue or a source is missing, or the bus has gone.
    case unavailable
    /// No location arrived in time, or one arrived that cannot be read or cannot be true.
    case locationUnknown
  }

  /// What kind of failure it is, for programs.
  public let code: Code
  /// One sentence for the user, without any coordinate.
  public let message: String

  /// Creates a failure of a kind, with a sentence about it.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { "\(code): \(message)" }
}
