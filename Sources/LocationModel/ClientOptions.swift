// SPDX-License-Identifier: Apache-2.0
/// The options of the contract's methods with their defaults.
///
/// `ClientOption` defines which method accepts which option.
public struct ClientOptions: Hashable, Sendable {
  /// The requested level. The granted level may be coarser.
  public var accuracy = AccuracyLevel.exact
  /// The name of the client's desktop file.
  public var desktopID = ""
  /// The minimum distance from the last update sent, in metres. 0 passes every location.
  public var distanceThreshold = 0.0
  /// The maximum accuracy radius of a location, in metres. 0 accepts every location.
  public var requiredAccuracy = 0.0
  /// Whether a call returns the best location seen, instead of timing out, if none is as accurate as required.
  public var isBestEffort = false
  /// Which changes a subscription receives.
  public var mode = DeliveryMode.continuous
  /// The minimum time between two updates.
  public var timeThreshold = Duration.zero
  /// The quiet time required before an update.
  public var debounce = Duration.zero
  /// The number of updates after which a subscription is complete. 0 means unlimited.
  public var maximumUpdates: UInt32 = 0
  /// The time from the first start after which a subscription is complete. Zero means unlimited.
  public var duration = Duration.zero
  /// How long a one-shot call waits.
  public var timeout = Duration.seconds(20)
  /// The maximum age of a cached location that is returned immediately.
  public var maximumAge = ClientOptions.defaultMaximumAge

  /// The circle of a region and how to monitor it.
  public var region = RegionOptions()
  /// How an almanac divides the day.
  public var almanac = AlmanacOptions()

  /// The default maximum age.
  public static let defaultMaximumAge = Duration.seconds(30)

  /// Creates options with their defaults.
  public init() {}
}

/// The location changes that a subscription receives. Raw values as in the option `mode`.
public enum DeliveryMode: String, CaseIterable, Sendable {
  /// Every change that passes the thresholds.
  case continuous
  /// Only changes that matter for weather, sun and time zones. The source is used a few times an hour.
  case significant
}
