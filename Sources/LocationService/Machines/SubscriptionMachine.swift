// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

/// The state machine of a subscription: what its owner wants, may have, and has been sent.
nonisolated struct SubscriptionMachine: ObjectMachine {
  private(set) var options: ClientOptions
  /// The last delivery. Nil before the first location and as soon as access is lost.
  private(set) var last: Delivery?
  var object: ObjectState
  private var budget: UpdateBudget<BootClock>

  init(_ options: ClientOptions, _ authorization: Authorization, sourceDecides: Bool) {
    self.options = options
    object = ObjectState(options.accuracy, authorization, sourceDecides: sourceDecides)
    budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
  }

  var delivered: UInt64 { budget.delivered }

  mutating func handle(_ event: ClientEvent, at now: BootInstant) -> [ClientAction] {
    guard !object.isOver else { return [] }
    let actions = react(to: event, at: now)
    // The chain forgets what was sent last, too.
    if actions.contains(.follow(nil)) { last = nil }
    return actions
  }
}

nonisolated extension SubscriptionMachine {
  private mutating func react(to event: ClientEvent, at now: BootInstant) -> [ClientAction] {
    switch event {
    case .start(let stops):
      let (actions, begins) = object.start(after: stops)
      guard begins else { return actions }
      budget.started(at: now)
      return actions + armDeadline() + object.settle()
    case .stop: return object.stop()
    case .options(let options):
      self.options = options
      return object.ask(for: options.accuracy)
    case .standing(let standing): return object.change(to: standing.authorization)
    case .location(let location, let level): return deliver(location, level)
    case .timer: return budget.isComplete(at: now) ? end(.completed) : armDeadline()
    case .clockChanged:
      last = nil
      return armDeadline()
    case .close(let reason): return end(reason)
    case .ownerLeft: return end(nil)
    case .prepared, .source, .dialogEnded, .dialogUnavailable, .slept, .check: return []
    }
  }

  private mutating func deliver(_ location: Location, _ level: AccuracyLevel) -> [ClientAction] {
    guard isActive, level <= self.level else { return [] }
    let delivery = Delivery(location: location, isReduced: object.isReduced)
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
