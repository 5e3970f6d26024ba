// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// NMEA 0183 as receivers write it: GGA and RMC for each fix.
nonisolated struct NMEAFormat: TrackFormat {
  let header = ""
  let trailer = ""

  /// The last line must end in a checksum, so that a file of another format is not damaged.
  mutating func resume(after text: String) -> Bool {
    let line = text.utf8.reversed().drop { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return text.utf8.last == UInt8(ascii: "\n") && line.dropFirst(2).first == UInt8(ascii: "*")
  }

  mutating func entry(_ location: Location) -> String {
    let clock = Moment.utc(location.timestamp, "%H%M%S") + "." + hundredths(location.timestamp)
    let place = [
      angle(location.latitude, digits: 2), location.latitude < 0 ? "S" : "N",
      angle(location.longitude, digits: 3), location.longitude < 0 ? "W" : "E",
    ]
    let altitude = location.altitude.map { [Number.fixed($0, 1), "M"] } ?? ["", ""]
    let speed = location.speed.map { Number.fixed($0 * 3600 / 1852, 2) } ?? ""
    let heading = location.heading.map { Number.fixed($0, 1) } ?? ""
    // 8 and S mark simulated fixes.
    let quality = location.isSimulated ? "8" : "1"
    return sentence(["GPGGA", clock] + place + [quality, "", ""] + altitude + ["", "", "", ""])
      + sentence(
        ["GPRMC", clock, "A"] + place + [speed, heading, Moment.utc(location.timestamp, "%d%m%y"), "", ""]
          + [location.isSimulated ? "S" : "A"])
  }

  private func hundredths(_ time: Timestamp) -> String { String(String(time.microseconds / 10_000 + 100).dropFirst()) }

  private func sentence(_ fields: [String]) -> String {
    let body = fields.joined(separator: ",")
    let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(checksum.utf8.count < 2 ? "0" : "")\(checksum)\r\n"
  }

  /// Writes degrees and minutes without a separator.
  private func angle(_ degrees: Double, digits: Int) -> String {
    // Rounded before the division, so that the minutes are never 60.
    let steps = Int64((abs(degrees) * 600_000_000).rounded())
    let (whole, minutes) = steps.quotientAndRemainder(dividingBy: 600_000_000)
    func padded(_ number: Int64, _ digits: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return padded(whole, digits) + padded(minutes / 10_000_000, 2) + "." + padded(minutes % 10_000_000, 7)
  }
}
