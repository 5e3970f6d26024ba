// SPDX-License-Identifier: Apache-2.0
/// A change of state that evidence supports and that is not committed yet.
struct RegionCandidate: Equatable, Sendable {
  /// The new state, never unknown.
  let state: RegionState
  /// When the first evidence arrived.
  let since: UInt64
  /// When the first evidence was measured.
  let measured: Timestamp
  var newest: Location
  /// The number of different measurements that support it.
  var support = 1

  /// Returns when it is committed. A single measurement must stand three times as long, because Wi-Fi may be silent
  /// for long.
  func due(_ configuration: RegionConfiguration) -> UInt64 {
    let confirm = UInt64(configuration.confirm) * 1_000
    return since.saturatingAdd(support > 1 ? confirm : 3 * confirm)
  }
}

/// The state of a region while it evaluates locations.
struct RegionWatch: Sendable {
  /// Age in microseconds above which a location is no evidence.
  static let oldestEvidence: UInt64 = 300_000_000
  /// Microseconds for which a check waits for a location.
  static let checkDuration: UInt64 = 30_000_000
  /// Microseconds between two checks.
  static let checkIntervals: ClosedRange<UInt64> = 120_000_000...1_800_000_000
  /// The speed in metres per second at which the device may approach the border between two checks.
  static let approachSpeed = 50.0

  private(set) var state = RegionState.unknown
  private(set) var reason: RegionReason
  /// The evidence for ``state``: its first measurement and its newest location.
  private(set) var newestEvidence: RegionCandidate?
  private var candidate: RegionCandidate?
  private var evidenceAt: UInt64
  private var sawUncertain = false
  /// When the last location arrived that was not derived from the network address.
  private var betterAt: UInt64?
  private var check: Check
  private var pause = checkIntervals.lowerBound

  private enum Check: Equatable, Sendable {
    case waiting(until: UInt64)
    case running(until: UInt64)
  }

  init(since now: UInt64, reason: RegionReason = .none) {
    self.reason = reason
    evidenceAt = now
    check = .running(until: now.saturatingAdd(Self.checkDuration))
  }

  var need: RegionMachine.Need {
    if candidate != nil { return .now }
    switch check {
    case .waiting(let time): return .check(at: time)
    case .running: return .now
    }
  }

  func deadline(_ configuration: RegionConfiguration, dwells: Bool) -> UInt64? {
    let checkAt: UInt64
    switch check {
    case .waiting(let time), .running(let time): checkAt = time
    }
    let dwell = dwells && candidate == nil ? dwellEnd(configuration) : nil
    return [checkAt, candidate?.due(configuration), dwell, lossAt(configuration)].compactMap { $0 }.min()
  }

  /// Evaluates a fresh location.
  mutating func take(_ location: Location, _ configuration: RegionConfiguration, at now: UInt64) {
    let isInside = state == .inside
    guard let found = RegionEvidence(of: location, on: configuration.region, isInside: isInside) else { return }
    scheduleCheck(location, configuration, at: now)
    let isTrusted = trusts(location, configuration, at: now)
    if location.source != .ip { betterAt = now }
    guard isTrusted, found != .uncertain else {
      sawUncertain = true
      return
    }
    evidenceAt = now
    sawUncertain = false
    support(found == .inside ? .inside : .outside, with: location, at: now)
  }

  private mutating func support(_ found: RegionState, with location: Location, at now: UInt64) {
    if found == state {
      candidate = nil
      newestEvidence?.newest = location
    } else if candidate?.state == found {
      if candidate?.newest.timestamp != location.timestamp { candidate?.support += 1 }
      candidate?.newest = location
    } else {
      candidate = RegionCandidate(state: found, since: now, measured: location.timestamp, newest: location)
    }
  }

  /// Whether a location counts. One derived from the network address does so only for regions far larger than its
  /// error, and only while nothing better arrives.
  private func trusts(_ location: Location, _ configuration: RegionConfiguration, at now: UInt64) -> Bool {
    guard location.source == .ip else { return true }
    guard let accuracy = location.accuracy, configuration.region.radius >= 2 * accuracy else { return false }
    guard let betterAt else { return true }
    return now >= betterAt.saturatingAdd(UInt64(configuration.unknownAfter) * 1_000)
  }

  mutating func dropCandidate() { candidate = nil }

  /// Returns the candidate if it is due.
  func commit(_ configuration: RegionConfiguration, at now: UInt64) -> RegionCandidate? {
    guard let candidate, now >= candidate.due(configuration) else { return nil }
    return candidate
  }

  mutating func accept(_ candidate: RegionCandidate) {
    (state, reason, newestEvidence, self.candidate) = (candidate.state, .none, candidate, nil)
  }
}

/// Loss of the state, and dwelling.
extension RegionWatch {
  /// Whether there has been no evidence for too long.
  func isLost(_ configuration: RegionConfiguration, at now: UInt64) -> Bool {
    lossAt(configuration).map { now >= $0 } ?? false
  }

  mutating func lose() { (state, reason) = (.unknown, sawUncertain ? .accuracyInsufficient : .noFix) }

  /// Returns the evidence for a stay that has lasted for the dwell time; nil while an exit is being considered.
  func dwelled(_ configuration: RegionConfiguration, at now: UInt64) -> RegionCandidate? {
    guard candidate == nil, let end = dwellEnd(configuration), now >= end else { return nil }
    return newestEvidence
  }

  private func dwellEnd(_ configuration: RegionConfiguration) -> UInt64? {
    guard state == .inside, configuration.dwell > 0 else { return nil }
    return newestEvidence?.since.saturatingAdd(UInt64(configuration.dwell) * 1_000)
  }

  /// When the state, or the empty reason for an unknown one, is given up; nil while a candidate stands.
  private func lossAt(_ configuration: RegionConfiguration) -> UInt64? {
    guard candidate == nil, state != .unknown || reason == .none else { return nil }
    return evidenceAt.saturatingAdd(UInt64(configuration.unknownAfter) * 1_000)
  }
}

/// When the source is needed.
extension RegionWatch {
  /// Begins or ends a check that is due.
  mutating func proceedChecks(at now: UInt64, _ configuration: RegionConfiguration) {
    switch check {
    case .waiting(let time) where now >= time: check = .running(until: now.saturatingAdd(Self.checkDuration))
    case .running(let end) where now >= end:
      check = .waiting(until: now.saturatingAdd(min(pause, longestPause(configuration))))
      pause = min(2 * pause, Self.checkIntervals.upperBound)
    default: break
    }
  }

  mutating func checkNow(at now: UInt64) {
    check = .running(until: now.saturatingAdd(Self.checkDuration))
    pause = Self.checkIntervals.lowerBound
  }

  /// Ends the check and schedules the next one before the device can reach the border.
  private mutating func scheduleCheck(_ location: Location, _ configuration: RegionConfiguration, at now: UInt64) {
    let region = configuration.region
    let distance = abs(region.distance(to: location) - region.radius) - (location.accuracy ?? 0)
    let range = Self.checkIntervals
    let seconds = min(max(distance / Self.approachSpeed, 0), Double(range.upperBound) / 1_000_000)
    pause = range.lowerBound
    let interval = max(UInt64(seconds * 1_000_000), range.lowerBound)
    check = .waiting(until: now.saturatingAdd(min(interval, longestPause(configuration))))
  }

  /// The longest pause: a check must end before the state is given up for lack of evidence.
  private func longestPause(_ configuration: RegionConfiguration) -> UInt64 {
    let patience = UInt64(configuration.unknownAfter) * 1_000
    return max(patience / 2, patience.saturatingSubtract(Self.checkDuration))
  }
}
