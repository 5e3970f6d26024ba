// SPDX-License-Identifier: Apache-2.0
/// What a client asks for: the options of the contract's methods, each with its default.
///
/// Which method takes which option, and what is said about it, is in the table ``ClientOption``.
public struct ClientOptions: Hashable, Sendable {
  /// The level asked for; what is granted may be coarser.
  public var accuracy = AccuracyLevel.exact
  /// The name of the client's desktop file.
  public var desktopID = ""
  /// Metres from the last update sent; 0 lets every location pass.
  public var distanceThreshold = 0.0
  /// Metres that the accuracy of a location may have at most; 0 accepts every location.
  public var requiredAccuracy = 0.0
  /// Whether a call whose time is over returns the best location that was seen, though its accuracy is not as required.
  public var isBestEffort = false
  /// Which changes a subscription is told.
  public var mode = DeliveryMode.continuous
  /// Milliseconds between two updates at least.
  public var timeThreshold: UInt32 = 0
  /// Milliseconds of quiet before an update.
  public var debounce: UInt32 = 0
  /// Updates until a subscription is complete; 0 for no end.
  public var maximumUpdates: UInt32 = 0
  /// Milliseconds from the first start until a subscription is complete; 0 for no end.
  public var duration: UInt32 = 0
  /// Milliseconds that a one-shot call waits.
  public var timeout: UInt32 = 20_000
  /// Milliseconds that a cached location may be old to be returned at once.
  public var maximumAge = ClientOptions.defaultMaximumAge

  /// Milliseconds.
  public static let defaultMaximumAge: UInt32 = 30_000

  /// Everything at its default.
  public init() {}
}

/// Which changes of the location a subscription is told; the raw values are those of the option `mode`.
public enum DeliveryMode: String, CaseIterable, Sendable {
  /// Every one that the thresholds let pass.
  case continuous
  /// Only those that matter for weather, sun and time zones; the source is used a few times an hour.
  case significant
}
