// SPDX-License-Identifier: Apache-2.0
/// What `LocationManagerDelegate/locationManager(_:didFailWithError:)`` tells; never the end, the manager goes on.
public struct LocationError: Error, Hashable, Sendable {
  /// What kind of failure it is.
  public enum Code: String, Hashable, Sendable {
    /// Access to the location is refused.
    case denied
    /// GeoClue is not there, or has no source of locations.
    case unavailable
    /// A location was announced and could not be read, or was none that can be true.
    case locationUnknown
  }

  /// What kind of failure it is, for programs.
  public let code: Code
  /// One plain sentence, without any coordinate.
  public let message: String

  /// A failure of that kind, with a sentence about it.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
