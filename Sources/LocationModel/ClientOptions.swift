// SPDX-License-Identifier: Apache-2.0
/// The options of the contract's methods, each with its default.
///
/// The table ``ClientOption`` says which method takes which option.
public struct ClientOptions: Hashable, Sendable {
  /// The requested level; the granted one may be coarser.
  public var accuracy = AccuracyLevel.exact
  /// The name of the client's desktop file.
  public var desktopID = ""
  /// Least distance from the last update sent, in metres; 0 passes every location.
  public var distanceThreshold = 0.0
  /// Largest accuracy radius of a location, in metres; 0 accepts every location.
  public var requiredAccuracy = 0.0
  /// Whether a call returns the best location seen instead of timing out when none is as accurate as required.
  public var isBestEffort = false
  /// Which changes a subscription receives.
  public var mode = DeliveryMode.continuous
  /// Least time between two updates, in milliseconds.
  public var timeThreshold: UInt32 = 0
  /// Quiet time before an update, in milliseconds.
  public var debounce: UInt32 = 0
  /// Updates until a subscription is complete; 0 for no end.
  public var maximumUpdates: UInt32 = 0
  /// Milliseconds from the first start until a subscription is complete; 0 for no end.
  public var duration: UInt32 = 0
  /// How long a one-shot call waits, in milliseconds.
  public var timeout: UInt32 = 20_000
  /// Age up to which a cached location is returned at once, in milliseconds.
  public var maximumAge = ClientOptions.defaultMaximumAge

  /// The circle of a region, and how it is monitored.
  public var region = RegionOptions()

  /// Milliseconds.
  public static let defaultMaximumAge: UInt32 = 30_000

  /// Everything at its default.
  public init() {}
}

/// Which changes of the location a subscription receives; the raw values are those of the option `mode`.
public enum DeliveryMode: String, CaseIterable, Sendable {
  /// Every change that passes the thresholds.
  case continuous
  /// Only changes that matter for weather, sun and time zones; the source is used a few times an hour.
  case significant
}
