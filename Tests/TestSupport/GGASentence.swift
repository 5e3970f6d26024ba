// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A fix as a GPS receiver says it: the NMEA 0183 sentence GGA.
public struct GGASentence {
  /// Degrees, north positive, as the sentence says them: rounded to 1e-7 minutes, which is 1.7e-9 degrees.
  public var latitude: Double
  /// Degrees, east positive, rounded as the latitude.
  public var longitude: Double
  /// Metres above the sea.
  public var altitude: Double
  /// Horizontal dilution of precision. GeoClue makes an accuracy of it: 1 becomes 0 m, 4 becomes 3 m.
  public var dilution: Double
  public var time: Date

  public init(latitude: Double, longitude: Double, altitude: Double = 34.5, dilution: Double = 1, time: Date = Date()) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.dilution = dilution
    self.time = time
  }

  /// The sentence with its checksum and line end.
  public var text: String {
    let body = [
      "GPGGA", clock, angle(latitude, digits: 2), latitude < 0 ? "S" : "N", angle(longitude, digits: 3),
      longitude < 0 ? "W" : "E", "1", "08", String(format: "%.1f", dilution), String(format: "%.1f", altitude), "M",
      "46.9", "M", "", "",
    ].joined(separator: ",")
    let checksum = body.utf8.reduce(0, ^)
    return "$\(body)*\(String(format: "%02X", checksum))\r\n"
  }

  private var clock: String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0)!
    let parts = calendar.dateComponents([.hour, .minute, .second, .nanosecond], from: time)
    return String(
      format: "%02d%02d%02d.%02d", parts.hour!, parts.minute!, parts.second!, parts.nanosecond! / 10_000_000)
  }

  /// Degrees and minutes without anything between them.
  private func angle(_ degrees: Double, digits: Int) -> String {
    // In whole steps, so that no rounding makes 60 minutes.
    let steps = Int((abs(degrees) * 600_000_000).rounded())
    let (whole, minutes) = steps.quotientAndRemainder(dividingBy: 600_000_000)
    return String(format: "%0\(digits)d%02d.%07d", whole, minutes / 10_000_000, minutes % 10_000_000)
  }
}
