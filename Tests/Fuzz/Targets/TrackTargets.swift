// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

@testable import GeopublicistReplay

/// Fuzzes tracks in NMEA 0183.
func fuzzNMEA(_ source: ByteSource) { play(NMEAReader.read(String(decoding: source.remainder(), as: UTF8.self)), 1) }

/// Fuzzes tracks in GPX.
func fuzzGPX(_ source: ByteSource) {
  guard let points = try? GPXReader.read(String(decoding: source.remainder(), as: UTF8.self)) else { return }
  play(points, 0.001)
}

/// Checks that a track can be replayed: time does not go back.
private func play(_ measurements: [Track.Measurement], _ speed: Double) {
  guard let track = Track(measurements) else { return }
  var (last, due) = (Int64(0), MonotonicInstant.distantPast)
  var playback = Playback(track, speed: speed, isLoop: true)
  for point in track.points {
    claim(point.offset >= last, "time does not go back")
    last = point.offset
    claim(playback.due >= due, "no point is due before an earlier one")
    due = playback.due
    _ = try? LocationValidator.location(from: point.fix, receivedAt: .origin, wallClock: Timestamp(seconds: 1))
    playback.advance()
  }
}
