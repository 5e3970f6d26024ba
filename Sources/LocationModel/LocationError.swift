// SPDX-License-Identifier: Apache-2.0
/// A failure reported to `locationManager(_:didFailWithError:)` of the delegate; the manager continues.
public struct LocationError: Error, Hashable, Sendable {
  /// What kind of failure it is.
  public enum Code: String, Hashable, Sendable {
    /// Access to the location is refused.
    case denied
    /// GeoClue is not available, or has no source of locations.
    case unavailable
    /// A location was announced but could not be read, or is not credible.
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
}
