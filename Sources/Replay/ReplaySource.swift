// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// A recorded track as a source of locations, for trying programs without moving: every location is marked as simulated.
///
/// It moves while somebody listens and stands still otherwise, so that a program under test misses nothing. Each fix has
/// the time at which it is replayed, not the recorded one.
public final class ReplaySource: LocationSource {
  public var onEvent: ((LocationSourceEvent) -> Void)?

  private var playback: Playback
  private var timer: LoopSource?
  private var isListenedTo = false

  /// Plays the track so many times faster than it was recorded; with `isLoop`, from the beginning after its end.
  public init(_ track: Track, speed: Double = 1, isLoop: Bool = false) {
    playback = Playback(track, speed: speed, isLoop: isLoop)
  }

  public func require(_ level: AccuracyLevel?) {
    guard (level != nil) != isListenedTo else { return }
    isListenedTo = level != nil
    guard isListenedTo else {
      timer = nil
      onEvent?(.status(UpstreamStatus(availableAccuracy: .exact)))
      return
    }
    // On the next turn: who asks does not expect an answer before the call has returned.
    timer = MainLoop.main.nextTurn { [weak self] in
      self?.onEvent?(.authorization(.authorized(.always)))
      self?.onEvent?(.status(UpstreamStatus(state: .running, availableAccuracy: .exact)))
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
          try LocationValidator.location(
            from: fix, receivedAt: clock.boottime(), wallClock: now, isSimulated: true)))
    } catch {
      onEvent?(
        .failure(LocationError(.locationUnknown, "The track has a point that cannot be true (\(error.rawValue))")))
    }
  }
}
