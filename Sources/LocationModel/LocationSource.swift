// SPDX-License-Identifier: Apache-2.0
/// The source of the locations of a `LocationManager`: GeoClue, the service, a recorded track, or a script in a test.
@MainActor public protocol LocationSource: AnyObject {
  /// Receives all events of the source, in order.
  var onEvent: ((LocationSourceEvent) -> Void)? { get set }

  /// How long to keep the source after it is no longer needed, in microseconds: 0 unless setting it up is expensive.
  var linger: UInt64 { get }

  /// Sets the needed level, or nil when there are no subscribers; the source then holds nothing.
  func require(_ level: AccuracyLevel?)

  /// Holds nothing for a while, as without a level, but still reports the authorization: clients wait for the next
  /// location.
  func rest()

  /// Delivers the current location again even if it has not changed, because a source that does not move is silent. A
  /// source that is waiting to retry does so sooner.
  func refresh()

  /// Measures again, because earlier measurements are worthless: the machine may have slept.
  func startOver()

  /// Asks the user for permission, if the source can do that; the answer is an event like any other.
  ///
  /// - Parameter isInteractive: Whether a dialog may be shown.
  func requestAuthorization(isInteractive: Bool)
}

/// Defaults for a source that never falls silent and keeps nothing.
extension LocationSource {
  public var linger: UInt64 { 0 }
  public func rest() { require(nil) }
  public func refresh() {}
  public func startOver() {}
  public func requestAuthorization(isInteractive: Bool) {}
}

/// A source that applies a manager's filters in another process, so that this one wakes up only for what is delivered.
@MainActor public protocol FilteringLocationSource: LocationSource {
  /// Delivers what passes the thresholds and the mode of `options` from now on; nil ends it.
  func follow(_ options: ClientOptions?)

  /// Requests one location; the handler is called once, unless the request is cancelled. A request that is made while
  /// another one waits takes its place.
  func requestLocation(_ options: ClientOptions, _ handler: @escaping (Result<Location, LocationError>) -> Void)

  /// Cancels the request that waits, if there is one.
  func cancelRequest()

  /// Monitors a region until the returned object is released.
  func monitor(
    _ configuration: RegionConfiguration, at level: AccuracyLevel, _ handler: @escaping (RegionUpdate) -> Void
  ) -> AnyObject
}

/// What a source says about a region that it monitors.
public enum RegionUpdate: Sendable {
  /// Something has happened.
  case event(RegionEvent)
  /// The region was for a single use and has been used, or cannot be monitored.
  case ended
}

/// An event of a source.
public enum LocationSourceEvent: Sendable {
  /// A fix, checked and normalised, in the order of arrival.
  case location(Location)
  /// The state of GeoClue and its sources has changed.
  case status(UpstreamStatus)
  /// The authorization has changed.
  case authorization(Authorization)
  /// A failure; the source continues.
  case failure(LocationError)
}
