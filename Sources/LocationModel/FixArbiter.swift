// SPDX-License-Identifier: Apache-2.0
import GeopublicistInstants

/// Decides which fixes are published, so that a poor fix does not replace a good one that is still valid, and an
/// outdated good fix does not hide a newer poor one.
///
/// A published fix loses its advantage in two steps. Its radius grows from the start with the distance that can be
/// covered in the elapsed time, and a new fix that is finer than the grown radius is better. After ``staleAfter``, any
/// new fix is better. Many sources report only changes, so a fix that was held back may have been the only one. The
/// newest such fix is therefore kept and published when the better one becomes stale (``heldUntil``, ``release(at:)``).
///
/// Times are those of the boot clock, which includes suspend. A change of the wall clock affects only
/// the order of measurements; see ``forget(at:)``.
package struct FixArbiter: Sendable {
  /// The age after which a published fix hides no other. Equals the default maximum age of a request
  /// and the time for which GeoClue prefers a satellite fix.
  package static let staleAfter = Duration.seconds(30)

  /// How fast the radius of a published fix grows, in metres per second, unless the fix reports a higher speed. This is
  /// the speed of city traffic.
  package static let assumedSpeed = 15.0

  package enum Verdict: Sendable {
    case accepted
    /// It arrived before the last published one, or before everything was forgotten.
    case outOfOrder
    case measuredEarlier
    /// The source asserts it now, but determined it earlier. It may be the only one if the other source is lost.
    case determinedEarlier
    /// It is coarser than the last published one and contains it, so it adds no information.
    case coarser
    /// It is too far away from the last published one for the elapsed time.
    case jump
  }

  /// The last published fix, or nil before the first one and after ``forget(at:)``.
  package private(set) var published: Location?
  /// The newest fix held back in favour of the published one.
  package private(set) var heldBack: Location?
  /// A jump that no other fix has confirmed, and when it is published if no other arrives.
  private var suspect: (fix: Location, until: BootInstant)?
  private var forgottenAt = BootInstant.origin

  /// How long a jump is held back while no other fix arrives.
  package static let jumpPatience = Duration.seconds(5)

  package init() {}

  /// Handles a new fix. Returns whether to publish it.
  ///
  /// A single jump is an error of the source more often than a movement. It is published when a second fix confirms it,
  /// and dropped when one contradicts it.
  package mutating func accept(_ fix: Location, at now: BootInstant) -> Bool {
    switch verdict(on: fix, at: now) {
    case .accepted: return publish(fix)
    case .coarser:
      // One of unknown accuracy contradicts a jump only if it is nearer to where the device was.
      if fix.accuracy != nil || !isNearSuspect(fix) { suspect = nil }
      heldBack = fix
      return false
    case .determinedEarlier:
      heldBack = fix
      return false
    case .jump:
      if let suspect, !Self.isJump(from: suspect.fix, to: fix) { return publish(fix) }
      suspect = (fix, now + Self.jumpPatience)
      return false
    case .outOfOrder, .measuredEarlier: return false
    }
  }

  private mutating func publish(_ fix: Location) -> Bool {
    (published, heldBack, suspect) = (fix, nil, nil)
    return true
  }

  private func isNearSuspect(_ fix: Location) -> Bool {
    guard let suspect, let published else { return false }
    return suspect.fix.distance(to: fix) < published.distance(to: fix)
  }

  /// Returns whether no device could have covered the distance between two fixes in the time between them.
  private static func isJump(from old: Location, to new: Location) -> Bool {
    let (oldRadius, newRadius) = (old.accuracy ?? .infinity, new.accuracy ?? .infinity)
    let seconds = max(abs((new.timestamp - old.timestamp).seconds), 1)
    let distance = old.distance(to: new) - oldRadius - newRadius
    return distance / seconds > LocationValidator.fastestSpeed && newRadius >= oldRadius / 4
  }

  /// Returns what ``accept(_:at:)`` would decide, without changing anything.
  package func verdict(on fix: Location, at now: BootInstant) -> Verdict {
    // A recorded track is published at any speed, as its author intends.
    guard fix.source != .replay else { return .accepted }
    guard fix.receivedAt >= forgottenAt else { return .outOfOrder }
    guard let published else { return .accepted }
    guard fix.receivedAt >= published.receivedAt else { return .outOfOrder }
    let age = max(.zero, now - published.receivedAt)
    guard age < Self.staleAfter else { return .accepted }
    // Sources report whole seconds, and the time of this clock replaces one that is too far in the future.
    guard fix.timestamp.seconds >= published.timestamp.seconds else {
      return fix.isAsserted ? .determinedEarlier : .measuredEarlier
    }

    let (oldRadius, newRadius) = (published.accuracy ?? .infinity, fix.accuracy ?? .infinity)
    let grown = oldRadius + age.seconds * max(published.speed ?? 0, Self.assumedSpeed)
    if newRadius > grown, published.distance(to: fix) <= newRadius { return .coarser }
    // If a coarser circle does not contain the old position, the device has moved, or one of the fixes is wrong.
    // A source that asserts another place no longer asserts the published one.
    let isReplaced = fix.isAsserted && fix.source == published.source
    return !isReplaced && Self.isJump(from: published, to: fix) ? .jump : .accepted
  }

  /// When a held-back fix may be published unless another one arrives, or nil if there is none.
  package var heldUntil: BootInstant? {
    guard let published else { return nil }
    // A jump that waits is newer than what was held back before.
    return suspect?.until ?? (heldBack == nil ? nil : published.receivedAt + Self.staleAfter)
  }

  /// Publishes and returns the held-back fix if it is due (``heldUntil``). Otherwise returns nil and changes nothing.
  package mutating func release(at now: BootInstant) -> Location? {
    guard let heldUntil, now >= heldUntil else { return nil }
    let isConfirmed = suspect.map { now >= $0.until } ?? false
    guard let fix = isConfirmed ? suspect?.fix : heldBack else { return nil }
    _ = publish(fix)
    return fix
  }

  /// Discards the fixes that wait, because the source was released and the device may move unseen.
  package mutating func dropHeld() { (heldBack, suspect) = (nil, nil) }

  /// Discards every fix and rejects those that arrived before `now`. Call it after a suspend, when the device may be
  /// anywhere, and after a jump of the wall clock, when measurement times are no longer comparable.
  package mutating func forget(at now: BootInstant) {
    (published, heldBack, suspect) = (nil, nil, nil)
    forgottenAt = max(forgottenAt, now)
  }
}
