// SPDX-License-Identifier: Apache-2.0
/// The settings with which a region is monitored. Times are in milliseconds.
public struct RegionConfiguration: Hashable, Sendable {
  /// The circle.
  public var region: CircularRegion
  /// Milliseconds for which a change must persist before it is reported.
  public var confirm: UInt32 = 20_000
  /// Milliseconds that a stay lasts before ``RegionEvent/Kind/dwelled``; 0 for never.
  public var dwell: UInt32 = 0
  /// Milliseconds without evidence before ``RegionEvent/Kind/lost``.
  public var unknownAfter: UInt32 = 900_000
  /// The state that the program remembers from its last run.
  public var assumed = RegionState.unknown
  /// Whether the first ``RegionEvent/Kind/entered`` or ``RegionEvent/Kind/exited`` ends the monitoring.
  public var isSingleUse = false

  /// Monitors a circle with the defaults of the D-Bus contract.
  public init(_ region: CircularRegion) { self.region = region }
}
