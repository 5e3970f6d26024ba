// SPDX-License-Identifier: Apache-2.0

/// One fix of a track along a meridian.
nonisolated public struct TrackFix: Equatable, Sendable {
  /// Seconds since the beginning of the track.
  public var at: UInt64
  /// Metres north of the beginning.
  public var metres: Double
  /// The accuracy that the fix claims, metres.
  public var accuracy: Double

  public init(at second: UInt64, metres: Double, accuracy: Double) {
    (at, self.metres, self.accuracy) = (second, metres, accuracy)
  }

  /// Returns a walk back and forth with noise, gaps, and outliers that claim a good accuracy.
  ///
  /// - Parameters:
  ///   - seconds: How long it lasts.
  ///   - reach: The places between which it moves, in metres.
  ///   - gaps: The seconds that a gap lasts.
  public static func walk(
    lasting seconds: UInt64, within reach: ClosedRange<Double>, gaps: ClosedRange<UInt64>,
    using random: inout SeededGenerator
  ) -> [TrackFix] {
    var fixes: [TrackFix] = []
    var (second, place, target): (UInt64, Double, Double) = (0, .random(in: reach, using: &random), 0)
    while second < seconds {
      if Int.random(in: 0..<40, using: &random) == 0 { target = .random(in: reach, using: &random) }
      place += min(max(target - place, -12), 12)
      let accuracy = Double.random(in: 3...90, using: &random)
      let isOutlier = Int.random(in: 0..<25, using: &random) == 0
      let noise = Double.random(in: -1...1, using: &random) * (isOutlier ? 300 : accuracy)
      fixes.append(TrackFix(at: second, metres: place + noise, accuracy: accuracy))
      let isGap = Int.random(in: 0..<60, using: &random) == 0
      second += isGap ? .random(in: gaps, using: &random) : .random(in: 1...6, using: &random)
    }
    return fixes
  }
}

/// The events that a region must report. A second implementation, written from the definition alone, that stores the
/// whole history and evaluates all of it each second.
nonisolated public struct RegionOracle: Sendable {
  /// An event in short: its name, followed by "gap" or the reason.
  public struct Change: Equatable, CustomStringConvertible, Sendable {
    public var what: String
    /// The second in which it is reported.
    public var at: UInt64

    public init(_ what: String, at second: UInt64) { (self.what, at) = (what, second) }

    public var description: String { "\(what) @\(at)" }
  }

  /// The centre, metres north of the beginning of the track.
  public var centre: Double
  /// Metres.
  public var radius: Double
  /// How long a change must persist, in seconds.
  public var confirm: UInt64
  /// Seconds without evidence before the state is lost.
  public var unknownAfter: UInt64

  public init(centre: Double = 0, radius: Double, confirm: UInt64 = 20, unknownAfter: UInt64) {
    (self.centre, self.radius, self.confirm, self.unknownAfter) = (centre, radius, confirm, unknownAfter)
  }

  /// +1 inside, -1 outside, 0 uncertain.
  private func evidence(_ fix: TrackFix, in state: Int) -> Int {
    let accuracy = max(fix.accuracy, 15)
    let distance = abs(fix.metres - centre)
    if distance + accuracy <= radius { return 1 }
    if state >= 0 || accuracy > radius / 2, lens(accuracy, distance) >= (radius >= 300 ? 0.85 : 0.75) { return 1 }
    let margin = state == 1 ? min(max(radius / 10, accuracy, 20), 500) : 0
    return distance - accuracy > radius + margin ? -1 : 0
  }

  /// The share of a fix's circle within the region, computed by slices.
  private func lens(_ accuracy: Double, _ distance: Double) -> Double {
    let slices = 1_000
    var (shared, whole) = (0.0, 0.0)
    for slice in 0..<slices {
      let x = distance - accuracy + 2 * accuracy * (Double(slice) + 0.5) / Double(slices)
      let own = max(0, accuracy * accuracy - (x - distance) * (x - distance)).squareRoot()
      let other = max(0, radius * radius - x * x).squareRoot()
      whole += own
      shared += min(own, other)
    }
    return shared / whole
  }

  /// A possible change of the state, with the fixes of the history that support or refute it.
  private struct Candidate {
    var value: Int
    var supporters: [TrackFix]
    var opponents: [TrackFix] = []
    /// How many supporters the change needs for each opponent.
    var majority: Int
  }

  /// Returns the candidate at a given second: evidence against the state, unless the rest of the history has refuted
  /// it.
  private func candidate(_ history: [(fix: TrackFix, value: Int)], against state: Int, at second: UInt64) -> Candidate?
  {
    var found: Candidate?
    func silence(until time: UInt64) {
      guard let candidate = found, commit(candidate) == nil else { return }
      let last = (candidate.supporters + candidate.opponents).map(\.at).max() ?? 0
      if time >= last + 3 * confirm { found = nil }
    }
    for (fix, value) in history {
      silence(until: fix.at)
      if value == state, value != 0 {
        found = nil
      } else if value != 0, found?.value == value {
        found?.supporters.append(fix)
      } else if value != 0 {
        found = Candidate(value: value, supporters: [fix], majority: state == 0 ? 1 : 5)
      } else if let candidate = found {
        let finest = candidate.supporters.map { max($0.accuracy, 15) }.min() ?? 0
        if fix.at > candidate.supporters[0].at + 2 * confirm {
          if candidate.opponents.count >= candidate.supporters.count { found = nil }
        } else if max(fix.accuracy, 15) <= max(radius, 2 * finest) {
          found?.opponents.append(fix)
        }
      }
    }
    silence(until: second)
    return found
  }

  /// When a candidate is committed if no further fix arrives; nil for never.
  private func commit(_ candidate: Candidate) -> UInt64? {
    let (supporters, opponents) = (candidate.supporters.count, candidate.opponents.count)
    if supporters > 1, supporters > candidate.majority * opponents { return candidate.supporters[0].at + confirm }
    return opponents == 0 ? candidate.supporters[0].at + 3 * confirm : nil
  }

  /// Returns the events until a second.
  public func changes(_ fixes: [TrackFix], until end: UInt64) -> [Change] {
    var changes: [Change] = []
    var (state, known) = (0, 0)
    var history: [(fix: TrackFix, value: Int)] = []
    var newestEvidence: UInt64 = 0
    var isUncertain = false
    func settle(_ second: UInt64) {
      if let candidate = candidate(history, against: state, at: second) {
        guard let time = commit(candidate), second >= time else { return }
        let crossing = (candidate.value == 1 ? "entered" : "exited") + (state == 0 ? " gap" : "")
        changes.append(Change(known == -candidate.value ? crossing : "determined", at: second))
        (state, known) = (candidate.value, candidate.value)
        history = []
      } else if state != 0, second >= newestEvidence + unknownAfter {
        changes.append(Change(isUncertain ? "lost accuracy-insufficient" : "lost no-fix", at: second))
        (state, history) = (0, [])
      }
    }
    var next = fixes[...]
    for second in 0...end {
      settle(second)
      guard let fix = next.first, fix.at == second else { continue }
      next.removeFirst()
      let value = evidence(fix, in: state)
      history.append((fix, value))
      isUncertain = value == 0
      if !isUncertain { newestEvidence = second }
      settle(second)
    }
    return changes
  }
}
