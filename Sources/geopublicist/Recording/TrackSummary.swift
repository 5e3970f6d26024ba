// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistProcessSupport
import GeopublicistReplay

/// The length, duration, speed and climb of a track.
nonisolated struct TrackSummary: Equatable {
  /// Changes of altitude below this, in metres, are noise.
  private static let noise = 5.0

  private(set) var count = 0
  private(set) var metres = 0.0
  private(set) var seconds = 0.0
  /// The sum of all ascents, in metres; nil without altitudes.
  private(set) var climb: Double?
  private(set) var descent: Double?

  /// Measures the segments of a track; the gaps between them count neither in the length nor in the duration.
  init(_ pieces: [[Location]]) {
    for piece in pieces {
      count += piece.count
      let times = piece.map(\.timestamp.microsecondsSinceEpoch)
      if let first = times.min(), let last = times.max() { seconds += Double(last - first) / 1_000_000 }
      for (location, next) in zip(piece, piece.dropFirst()) { metres += location.distance(to: next) }
      measureClimb(piece)
    }
  }

  /// The average in metres per second.
  var speed: Double? { seconds > 0 ? metres / seconds : nil }

  private mutating func measureClimb(_ piece: [Location]) {
    var reference: Double?
    for altitude in piece.compactMap(\.altitude) {
      guard let last = reference else {
        reference = altitude
        climb = climb ?? 0
        descent = descent ?? 0
        continue
      }
      guard abs(altitude - last) >= Self.noise else { continue }
      if altitude > last { climb = (climb ?? 0) + altitude - last } else { descent = (descent ?? 0) + last - altitude }
      reference = altitude
    }
  }

  var rows: Rows {
    var rows = Rows()
    rows.add(tr("Fixes"), "\(count)")
    rows.add(tr("Length"), Self.text(metres: metres))
    rows.add(tr("Duration"), seconds > 0 ? Self.text(seconds: seconds) : nil)
    rows.add(tr("Speed"), speed.map { "\(Number.short($0, 1)) m/s (\(Number.short($0 * 3.6, 1)) km/h)" })
    rows.add(tr("Climb"), climb.map { Number.fixed($0, 0) + " m" })
    rows.add(tr("Descent"), descent.map { Number.fixed($0, 0) + " m" })
    return rows
  }

  func json(of file: String) -> String {
    let optional: [(String, Double?)] = [("Speed", speed), ("Climb", climb), ("Descent", descent)]
    return JSONText.object(
      [
        ("File", .string(file)), ("Fixes", .uint64(UInt64(count))), ("Metres", .double(metres.rounded())),
        ("Seconds", .double(seconds)),
      ] + optional.compactMap { name, value in value.map { (name, .double(($0 * 10).rounded() / 10)) } })
  }

  static func text(metres: Double) -> String {
    metres < 1_000 ? "\(Number.fixed(metres, 0)) m" : "\(Number.short(metres / 1_000, 2)) km"
  }

  static func text(seconds: Double) -> String {
    // A file may say anything.
    Quantity.text(milliseconds: UInt64(min(max(seconds, 0).rounded(), 1e12)) * 1_000)
  }
}

enum RecordedTrack {
  /// Returns the segments of a file; the timestamps of their fixes count from the first fix. A fix without time has that
  /// of the one before.
  static func read(_ path: String) throws -> [[Location]] {
    let track = try TrackFile.track(in: try TextFile.contents(of: path), from: path)
    var segments: [[Track.Point]] = [[]]
    for point in track.points {
      if point.startsSegment { segments.append([]) }
      segments[segments.count - 1].append(point)
    }
    return segments.map { points in
      var time = points.first(where: \.isTimed)?.offset ?? 0
      return points.map { point in
        if point.isTimed { time = point.offset }
        var location = point.fix
        location.timestamp = Timestamp(microsecondsSinceEpoch: UInt64(clamping: time))
        return location
      }
    }
  }
}
