// SPDX-License-Identifier: Apache-2.0
/// How a region is monitored. Times are milliseconds.
public struct RegionConfiguration: Hashable, Sendable {
  /// The circle.
  public var region: CircularRegion
  /// How long a change must persist before it is committed.
  public var confirm: UInt32 = 20_000
  /// How long a stay lasts before ``RegionEvent/Kind/dwelled``; 0 for never.
  public var dwell: UInt32 = 0
  /// How long without evidence before ``RegionEvent/Kind/lost``.
  public var unknownAfter: UInt32 = 900_000
  /// What the program remembers from its last run.
  public var assumed = RegionState.unknown
  /// Whether the first ``RegionEvent/Kind/entered`` or ``RegionEvent/Kind/exited`` ends the monitoring.
  public var isSingleUse = false

  /// Monitors a circle with the defaults of the D-Bus contract.
  public init(_ region: CircularRegion) { self.region = region }
}
