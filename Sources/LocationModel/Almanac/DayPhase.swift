// SPDX-License-Identifier: Apache-2.0
/// The parts of a solar day. Raw values as in `Phase` of the contract.
public enum DayPhase: String, CaseIterable, Sendable {
  /// The sun is above the horizon.
  case day
  /// The sun is between the horizon and the limit of the night, and sinks.
  case twilightEvening = "twilight-evening"
  /// The sun is below the limit of the night.
  case night
  /// The sun is between the limit of the night and the horizon, and rises.
  case twilightMorning = "twilight-morning"
  /// The sun stays above the horizon for the whole solar day.
  case polarDay = "polar-day"
  /// The sun stays below the limit of the night for the whole solar day.
  case polarNight = "polar-night"
}

/// Where night begins. Raw values as in the option `twilight`.
public enum Twilight: String, CaseIterable, Sendable {
  /// As soon as the upper edge of the sun is at the horizon: there is no twilight.
  case sunset
  /// 6° below the horizon: outdoors, one needs light from now on.
  case civil
  /// 12° below the horizon: at sea, the horizon is no longer visible.
  case nautical
  /// 18° below the horizon: the sky is as dark as it gets.
  case astronomical

  /// The altitude of the sun's centre in degrees at which night begins.
  package var altitude: Double {
    switch self {
    // Refraction and half the disc.
    case .sunset: -50.0 / 60
    case .civil: -6
    case .nautical: -12
    case .astronomical: -18
    }
  }
}

/// How an almanac divides the day.
public struct AlmanacOptions: Hashable, Sendable {
  /// The offsets that are allowed, in seconds.
  public static let offsets = -21_600...21_600

  /// Where night begins.
  public var twilight = Twilight.civil
  /// The seconds by which day and the twilight before it begin later, negative for earlier, within ``offsets``.
  public var dayOffset = 0
  /// The seconds by which the twilight after day and night begin later, negative for earlier, within ``offsets``.
  public var nightOffset = 0

  /// Creates options with their defaults.
  public init() {}
}
