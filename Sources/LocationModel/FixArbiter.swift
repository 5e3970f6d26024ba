// SPDX-License-Identifier: Apache-2.0
/// Decides which fixes are published, so that a poor one does not replace a good one that is still true, and a good
/// one that has aged does not hide a poor one that is newer.
///
/// A published fix loses its advantage in two steps. At once its radius begins to grow, by the way that one goes in
/// the time since; a new fix that is finer than the grown radius is better. And after ``staleAfter`` it is worth
/// nothing against any new one. A fix that is held back meanwhile may have been the only one to come, because many
/// sources speak only when something changes: so the newest such fix is kept, and is published when the better one is
/// stale (``heldUntil``, ``release(at:)``).
///
/// All times are microseconds of `CLOCK_BOOTTIME`, which goes on during suspend; a change of the wall clock moves
/// nothing here but the order of measurements, for which there is ``forget(at:)``.
public struct FixArbiter: Sendable {
  /// Age after which a published fix hides no other one, in microseconds: the default maximum age of a request, and
  /// the time for which GeoClue prefers a satellite fix.
  public static let staleAfter: UInt64 = 30_000_000

  /// How fast the radius of a published fix grows, metres a second, unless it says itself that it moves faster: the
  /// speed of traffic in a town.
  public static let assumedSpeed = 15.0

  /// What happens to a new fix.
  public enum Verdict: Sendable {
    /// It is published.
    case accepted
    /// It arrived before the last one published, or before everything was forgotten.
    case outOfOrder
    /// It was measured before the last one published.
    case measuredEarlier
    /// It is coarser than the last one published and contains that, so it says nothing new.
    case coarser
    /// It is coarser than the last one published, and the distance is too large for the time.
    case implausible
  }

  /// The fix published last; nil before the first one and after ``forget(at:)``.
  public private(set) var published: Location?
  /// The newest fix that is held back behind the published one.
  public private(set) var heldBack: Location?
  private var forgottenAt: UInt64 = 0

  /// Creates an arbiter without fixes.
  public init() {}

  /// Handles a new fix; returns true if it is to be published.
  public mutating func accept(_ fix: Location, at now: UInt64) -> Bool {
    switch verdict(on: fix, at: now) {
    case .accepted:
      published = fix
      heldBack = nil
      return true
    case .coarser, .implausible:
      heldBack = fix
      return false
    case .outOfOrder, .measuredEarlier:
      return false
    }
  }

  /// What ``accept(_:at:)`` would do, and why.
  public func verdict(on fix: Location, at now: UInt64) -> Verdict {
    guard fix.receivedAt >= forgottenAt else { return .outOfOrder }
    guard let published else { return .accepted }
    guard fix.receivedAt >= published.receivedAt else { return .outOfOrder }
    let age = Self.elapsed(from: published.receivedAt, to: now)
    guard age < Self.staleAfter else { return .accepted }
    guard fix.timestamp >= published.timestamp else { return .measuredEarlier }

    let (oldRadius, newRadius) = (published.accuracy ?? .infinity, fix.accuracy ?? .infinity)
    let seconds = Double(age) / 1_000_000
    let grown = oldRadius + seconds * max(published.speed ?? 0, Self.assumedSpeed)
    guard newRadius > grown else { return .accepted }
    let distance = published.distance(to: fix)
    guard distance > newRadius else { return .coarser }
    // The old place is outside of the new circle: the device has moved, or one of the two is wrong.
    let moved = distance - newRadius - oldRadius
    return moved <= seconds * LocationValidator.fastestSpeed ? .accepted : .implausible
  }

  /// When the fix held back may be published, unless another one arrives; nil if none is held back.
  public var heldUntil: UInt64? {
    guard let published, heldBack != nil else { return nil }
    return published.receivedAt.saturatingAdd(Self.staleAfter)
  }

  /// The fix held back, to be published now, if its time has come (``heldUntil``); else nil, and nothing changes.
  public mutating func release(at now: UInt64) -> Location? {
    guard let fix = heldBack, let heldUntil, now >= heldUntil else { return nil }
    (published, heldBack) = (fix, nil)
    return fix
  }

  /// Forgets every fix, and refuses those that arrived before `now`: after a suspend, when the device may be
  /// anywhere, and after a jump of the wall clock, when the times of measurement can no longer be compared.
  public mutating func forget(at now: UInt64) {
    (published, heldBack) = (nil, nil)
    forgottenAt = max(forgottenAt, now)
  }

  private static func elapsed(from start: UInt64, to end: UInt64) -> UInt64 {
    end > start ? end - start : 0
  }
}

extension UInt64 {
  /// The sum, or the greatest value if that is too small for it.
  package func saturatingAdd(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
