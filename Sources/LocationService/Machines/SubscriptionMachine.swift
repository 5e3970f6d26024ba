// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import MainLoop

/// The state machine of a subscription: what its owner wants, may have, and has been sent.
nonisolated struct SubscriptionMachine: ObjectMachine {
  private(set) var options: ClientOptions
  /// The last delivery. Nil before the first location and as soon as access is lost.
  private(set) var last: Delivery?
  var object: ObjectState<Kind>
  private var budget: UpdateBudget<BootClock>

  init(_ options: ClientOptions, _ authorization: Authorization, sourceDecides: Bool) {
    self.options = options
    object = ObjectState(options.accuracy, authorization, sourceDecides: sourceDecides)
    budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
  }

  enum Event: ObjectEvent {
    case start(after: UInt64)
    case stop
    /// The owner changed its options.
    case options(ClientOptions)
    case access(ClientAccess)
    case location(Location)
    case slept
    case clockChanged
    case timer
    case close(ClosedReason?)
  }

  enum Kind: Equatable, Sendable {
    case deliver(Delivery)
  }

  var delivered: UInt64 { budget.delivered }

  var deadline: BootInstant? { object.isOver ? nil : budget.deadline }

  mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
    guard !object.isOver else { return [] }
    let actions = react(to: event, at: now)
    // The chain that ends here forgets the last delivery, too.
    // A comparison of whole actions would copy their locations.
    for case .follow(nil) in actions { last = nil }
    return actions
  }
}

nonisolated extension SubscriptionMachine {
  private mutating func react(to event: Event, at now: BootInstant) -> [Action] {
    switch event {
    case .start(let stops):
      let (actions, begins) = object.start(after: stops)
      guard begins else { return actions }
      budget.started(at: now)
      return actions + object.settle()
    case .stop: return object.stop()
    case .options(let options):
      self.options = options
      return object.ask(for: options.accuracy)
    case .access(let access): return object.change(to: access.authorization)
    case .location(let location): return deliver(location)
    case .timer: return budget.isComplete(at: now) ? object.end(.completed) : []
    case .slept, .clockChanged:
      last = nil
      return []
    case .close(let reason): return object.end(reason)
    }
  }

  private mutating func deliver(_ location: Location) -> [Action] {
    guard isActive, location.level <= level else { return [] }
    let delivery = Delivery(location: location, isReduced: object.isReduced)
    last = delivery
    let isLast = budget.countDelivery()
    return isLast ? [.own(.own(.deliver(delivery)))] + object.end(.completed) : [.own(.own(.deliver(delivery)))]
  }
}
