// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// A recorded track as a source of locations, for testing programs without moving. Every location is marked as
/// simulated.
///
/// The replay runs only while there are subscribers, so that a program under test misses nothing. Each fix has the time
/// of its replay, not the recorded one.
public final class ReplaySource: LocationSource {
  public var onEvent: ((LocationSourceEvent) -> Void)?

  private var playback: Playback
  private var timer: LoopSource?
  private var isListenedTo = false

  /// Plays the track `speed` times faster than it was recorded. With `isLoop`, it starts over at the end.
  public init(_ track: Track, speed: Double = 1, isLoop: Bool = false) {
    playback = Playback(track, speed: speed, isLoop: isLoop)
  }

  public func require(_ level: AccuracyLevel?) {
    guard (level != nil) != isListenedTo else { return }
    isListenedTo = level != nil
    guard isListenedTo else {
      timer = nil
      onEvent?(.status(SourceStatus(availableAccuracy: .exact)))
      return
    }
    // On the next turn, because the caller does not expect events before this call returns.
    timer = MainLoop.main.nextTurn { [weak self] in
      self?.onEvent?(.authorization(.authorized(.always)))
      self?.onEvent?(.status(SourceStatus(state: .running, availableAccuracy: .exact)))
      self?.play()
    }
  }

  private func play() {
    tell()
    guard isListenedTo else { return }
    timer = MainLoop.main.after(microseconds: playback.stay) { [weak self] in
      self?.playback.advance()
      self?.play()
    }
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

/// The state machine of a replay: its position on the track and how long it stays there.
nonisolated struct Playback {
  private let track: Track
  private let speed: Double
  private let isLoop: Bool
  private var index = 0

  /// - Parameter speed: How many times faster than recorded, greater than 0.
  init(_ track: Track, speed: Double, isLoop: Bool) {
    self.track = track
    self.speed = speed
    self.isLoop = isLoop
  }

  var point: Track.Point { track.points[index] }

  /// How long to stay at the current point, in microseconds. At the end and between rounds it is one second, like a
  /// stationary receiver.
  var stay: Int64 {
    let next = index + 1
    guard next < track.points.count else { return Track.step }
    let recorded = Double(track.points[next].offset.subtractingClamped(point.offset)) / speed
    // At least 1 ms, which clients can follow, and at most what a timer can represent.
    return Int64(min(max(recorded, 1_000), 1e15))
  }

  /// Advances to the next point. At the end of the track, starts over if it is a loop, otherwise stays.
  mutating func advance() {
    if index + 1 < track.points.count {
      index += 1
    } else if isLoop {
      index = 0
    }
  }
}
