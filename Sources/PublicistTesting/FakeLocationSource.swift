// SPDX-License-Identifier: Apache-2.0
@_exported import Publicist
@_exported import PublishingTesting

/// A source of locations under a test's control, which records what its manager requires.
public final class FakeLocationSource: LocationSource {
  public var onEvent: ((LocationSourceEvent) -> Void)?
  /// The required levels, in order; nil where nothing was required.
  public private(set) var required: [AccuracyLevel?] = []
  /// How often a new measurement was requested.
  public private(set) var refreshes = 0
  /// How often measurements were requested because earlier ones may be invalid.
  public private(set) var startOvers = 0
  /// How often the source was released for a while.
  public private(set) var rests = 0
  /// The requests for permission; true where a dialog may be shown.
  public private(set) var authorizationRequests: [Bool] = []

  /// Creates a source that is silent until the test sends something.
  public init() {}

  /// The level that is required now, or nil.
  public var level: AccuracyLevel? { required.last ?? nil }

  /// Sends a location, an authorization, a status or a failure to the manager.
  public func send(_ event: LocationSourceEvent) { onEvent?(event) }

  public func require(_ level: AccuracyLevel?) { required.append(level) }
  public func refresh() { refreshes += 1 }
  public func startOver() { startOvers += 1 }
  public func requestAuthorization(isInteractive: Bool) { authorizationRequests.append(isInteractive) }

  public func rest() {
    required.append(nil)
    rests += 1
  }
}
