// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// What subscriptions and regions have in common: whether they are started, what their owner may have, and what they draw
/// from the service.
nonisolated struct ObjectState: Sendable {
  /// The level that the owner asks for.
  private(set) var asked: AccuracyLevel
  private(set) var authorization: Authorization
  private(set) var isStarted = false
  private(set) var isOver = false
  /// Whether locations are of use; a region without a chance of an answer needs none.
  var usesLocations = true
  private var engagement = Engagement()
  private var wasActive = false
  /// Counts what the owner has asked for, so that a `Start` that had to wait does not undo a later `Stop`.
  private var wishes: UInt64 = 0
  /// Whether the source itself decides, and so must run before anything is decided.
  private let sourceDecides: Bool

  init(_ asked: AccuracyLevel, _ authorization: Authorization, sourceDecides: Bool) {
    self.asked = asked
    self.authorization = authorization
    self.sourceDecides = sourceDecides
  }

  /// Started, and allowed.
  var isActive: Bool { isStarted && authorization.isAuthorized }

  /// The finest level that its locations may reveal.
  var level: AccuracyLevel { authorization.revealedLevel(asked: asked) }

  /// Less was granted than asked.
  var isReduced: Bool { authorization.level < asked }

  /// Numbers a call of `Start` while its facts are gathered.
  mutating func startAsked() -> UInt64 {
    wishes &+= 1
    return wishes
  }

  /// Handles a `Start` by its number; if it begins something, the caller goes on and settles.
  mutating func start(_ wish: UInt64) -> (actions: [ClientAction], begins: Bool) {
    // A later `Start` or `Stop` counts instead of this one.
    guard wish == wishes else { return ([.done], false) }
    if authorization.status == .restricted {
      return ([.audit(authorization), .refuse(.notAuthorized(authorization))], false)
    }
    guard !isStarted else { return ([.done], false) }
    isStarted = true
    return ([.audit(authorization), .done, .announce(authorization)], true)
  }

  mutating func stop() -> [ClientAction] {
    wishes &+= 1
    isStarted = false
    return settle()
  }

  /// Asks for a level; another one begins again with a first location.
  mutating func ask(for level: AccuracyLevel) -> [ClientAction] {
    let isOther = level != asked
    asked = level
    return (isOther ? engagement.cut() : []) + settle()
  }

  mutating func change(to new: Authorization) -> [ClientAction] {
    let old = authorization
    authorization = new
    guard new != old else { return settle() }
    var actions: [ClientAction] = isStarted ? [.audit(new)] : []
    // Deliveries stop before the owner is told of less, and begin after it is told of more.
    if engagement.follows != level { actions += engagement.cut() }
    if !new.isAuthorized { actions += settle() }
    if (new.status, new.reason) != (old.status, old.reason) { actions.append(.announce(new)) }
    if new.status != old.status { actions.append(.changed("AuthorizationStatus")) }
    if new.reason != old.reason { actions.append(.changed("AuthorizationReason")) }
    return actions + settle()
  }

  mutating func end(_ reason: ClosedReason?) -> [ClientAction] {
    isOver = true
    isStarted = false
    return settle() + [.end(reason)]
  }

  /// Makes what is drawn from the service agree with what is wanted and allowed.
  mutating func settle() -> [ClientAction] {
    let isFollowing = isActive && usesLocations
    let actions = engagement.change(
      to: Engagement(need: need, follows: isFollowing ? level : nil, isReceiving: isFollowing))
    defer { wasActive = isActive }
    return (wasActive != isActive ? [.changed("Active")] : []) + actions
  }

  /// The level for which the source is needed; where the source decides, also before it has said yes.
  private var need: AccuracyLevel? {
    guard isStarted else { return nil }
    if authorization.isAuthorized { return usesLocations ? level : nil }
    return sourceDecides ? asked : nil
  }
}
