// SPDX-License-Identifier: Apache-2.0
import GeopublicistContract
import GeopublicistLocationModel

/// The state that subscriptions, regions and almanacs share: whether they are started, the access of their owner, and
/// their use of the service.
nonisolated struct ObjectState<Own: Equatable & Sendable>: Sendable {
  typealias Action = LocationAction<ObjectAction<Own>>

  private(set) var asked: AccuracyLevel
  private(set) var authorization: Authorization
  private(set) var isStarted = false
  private(set) var isOver = false
  /// Whether locations are useful. A region that cannot be evaluated needs none.
  var usesLocations = true
  private var use = ServiceUse()
  private var wasActive = false
  /// The authorization last sent to the owner; nil if it must be sent again because the owner has started the object.
  private var told: Authorization?
  /// Whether the owner has called `Start`. Nothing is sent before that, so that `Start` is followed by one
  /// announcement.
  private var isWanted = false
  /// Whether the authorization for the requested level is not known yet.
  private var isLevelNew = false
  /// Counts `Stop` calls, so that a `Start` that had to wait does not undo a later `Stop`.
  private(set) var stops: UInt64 = 0
  /// Whether the source itself decides and must therefore run before there can be a decision.
  private let sourceDecides: Bool

  init(_ asked: AccuracyLevel, _ authorization: Authorization, sourceDecides: Bool) {
    self.asked = asked
    self.authorization = authorization
    told = authorization
    self.sourceDecides = sourceDecides
  }

  var isActive: Bool { isStarted && authorization.isAuthorized }

  /// The finest level that the object's locations may reveal.
  var level: AccuracyLevel { authorization.revealedLevel(asked: asked) }

  /// Whether the granted level is coarser than the requested one.
  var isReduced: Bool { authorization.level < asked }

  /// Handles a `Start` call, made after the given number of `Stop` calls. If `begins` is true, the caller must continue
  /// and call ``settle()``.
  mutating func start(after stops: UInt64) -> (actions: [Action], begins: Bool) {
    // A later `Stop` supersedes this call.
    guard stops == self.stops else { return ([.own(.started)], false) }
    isWanted = true
    if authorization.status == .restricted {
      told = authorization
      return ([.audit(authorization), .own(.refuse(.notAuthorized(authorization)))], false)
    }
    guard !isStarted else { return ([.own(.started)], false) }
    isStarted = true
    told = nil
    return ([.audit(authorization), .own(.started), .own(.announce)], true)
  }

  mutating func stop() -> [Action] {
    stops &+= 1
    isStarted = false
    return settle()
  }

  /// Returns the authorization if it must be sent to the owner now, because its status or reason has changed.
  mutating func announcement() -> Authorization? {
    guard isWanted, told?.status != authorization.status || told?.reason != authorization.reason else { return nil }
    told = authorization
    return authorization
  }

  mutating func forgetTold() { told = nil }

  /// Changes the requested level. A different level starts over with a first location. The caller must pass the
  /// authorization for it to ``change(to:)``.
  mutating func ask(for level: AccuracyLevel) -> [Action] {
    guard level != asked else { return settle() }
    (asked, isLevelNew) = (level, true)
    return use.cut() + settle()
  }

  mutating func change(to new: Authorization) -> [Action] {
    let old = authorization
    var actions: [Action] = isStarted && (new != old || isLevelNew) ? [.audit(new)] : []
    (authorization, isLevelNew) = (new, false)
    guard new != old else { return actions + settle() }
    // Stop deliveries before announcing reduced access, and resume them after announcing more.
    if use.follows != level { actions += use.cut() }
    if !new.isAuthorized { actions += settle() }
    if (new.status, new.reason) != (old.status, old.reason) { actions.append(.own(.announce)) }
    if new.status != old.status { actions.append(.own(.changed(SubscriptionInterface.authorizationStatus))) }
    if new.reason != old.reason { actions.append(.own(.changed(SubscriptionInterface.authorizationReason))) }
    return actions + settle()
  }

  mutating func end(_ reason: ClosedReason?) -> [Action] {
    isOver = true
    isStarted = false
    return settle() + [.end(reason)]
  }

  /// Adjusts the use of the service to what is wanted and allowed.
  mutating func settle() -> [Action] {
    let isFollowing = isActive && usesLocations
    let actions: [Action] = use.change(
      to: ServiceUse(need: need, follows: isFollowing ? level : nil, isReceiving: isFollowing))
    defer { wasActive = isActive }
    return (wasActive != isActive ? [.own(.changed(SubscriptionInterface.active))] : []) + actions
  }

  /// The level required from the source. If the source decides, it is required even before authorization.
  private var need: AccuracyLevel? {
    guard isStarted else { return nil }
    if authorization.isAuthorized { return usesLocations ? level : nil }
    return sourceDecides ? asked : nil
  }
}
