// SPDX-License-Identifier: Apache-2.0
/// Where a `LocationManager` has its locations from: GeoClue, a recorded track, a script in a test.
@MainActor public protocol LocationSource: AnyObject {
  /// Hears everything that the source has to tell, in order.
  var onEvent: ((LocationSourceEvent) -> Void)? { get set }

  /// How long the source is kept when nothing needs it any more, microseconds: 0 unless setting it up again costs much.
  var linger: UInt64 { get }

  /// The level that is needed from now on, or nil when nobody listens; then the source holds nothing.
  func require(_ level: AccuracyLevel?)

  /// Holds nothing for a while, as with no level, but goes on to tell what is allowed: clients still wait for the next
  /// location.
  func rest()

  /// Hands over the current location once more, though nothing may have changed: a source whose place does not change
  /// is silent. A source that is waiting to try again tries sooner.
  func refresh()

  /// Measures anew, because what was measured so far is worth nothing any more; the machine may have slept.
  func startOver()

  /// Has the user asked for permission, if the source can do that; the answer is an event like any other.
  ///
  /// - Parameter isInteractive: Whether a dialog may be shown.
  func requestAuthorization(isInteractive: Bool)
}

/// A source that never falls silent and keeps nothing need not do anything here.
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
}

/// What a source tells.
public enum LocationSourceEvent: Sendable {
  /// A fix, checked and normalised, in the order of arrival.
  case location(Location)
  /// What is known of GeoClue and its sources has changed.
  case status(UpstreamStatus)
  /// What GeoClue allows has changed.
  case authorization(Authorization)
  /// Something went wrong; more may follow all the same.
  case failure(LocationError)
}
