// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// A subscription as a pure state machine: what its owner wants, what it may have, and how much it has been sent.
nonisolated struct SubscriptionMachine: ClientMachine {
  private(set) var options: ClientOptions
  private(set) var authorization: Authorization
  /// What was delivered last; nil before the first location and from the moment access is lost.
  private(set) var last: Delivery?
  private var budget: UpdateBudget
  private var state = State.stopped
  private var engagement = Engagement()
  /// Counts what the owner has asked for, so that a `Start` that had to wait does not undo a later `Stop`.
  private var wishes: UInt64 = 0
  /// Whether the source itself decides, and so must run before anything is decided.
  private let sourceDecides: Bool

  private enum State {
    case stopped
    case started
    case over
  }

  init(_ options: ClientOptions, _ authorization: Authorization, sourceDecides: Bool) {
    self.options = options
    self.authorization = authorization
    self.sourceDecides = sourceDecides
    budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
  }

  /// Whether updates come: started, and allowed.
  var isActive: Bool { state == .started && authorization.isAuthorized }

  /// The finest level that its locations may reveal.
  var level: AccuracyLevel { authorization.revealedLevel(asked: options.accuracy) }

  /// How many updates have been sent.
  var delivered: UInt64 { budget.delivered }

  /// Numbers a call of `Start` while its facts are gathered.
  mutating func startAsked() -> UInt64 {
    wishes &+= 1
    return wishes
  }

  mutating func handle(_ event: ClientEvent, at now: UInt64) -> [ClientAction] {
    guard state != .over else { return [] }
    switch event {
    case .start(let wish): return start(wish, now)
    case .stop:
      wishes &+= 1
      state = .stopped
      return settle()
    case .options(let options): return change(to: options)
    case .standing(let standing): return standingChanged(standing)
    case .location(let location, let level): return deliver(location, level)
    case .failure(let error): return state == .started && authorization.status != .restricted ? [.report(error)] : []
    case .timer: return isComplete(now) ? end(.completed) : armDeadline()
    case .clockChanged:
      last = nil
      return armDeadline()
    case .close(let reason): return end(reason)
    case .ownerLeft: return end(nil)
    case .prepared, .source, .dialogEnded, .dialogUnavailable: return []
    }
  }
}

nonisolated extension SubscriptionMachine {
  private mutating func start(_ wish: UInt64, _ now: UInt64) -> [ClientAction] {
    // A later `Start` or `Stop` counts instead of this one.
    guard wish == wishes else { return [.done] }
    if authorization.status == .restricted { return [.audit(authorization), .refuse(.notAuthorized(authorization))] }
    guard state == .stopped else { return [.done] }
    state = .started
    budget.started(at: now)
    return [.audit(authorization), .done, .announce(authorization)] + armDeadline() + settle()
  }

  /// Changes the options; another accuracy begins again with a first update.
  private mutating func change(to new: ClientOptions) -> [ClientAction] {
    let isOtherLevel = new.accuracy != options.accuracy
    options = new
    return (isOtherLevel ? engagement.cut() : []) + settle()
  }

  private mutating func standingChanged(_ standing: Standing) -> [ClientAction] {
    let old = authorization
    authorization = standing.authorization
    guard authorization != old else { return settle() }
    // What was delivered before may be finer than what is allowed now.
    if let last, last.level > level { self.last = nil }
    var actions: [ClientAction] = state == .started ? [.audit(authorization)] : []
    // Deliveries stop before the owner is told of less, and begin after it is told of more.
    if engagement.follows != level { actions += engagement.cut() }
    if !authorization.isAuthorized { actions += settle() }
    if (authorization.status, authorization.reason) != (old.status, old.reason) {
      actions.append(.announce(authorization))
    }
    if authorization.status != old.status { actions.append(.changed("AuthorizationStatus")) }
    if authorization.reason != old.reason { actions.append(.changed("AuthorizationReason")) }
    return actions + settle()
  }

  private mutating func deliver(_ location: Location, _ level: AccuracyLevel) -> [ClientAction] {
    guard isActive, level <= self.level else { return [] }
    let delivery = Delivery(location: location, level: level, isReduced: authorization.level < options.accuracy)
    last = delivery
    let isLast = budget.countDelivery()
    return [.deliver(delivery)] + (isLast ? end(.completed) : [])
  }

  private func isComplete(_ now: UInt64) -> Bool { budget.isComplete(at: now) }

  private func armDeadline() -> [ClientAction] { budget.deadline.map { [.armTimer($0)] } ?? [] }

  private mutating func end(_ reason: ClosedReason?) -> [ClientAction] {
    state = .over
    let actions = settle()
    last = nil
    return actions + [.end(reason)]
  }

  /// Makes what is drawn from the service agree with what is wanted and allowed.
  private mutating func settle() -> [ClientAction] {
    if !authorization.isAuthorized { last = nil }
    let wasActive = engagement.isReceiving
    let actions = engagement.change(
      to: Engagement(need: need, follows: isActive ? level : nil, isReceiving: isActive))
    return (wasActive != isActive ? [.changed("Active")] : []) + actions
  }

  /// The level for which the source is needed; where the source decides, also before it has said yes.
  private var need: AccuracyLevel? {
    guard state == .started else { return nil }
    if authorization.isAuthorized { return level }
    return sourceDecides ? options.accuracy : nil
  }
}
