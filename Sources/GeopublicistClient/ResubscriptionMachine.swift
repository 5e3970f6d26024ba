// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// Keeps one subscription at the service: a pure state machine that subscribes again after a restart and repeats
/// nothing.
nonisolated struct ResubscriptionMachine: ServiceObjectMachine {
  typealias Update = ServiceLocation

  private var object: KeptObject<Update>
  private var wanted: ClientOptions?
  /// The options that were sent last. The service may not apply those in ``unset`` yet.
  private var set = ClientOptions()
  /// Properties of the object at `path` that could not be changed, and when to repeat that.
  private var unset: (path: ObjectPath, properties: [MemberName], until: MonotonicInstant)?
  private var budget = UpdateBudget<MonotonicClock>()
  /// After an interruption the service counts from zero, so the machine counts updates and time.
  private var wasInterrupted = false
  private var last: Location?
  private var isFirst = false

  /// Wants nothing yet. A subscription that is not started reports only the authorization.
  init(starts: Bool = true) { object = KeptObject(starts: starts) }

  var deadline: MonotonicInstant? {
    let end = object.isKept && wasInterrupted ? budget.deadline : nil
    let again = unset.flatMap { $0.path == object.path ? $0.until : nil }
    return [object.deadline, end, again].compactMap { $0 }.min()
  }

  mutating func handle(_ event: ServiceObjectEvent, at now: MonotonicInstant, chance: Double) -> [Action] {
    switch event {
    case .wanted(let options):
      let isNew = wanted == nil
      wanted = options
      guard isNew else { return adjust(at: now) }
      budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
    case .unwanted: (wanted, last, isFirst, wasInterrupted) = (nil, nil, false, false)
    case .created:
      // Options that have changed meanwhile are set before the start.
      var actions = perform(object.handle(event, at: now))
      actions.insert(contentsOf: adjust(at: now), at: min(1, actions.count))
      return actions
    case .started(object.attempt): budget.started(at: now)
    case .notSet(let path, let property):
      guard path == object.path else { return [] }
      let before = unset.flatMap { $0.path == path ? $0 : nil }
      let others = before?.properties.filter { $0 != property } ?? []
      unset = (path, others + [property], before?.until ?? now + CallFailure.pauseAfterLimit * (1 + chance))
      return []
    case .timer where wasInterrupted && budget.isComplete(at: now): return perform(object.complete("completed"))
    case .timer: return changeAgain(at: now) + perform(object.handle(event, at: now, chance: chance))
    case .signal(SubscriptionInterface.locationUpdated, let arguments):
      guard object.path != nil, let location = arguments.first.flatMap(ServiceLocation.init) else { return [] }
      return deliver(location)
    case .signal(SubscriptionInterface.errorOccurred, let arguments):
      guard object.path != nil, let failure = DBusError(reported: arguments) else { return [] }
      return [.tell(.failure(failure))]
    default: break
    }
    return perform(object.handle(event, at: now, chance: chance))
  }
}

nonisolated extension ResubscriptionMachine {
  private mutating func perform(_ actions: [Action]) -> [Action] {
    actions.flatMap { action -> [Action] in
      switch action {
      case .renew(let attempt): return create(attempt)
      case .lost:
        (isFirst, wasInterrupted) = (true, true)
        return []
      case .tell(let event):
        // The next location counts as the first one.
        if case .authorization(let authorization) = event, !authorization.isAuthorized { last = nil }
        return [action]
      default: return [action]
      }
    }
  }

  private mutating func create(_ attempt: UInt64) -> [Action] {
    guard let wanted else { return [] }
    set = wanted
    object.ask(for: set.accuracy)
    var options = wanted
    if wasInterrupted { (options.maximumUpdates, options.duration) = (0, .zero) }
    return [
      .create(Location1Interface.createSubscription, options.value(ClientOption.ofSubscription), attempt: attempt)
    ]
  }

  /// Sets the options that differ at the service, or replaces the subscription if one of them cannot be changed.
  private mutating func adjust(at now: MonotonicInstant) -> [Action] {
    guard let path = object.path, let wanted, wanted != set else { return [] }
    var changeable = set
    let changes = ClientOption.ofSubscription.filter { $0.property != nil && $0.value(in: set) != $0.value(in: wanted) }
    for option in changes { try? option.set(option.value(in: wanted), in: &changeable) }
    // Numbers and durations count from the first start.
    (changeable.maximumUpdates, changeable.duration) = (wanted.maximumUpdates, wanted.duration)
    guard changeable == wanted else {
      wasInterrupted = true
      return perform(object.handle(.replaced, at: now))
    }
    if wanted.accuracy != set.accuracy { last = nil }
    set = wanted
    object.ask(for: set.accuracy)
    return changes.compactMap { change($0, to: wanted, at: path) }
  }

  private func change(_ option: ClientOption, to wanted: ClientOptions, at path: ObjectPath) -> Action? {
    option.property.flatMap(MemberName.init(validating:)).map {
      .set(path, $0, Value(option.value(in: wanted), as: option.type))
    }
  }

  /// Repeats changes that were refused or lost, to what is wanted now.
  private mutating func changeAgain(at now: MonotonicInstant) -> [Action] {
    guard let (path, properties, until) = unset, until <= now else { return [] }
    unset = nil
    guard let wanted, path == object.path else { return [] }
    return ClientOption.ofSubscription.compactMap { option in
      properties.contains { $0.rawValue == option.property } ? change(option, to: wanted, at: path) : nil
    }
  }
}

/// Signals and answers of the service.
nonisolated extension ResubscriptionMachine {
  private mutating func deliver(_ location: ServiceLocation) -> [Action] {
    let isRepeated = isFirst && !isWorthDelivering(location.location)
    isFirst = false
    let level = AccuracyLevel(contractName: location.level)
    let told = level.map { perform(object.revealed($0, isReduced: location.isReduced)) } ?? []
    guard !isRepeated else { return told }
    last = location.location
    let isComplete = budget.countDelivery()
    return told + [.tell(.update(location))]
      + (isComplete && wasInterrupted ? perform(object.complete("completed")) : [])
  }

  /// Whether the first location after a restart would have been delivered without the restart, or shows that the device
  /// has moved: the service measures the distance to the next one from there.
  private func isWorthDelivering(_ location: Location) -> Bool {
    guard let last else { return true }
    var configuration = DeliveryRule.Configuration(set)
    // The service has waited for it.
    configuration.debounce = .zero
    var rule = DeliveryRule(configuration)
    rule.received(last, at: .origin)
    _ = rule.next(at: .origin)
    rule.received(location, at: .distantFuture)
    let uncertainty = max(location.accuracy ?? 0, last.accuracy ?? 0)
    return rule.isReady || location.distance(to: last) > uncertainty
  }
}
