// SPDX-License-Identifier: Apache-2.0
/// A source of locations for a `LocationManager`: GeoClue, the service, a recorded track, or a script in a test.
@MainActor public protocol LocationSource: AnyObject {
  /// Receives all events of the source, in order.
  var onEvent: ((LocationSourceEvent) -> Void)? { get set }

  /// How long to keep the source after it is no longer needed. Zero unless acquiring it is expensive.
  var linger: Duration { get }

  /// Whether to release the source while no delivery is due. False for one that costs nothing.
  var isReleasedToRest: Bool { get }

  /// Sets the required level, or nil if there are no subscribers, in which case the source releases everything.
  func require(_ level: AccuracyLevel?)

  /// Releases everything for a while but keeps reporting the authorization, because clients wait for the next location.
  func rest()

  /// Measures again, because a source is silent while nothing moves. A source that is waiting to retry does so sooner.
  func refresh()

  /// Measures again, because earlier measurements may be invalid after a sleep of the machine.
  func startOver()

  /// Asks the user for permission, if the source supports that. The answer arrives as an event.
  ///
  /// - Parameter isInteractive: Whether a dialog may be shown.
  func requestAuthorization(isInteractive: Bool)
}

// MARK: - Defaults for a source that never falls silent and holds nothing
extension LocationSource {
  public var linger: Duration { .zero }
  public var isReleasedToRest: Bool { true }
  public func rest() { require(nil) }
  public func refresh() {}
  public func startOver() {}
  public func requestAuthorization(isInteractive: Bool) {}
}

/// A source that applies a manager's filters in another process, so that this process wakes up only for delivered
/// locations.
@MainActor public protocol FilteringLocationSource: LocationSource {
  /// Delivers the locations that pass the thresholds and mode of `options` from now on. Nil stops delivery.
  func follow(_ options: ClientOptions?)

  /// Requests one location. The handler is called once, unless the request is cancelled. A new request replaces a
  /// pending one.
  func requestLocation(_ options: ClientOptions, _ handler: @escaping (Result<Location, LocationError>) -> Void)

  /// Cancels the pending request, if there is one.
  func cancelRequest()

  /// Monitors a region until the returned object is released.
  func monitor(
    _ configuration: RegionConfiguration, at level: AccuracyLevel, _ handler: @escaping (RegionUpdate) -> Void
  ) -> AnyObject

  /// Changes the level at which a region is monitored. What has been reported about it is remembered.
  func change(_ region: AnyObject, to level: AccuracyLevel)
}

/// An update about a monitored region.
public enum RegionUpdate: Sendable {
  /// An event of the region.
  case event(RegionEvent)
  /// Monitoring has ended, because the region was for a single use or cannot be monitored.
  case ended
}

/// An event of a source.
public enum LocationSourceEvent: Sendable {
  /// A validated fix, in order of arrival.
  case location(Location)
  /// The state of GeoClue and its sources has changed.
  case status(SourceStatus)
  /// The authorization of this program has changed.
  case authorization(Authorization)
  /// A failure, after which the source continues.
  case failure(LocationError)
}

/// A failure reported to `locationManager(_:didFailWithError:)` of the delegate; the manager continues.
///
/// Its description is the code and the sentence, such as `denied: Location is turned off for this user. …`.
public struct LocationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: String, Hashable, Sendable {
    /// Access to the location is refused.
    case denied
    /// No location can arrive: the service, GeoClue or a source is missing, or the bus has exited.
    case unavailable
    /// No location arrived in time, or one arrived that cannot be read or cannot be true.
    case locationUnknown
  }

  /// The kind of failure, for programs.
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
