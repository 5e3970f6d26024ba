// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// The state of a region while it evaluates locations.
struct RegionWatch: Sendable {
  /// A location that arrived longer ago than this is no evidence.
  static let oldestEvidence = Duration.seconds(300)
  /// A check begins at the latest this long before the state is lost.
  static let margin = Duration.seconds(30)
  /// The time without a location after which a source may have become slow, and before which no device is far away.
  static let longWait = Duration.seconds(450)
  /// The time between two checks.
  static let checkIntervals = Duration.seconds(120)...Duration.seconds(1_800)
  /// The shortest time between two checks of a device whose speed is known.
  static let shortestInterval = Duration.seconds(20)
  /// The speed in metres per second at which the device may approach the border between two checks, unless it already
  /// moves faster than two thirds of this speed.
  static let approachSpeed = 100.0

  private(set) var state = RegionState.unknown
  private(set) var reason: RegionReason
  /// The evidence for ``state``: its first measurement and its newest location.
  private(set) var newestEvidence: RegionCandidate?
  private var candidate: RegionCandidate?
  private var evidenceAt: BootInstant
  /// The earliest time at which the state is given up, although there may be no evidence for long: it remains valid
  /// until the next check, because the border is too far away.
  private var holdsUntil = BootInstant.origin
  private var sawUncertain = false
  /// The time since which all locations that arrived have lacked an accuracy.
  private var blindSince: BootInstant?
  /// The arrival of the last location that was not derived from the network address.
  private var betterAt: BootInstant?
  /// When the source is tried next, see ``SourceTries``.
  private var checkAt: BootInstant
  /// Until when a check because the device may have moved unseen waits for a more accurate location.
  private var waitsUntil: BootInstant
  /// The newest inaccurate location since that check began, which ends it then.
  private var inaccurate: Location?

  init(since now: BootInstant, reason: RegionReason = .none) {
    self.reason = reason
    evidenceAt = now
    checkAt = now
    waitsUntil = now + SourceWait.checkLength
  }

  var need: RegionMachine.Need { candidate == nil ? .check(at: checkAt) : .now }

  func deadline(_ configuration: RegionConfiguration, dwells: Bool) -> BootInstant? {
    let dwell = dwells && candidate == nil ? dwellEnd(configuration) : nil
    let decision = candidate.flatMap { $0.due(configuration) ?? $0.end(configuration) }
    let checkEnd = inaccurate == nil ? nil : waitsUntil
    return [decision, dwell, checkEnd, blindEnd(configuration), lossAt(configuration)].compactMap { $0 }.min()
  }

  /// Evaluates a fresh location.
  ///
  /// - Parameter mayImprove: Whether a more accurate location may follow soon.
  mutating func take(
    _ location: Location, _ configuration: RegionConfiguration, mayImprove: Bool, at now: BootInstant
  ) {
    guard let found = RegionEvidence(of: location, on: configuration.region, in: state) else {
      blindSince = blindSince ?? now
      return
    }
    blindSince = nil
    let isTrusted = trusts(location, configuration, at: now)
    if location.source != .ip { betterAt = now }
    guard isTrusted, found != .uncertain else {
      // The location of a network often arrives some seconds before that of a receiver.
      if mayImprove, checkAt <= now, now < waitsUntil, location.accuracy ?? 0 > SourceWait.sufficientAccuracy {
        inaccurate = location
      } else {
        looked(location, configuration, at: now)
      }
      sawUncertain = true
      if isTrusted, candidate?.weigh(location, configuration, at: now) == false { candidate = nil }
      return
    }
    let isFar = scheduleCheck(location, configuration, at: now)
    evidenceAt = now
    holdsUntil = isFar ? checkAt + SourceWait.updateLength : .origin
    sawUncertain = false
    support(found == .inside ? .inside : .outside, with: location, at: now)
  }

  private mutating func support(_ found: RegionState, with location: Location, at now: BootInstant) {
    if found == state {
      candidate = nil
      newestEvidence?.newest = location
    } else if candidate?.state == found {
      candidate?.support(location, at: now)
    } else {
      candidate = RegionCandidate(found, against: state, location, at: now)
    }
  }

  /// Whether a location counts. One derived from the network address does so only for regions far larger than its
  /// error, and only while nothing better arrives.
  private func trusts(_ location: Location, _ configuration: RegionConfiguration, at now: BootInstant) -> Bool {
    guard location.source == .ip else { return true }
    guard let accuracy = location.accuracy, configuration.region.radius >= 2 * accuracy else { return false }
    guard let betterAt else { return true }
    return now >= betterAt + configuration.unknownAfter
  }

  mutating func dropCandidate() { candidate = nil }

  /// Returns the candidate if it is due. Drops one that was contradicted and has had no evidence since.
  mutating func commit(_ configuration: RegionConfiguration, at now: BootInstant) -> RegionCandidate? {
    guard let candidate else { return nil }
    if let end = candidate.end(configuration), now >= end { self.candidate = nil }
    guard let due = candidate.due(configuration), now >= due else { return nil }
    return candidate
  }

  mutating func accept(_ candidate: RegionCandidate) {
    (state, reason, newestEvidence, self.candidate) = (candidate.state, .none, candidate, nil)
  }
}

/// Decides when the state is lost and when the device has dwelled in the region.
extension RegionWatch {
  /// Whether there has been no evidence for too long.
  func isLost(_ configuration: RegionConfiguration, at now: BootInstant) -> Bool {
    lossAt(configuration).map { now >= $0 } ?? false
  }

  /// Whether the state is unknown because no location has an accuracy. A source that has reported no accuracy so far
  /// never will.
  func isBlind(_ configuration: RegionConfiguration, at now: BootInstant) -> Bool {
    blindEnd(configuration).map { now >= $0 } ?? false
  }

  private func blindEnd(_ configuration: RegionConfiguration) -> BootInstant? {
    guard state == .unknown, reason == .none, candidate == nil else { return nil }
    return blindSince.map { $0 + configuration.confirm * 3 }
  }

  mutating func lose() {
    (state, reason) = (.unknown, sawUncertain || blindSince != nil ? .accuracyInsufficient : .noFix)
  }

  /// Returns the evidence for a stay that has lasted for the dwell time; nil while an exit is being considered.
  func dwelled(_ configuration: RegionConfiguration, at now: BootInstant) -> RegionCandidate? {
    guard candidate == nil, let end = dwellEnd(configuration), now >= end else { return nil }
    return newestEvidence
  }

  private func dwellEnd(_ configuration: RegionConfiguration) -> BootInstant? {
    guard state == .inside, configuration.dwell > .zero else { return nil }
    return (newestEvidence?.since).map { $0 + configuration.dwell }
  }

  /// When the state, or the empty reason for an unknown one, is given up; nil while a candidate stands.
  private func lossAt(_ configuration: RegionConfiguration) -> BootInstant? {
    candidate == nil ? evidenceEnd(configuration) : nil
  }

  private func evidenceEnd(_ configuration: RegionConfiguration) -> BootInstant? {
    let end = evidenceAt + configuration.unknownAfter
    guard state != .unknown else { return reason == .none ? end : nil }
    // A fixed location is announced once, and is valid until another one is announced.
    return newestEvidence?.newest.isStatic == true ? nil : max(holdsUntil, end)
  }
}

/// When the source is needed.
extension RegionWatch {
  mutating func checkNow(at now: BootInstant) { (checkAt, waitsUntil) = (now, now + SourceWait.checkLength) }

  /// Checks with the finer locations that are allowed now, before the state can be lost.
  mutating func levelRose(at now: BootInstant) {
    checkNow(at: now)
    holdsUntil = max(holdsUntil, now + SourceWait.updateLength)
  }

  /// Ends a check that has waited for a more accurate location in vain.
  mutating func stopWaiting(_ configuration: RegionConfiguration, at now: BootInstant) {
    if let inaccurate, now >= waitsUntil { looked(inaccurate, configuration, at: now) }
  }

  /// Ends the check without evidence. The next one is due before the state is lost for want of evidence, unless that is
  /// imminent.
  mutating func looked(_ location: Location, _ configuration: RegionConfiguration, at now: BootInstant) {
    _ = scheduleCheck(location, configuration, at: now)
    guard let end = evidenceEnd(configuration) else { return }
    // A state that holds until a check gives that check the time of a slow receiver.
    let margin = end == holdsUntil ? SourceWait.updateLength : Self.margin
    checkAt = min(checkAt, max(now + Self.shortestInterval, end - margin))
  }

  /// Ends the check and schedules the next one before the device can reach the border.
  ///
  /// Returns whether the border is so far away that the state holds until that check, however long it is unconfirmed.
  private mutating func scheduleCheck(
    _ location: Location, _ configuration: RegionConfiguration, at now: BootInstant
  ) -> Bool {
    let region = configuration.region
    let distance = abs(region.distance(to: location) - region.radius) - (location.accuracy ?? 0)
    let range = Self.checkIntervals
    let approach = max(Self.approachSpeed, 1.5 * (location.speed ?? 0))
    let seconds = min(max(distance / approach, 0), range.upperBound.seconds)
    // A fast device crosses a small region in less than two minutes.
    let crossing = location.speed.map { Duration.microseconds(Int64(min(max(region.radius / $0, 0), 120) * 1_000_000)) }
    let shortest = crossing.map { max($0, Self.shortestInterval) } ?? range.lowerBound
    // The source gets time to warm up, unless the state would be lost meanwhile.
    let interval = max(.microseconds(Int64(seconds * 1_000_000)), shortest) - SourceSchedule.warmUp
    let patience = configuration.unknownAfter
    let isFar = interval >= max(Self.longWait, patience - SourceWait.updateLength)
    let longest = max(patience / 2, patience - Self.margin)
    checkAt = now + (isFar ? interval : min(interval, longest))
    // Within an interval of the level, there is no other location.
    if location.level < .exact { checkAt = max(checkAt, location.endOfInterval) }
    inaccurate = nil
    return isFar
  }
}
