// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// A recorded track: fixes with the time since the first one.
nonisolated public struct Track: Sendable {
  public struct Point: Sendable {
    /// The measurement. Its timestamp is replaced by that of the replay.
    public let fix: Location
    /// Microseconds since the start of the track. Never decreases from one point to the next.
    public let offset: Int64
    /// Whether the file says when it was measured.
    public let isTimed: Bool
    /// Whether fixes before it are missing.
    public let startsSegment: Bool

    public init(fix: Location, offset: Int64, isTimed: Bool = true, startsSegment: Bool = false) {
      self.fix = fix
      self.offset = offset
      self.isTimed = isTimed
      self.startsSegment = startsSegment
    }
  }

  /// The points in order, at least one.
  public let points: [Point]

  /// Creates a track that stays at one place.
  public init(at place: Location) { points = [Point(fix: place, offset: 0)] }

  /// A fix from a file.
  struct Measurement {
    var fix: Location
    /// If recorded, when it was measured, in microseconds of any clock.
    var time: Int64?
    var startsSegment = false
  }

  /// The time between two points without times, in microseconds.
  static let step: Int64 = 1_000_000

  /// Creates a track from the contents of a file, or returns nil if there are none. A time that goes back, for instance
  /// when a receiver starts, is ignored.
  init?(_ measurements: [Measurement]) {
    guard !measurements.isEmpty else { return nil }
    var points: [Point] = []
    var last: (offset: Int64, time: Int64?) = (0, nil)
    for measurement in measurements {
      var offset = points.isEmpty ? 0 : last.offset.addingClamped(Self.step)
      if let time = measurement.time, let before = last.time, time >= before {
        offset = last.offset.addingClamped(time.subtractingClamped(before))
      }
      points.append(
        Point(
          fix: measurement.fix, offset: offset, isTimed: measurement.time != nil,
          startsSegment: measurement.startsSegment))
      last = (offset, measurement.time ?? last.time.map { $0.addingClamped(Self.step) })
    }
    self.points = points
  }
}

/// A file with a recorded track, in GPX, GeoJSON or NMEA 0183.
nonisolated public enum TrackFile {
  static let formats = "GPX, GeoJSON or NMEA 0183"

  /// Why a file could not be read as a track.
  public struct Failure: Error, CustomStringConvertible {
    /// The file and what is wrong with it, as a sentence.
    public let description: String
  }

  /// Parses the text of a file, whose format is detected from its content. Throws if it is malformed or contains no
  /// points.
  ///
  /// - Parameter path: The file's name in messages.
  public static func track(in text: String, from path: String) throws(Failure) -> Track {
    let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    let first = text.first { !$0.isWhitespace }
    let measurements: [Track.Measurement]
    do throws(MalformedTrack) {
      switch first {
      case "<": measurements = try GPXReader.read(text)
      case "{": measurements = try GeoJSONReader.read(text)
      default: measurements = NMEAReader.read(text)
      }
    } catch {
      throw Failure(description: "\(path): \(error.message)")
    }
    if let track = Track(measurements) { return track }
    throw Failure(description: "\(path): no track points found (expected \(formats))")
  }
}

/// The reason why the text of a track is invalid.
nonisolated struct MalformedTrack: Error { let message: String }

/// A recorded track as a source of locations, for testing programs without moving. Every location is marked as
/// simulated.
///
/// The replay runs only while there are subscribers, so that a program under test misses nothing, and never rests. Each
/// fix has the time of its replay, not the recorded one.
public final class ReplaySource: LocationSource {
  public var onEvent: ((LocationSourceEvent) -> Void)?

  private var playback: Playback
  private var timer: LoopSource?
  private var isListenedTo = false
  private var starts: UInt64 = 0

  /// Plays the track `speed` times faster than it was recorded. With `isLoop`, it starts over at the end.
  public init(_ track: Track, speed: Double = 1, isLoop: Bool = false) {
    playback = Playback(track, speed: speed, isLoop: isLoop)
  }

  public var isReleasedToRest: Bool { false }

  public func require(_ level: AccuracyLevel?) {
    guard (level != nil) != isListenedTo else { return }
    isListenedTo = level != nil
    guard isListenedTo else {
      timer = nil
      onEvent?(.status(SourceStatus(availableAccuracy: .exact)))
      return
    }
    // Begin on the next turn, because the caller does not expect events before this call returns.
    starts &+= 1
    timer = MainLoop.main.nextTurn { [weak self, starts] in
      guard let self else { return }
      let status = SourceStatus(state: .running, availableAccuracy: .exact)
      for event in [.authorization(.authorized(.always)), .status(status)] as [LocationSourceEvent] {
        onEvent?(event)
        // The event may have ended this replay, and begun another.
        guard isListenedTo, self.starts == starts else { return }
      }
      playback.begin(at: MainLoop.main.clock.monotonic())
      play()
    }
  }

  private func play() {
    // Before the location, which may end this replay or begin another. A timer that is late does not delay the next
    // point. At least 1 ms, which clients can follow.
    let due = max(playback.due, MainLoop.main.clock.monotonic() + .milliseconds(1))
    timer = MainLoop.main.at(due) { [weak self] in
      self?.playback.advance()
      self?.play()
    }
    tell()
  }

  private func tell() {
    let clock = MainLoop.main.clock
    let now = Timestamp(microsecondsSinceEpoch: clock.realtime())
    var fix = playback.point.fix
    fix.timestamp = now
    fix.source = .replay
    do throws(FixRejection) {
      onEvent?(
        .location(
          try LocationValidator.location(from: fix, receivedAt: clock.boottime(), wallClock: now, isSimulated: true)))
    } catch {
      onEvent?(.failure(LocationError(.locationUnknown, "The track contains an invalid point (\(error.rawValue))")))
    }
  }
}

/// The state machine of a replay: its position on the track and when the next point is due.
nonisolated struct Playback {
  private let track: Track
  private let speed: Double
  private let isLoop: Bool
  private var index = 0
  /// When the track began, so that late points do not delay all that follow.
  private var start = MonotonicInstant.origin

  /// - Parameter speed: How many times faster than recorded, greater than 0.
  init(_ track: Track, speed: Double, isLoop: Bool) {
    self.track = track
    self.speed = speed
    self.isLoop = isLoop
  }

  var point: Track.Point { track.points[index] }

  /// Begins at the current point.
  mutating func begin(at now: MonotonicInstant) { start = now - time(of: index) }

  /// When the next point is due. After the last point of a track or of a round, this is one second later, as with a
  /// stationary receiver.
  var due: MonotonicInstant {
    let next = index + 1
    let wait = next < track.points.count ? time(of: next) : time(of: index) + .microseconds(Track.step)
    return start + wait
  }

  /// Advances to the next point. At the end of the track, starts over if it is a loop, otherwise stays.
  mutating func advance() {
    if index + 1 < track.points.count {
      index += 1
    } else {
      let end = due
      if isLoop { index = 0 }
      begin(at: end)
    }
  }

  /// The time from the start to a point in the replay.
  private func time(of index: Int) -> Duration {
    // At most the longest time that a timer can represent.
    .microseconds(Int64(min(Double(track.points[index].offset) / speed, 1e15)))
  }
}
