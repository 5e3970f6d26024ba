// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// Reads NMEA 0183: GGA (position, altitude, dilution), RMC (position, speed, course) and GST (error) from any talker.
///
/// Sentences with the same time of day form one fix. Damaged sentences are skipped; those without a fix end a segment.
nonisolated enum NMEAReader {
  static func read(_ text: String) -> [Track.Measurement] {
    var epochs: [(clock: Int64, fix: Location, startsSegment: Bool)] = []
    var error: ErrorEstimate?
    // The time of a sentence without a fix, if a whole epoch may be without one.
    var void: Int64?
    for line in text.split(whereSeparator: \.isNewline) {
      guard let fields = fields(of: line) else { continue }
      if let sentence = Sentence(fields) {
        if let last = epochs.last, last.clock == sentence.clock {
          epochs[epochs.count - 1].fix = sentence.merged(into: last.fix)
        } else {
          let isAfterVoid = void.map { $0 != sentence.clock } ?? false
          epochs.append((sentence.clock, sentence.merged(into: nil), isAfterVoid))
          void = nil
        }
      } else if let clock = Sentence.void(fields), clock != epochs.last?.clock {
        void = clock
      } else if let estimate = ErrorEstimate(fields) {
        error = estimate
      }
      // The receiver's own estimate of the error is more accurate than one from the dilution.
      if let error, error.clock == epochs.last?.clock { epochs[epochs.count - 1].fix.accuracy = error.metres }
    }
    var midnights: Int64 = 0
    var last: Int64 = 0
    return epochs.map { epoch in
      // GGA has no date, so a clock that goes back by more than half a day has passed midnight.
      if epoch.clock < last - Self.day / 2 { midnights += 1 }
      last = epoch.clock
      return Track.Measurement(
        fix: epoch.fix, time: epoch.clock + midnights * Self.day, startsSegment: epoch.startsSegment)
    }
  }

  private static let day: Int64 = 86_400_000_000

  /// Returns the fields of a sentence, or nil if it has a wrong checksum.
  private static func fields(of line: Substring) -> [Substring]? {
    guard let start = line.firstIndex(of: "$") else { return nil }
    let sentence = line[line.index(after: start)...].prefix { !$0.isWhitespace }
    let parts = sentence.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let sum = UInt8(parts[1], radix: 16), parts[0].utf8.reduce(0, ^) == sum else { return nil }
    }
    return parts.first?.split(separator: ",", omittingEmptySubsequences: false)
  }

  private static func number(_ field: Substring) -> Double? { Double(field).flatMap { $0.isFinite ? $0 : nil } }

  /// Parses `HHMMSS.SSS` to microseconds since midnight.
  private static func clock(_ field: Substring) -> Int64? {
    guard field.utf8.count >= 6, let hours = Int64(field.prefix(2)), let minutes = Int64(field.dropFirst(2).prefix(2)),
      let seconds = Double(field.dropFirst(4)), (0..<24).contains(hours), (0..<60).contains(minutes),
      (0..<61).contains(seconds)
    else { return nil }
    return (hours * 3_600 + minutes * 60) * 1_000_000 + Int64((seconds * 1_000_000).rounded())
  }

  /// A GST sentence: the standard deviations of latitude and longitude at a time.
  private struct ErrorEstimate {
    let clock: Int64
    /// The root of the sum of both squares, in metres.
    let metres: Double

    init?(_ fields: [Substring]) {
      guard fields.first?.suffix(3) == "GST", fields.count >= 8, let clock = NMEAReader.clock(fields[1]),
        let north = NMEAReader.number(fields[6]), let east = NMEAReader.number(fields[7]), north >= 0, east >= 0
      else { return nil }
      self.clock = clock
      metres = (north * north + east * east).squareRoot()
    }
  }

  private struct Sentence {
    let clock: Int64
    private var fix: Location

    init?(_ fields: [Substring]) {
      guard let kind = fields.first?.suffix(3) else { return nil }
      switch kind {
      case "GGA" where fields.count >= 10 && fields[6] != "0" && !fields[6].isEmpty:
        self.init(fields, place: 2)
        fix.altitude = NMEAReader.number(fields[9])
        fix.accuracy = NMEAReader.number(fields[8]).map(Dilution.accuracy)
      case "RMC" where fields.count >= 9 && fields[2] == "A":
        self.init(fields, place: 3)
        // In knots.
        fix.speed = NMEAReader.number(fields[7]).map { $0 * 1852 / 3600 }
        fix.heading = NMEAReader.number(fields[8])
      default: return nil
      }
    }

    /// Returns the time of a sentence that reports that there is no fix, or -1 if the sentence has no time; nil for any
    /// other.
    static func void(_ fields: [Substring]) -> Int64? {
      switch fields.first?.suffix(3) {
      case "GGA" where fields.count >= 7 && fields[6] == "0", "RMC" where fields.count >= 3 && fields[2] == "V":
        NMEAReader.clock(fields[1]) ?? -1
      default: nil
      }
    }

    private init?(_ fields: [Substring], place: Int) {
      guard let clock = NMEAReader.clock(fields[1]),
        let latitude = Sentence.angle(fields[place], fields[place + 1], negative: "S"),
        let longitude = Sentence.angle(fields[place + 2], fields[place + 3], negative: "W")
      else { return nil }
      self.clock = clock
      fix = Location(latitude: latitude, longitude: longitude)
    }

    func merged(into earlier: Location?) -> Location {
      var merged = earlier ?? fix
      merged.altitude = fix.altitude ?? merged.altitude
      merged.accuracy = fix.accuracy ?? merged.accuracy
      merged.speed = fix.speed ?? merged.speed
      merged.heading = fix.heading ?? merged.heading
      return merged
    }

    /// Parses `DDMM.MMMM` and its hemisphere to degrees.
    private static func angle(_ field: Substring, _ hemisphere: Substring, negative: Substring) -> Double? {
      guard let number = Double(field), number.isFinite, (0..<100_000).contains(number) else { return nil }
      let degrees = (number / 100).rounded(.down)
      let angle = degrees + (number - degrees * 100) / 60
      return hemisphere == negative ? -angle : angle
    }
  }
}

/// Derives an accuracy from a receiver's dilution of precision.
nonisolated enum Dilution {
  /// Returns the accuracy in metres that GeoClue derives from the horizontal dilution, so that a replay reports the
  /// same as a receiver.
  static func accuracy(_ dilution: Double) -> Double {
    switch dilution {
    case ...1: 0
    case ...2: 1
    case ...5: 3
    case ...10: 50
    case ...20: 100
    default: 300
    }
  }
}
