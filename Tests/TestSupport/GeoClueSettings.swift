// SPDX-License-Identifier: Apache-2.0
/// GeoClue's settings for a test that writes its own.
public nonisolated enum GeoClueSettings {
  /// Without any source but a receiver, or without any.
  ///
  /// - Parameters:
  ///   - receiver: Whether NMEA is read.
  ///   - more: Further groups.
  public static func offline(receiver: Bool, _ more: String = "") -> String {
    """
    [agent]
    whitelist=geoclue-demo-agent
    [network-nmea]
    enable=\(receiver)
    [3g]
    enable=false
    [cdma]
    enable=false
    [modem-gps]
    enable=false
    [wifi]
    enable=false
    \(more)

    """
  }
}
