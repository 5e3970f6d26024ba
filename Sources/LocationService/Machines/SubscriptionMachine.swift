// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The state machine of a subscription: what its owner wants, may have, and has been sent.
nonisolated struct SubscriptionMachine: ObjectMachine {
  private(set) var options: ClientOptions
  /// The last delivery. Nil before the first location and as soon as access is lost.
  private(set) var last: Delivery?
  var object: ObjectState
  private var budget: UpdateBudget

  init(_ options: ClientOptions, _ authorization: Authorization, sourceDecides: Bool) {
    self.options = options
    object = ObjectState(options.accuracy, authorization, sourceDecides: sourceDecides)
    budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
  }

  var delivered: UInt64 { budget.delivered }

  mutating func handle(_ event: ClientEvent, at now: UInt64) -> [ClientAction] {
    guard !object.isOver else { return [] }
    switch event {
    case .start(let wish):
      let (actions, begins) = object.start(wish)
      guard begins else { return actions }
      budget.started(at: now)
      return actions + armDeadline() + object.settle()
    case .stop: return object.stop()
    case .options(let options):
      self.options = options
      return object.ask(for: options.accuracy)
    case .standing(let standing):
      let actions = object.change(to: standing.authorization)
      // The last delivery may reveal more than is allowed now.
      if let last, last.level > level { self.last = nil }
      return actions
    case .location(let location, let level, _): return deliver(location, level)
    case .failure(let error): return object.isStarted && authorization.status != .restricted ? [.report(error)] : []
    case .timer: return budget.isComplete(at: now) ? end(.completed) : armDeadline()
    case .clockChanged:
      last = nil
      return armDeadline()
    case .close(let reason): return end(reason)
    case .ownerLeft: return end(nil)
    case .prepared, .source, .dialogEnded, .dialogUnavailable, .slept, .check: return []
    }
  }
}

nonisolated extension SubscriptionMachine {
  private mutating func deliver(_ location: Location, _ level: AccuracyLevel) -> [ClientAction] {
    guard isActive, level <= self.level else { return [] }
    let delivery = Delivery(location: location, level: level, isReduced: object.isReduced)
    last = delivery
    let isLast = budget.countDelivery()
    return isLast ? [.deliver(delivery)] + end(.completed) : [.deliver(delivery)]
  }

  private func armDeadline() -> [ClientAction] { budget.deadline.map { [.armTimer($0)] } ?? [] }

  private mutating func end(_ reason: ClosedReason?) -> [ClientAction] {
    last = nil
    return object.end(reason)
  }
}
