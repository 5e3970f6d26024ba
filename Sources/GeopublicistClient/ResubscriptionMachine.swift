// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Keeps one subscription at the service: after a restart of the service it continues, and nothing that the program was
/// told before is repeated.
nonisolated struct ResubscriptionMachine: ServiceObjectMachine {
  typealias Told = ServiceSubscription.Event

  private var object: KeptObject
  private var authorization = KeptAuthorization()
  private var wanted: ClientOptions?
  /// The options that the service has.
  private var set = ClientOptions()
  private var budget = UpdateBudget()
  /// The service counts from zero again, so that this machine counts.
  private var wasInterrupted = false
  private var last: Location?
  private var isFirst = false
  private var level: AccuracyLevel?

  /// Makes one that wants nothing yet; one that does not start its subscription hears only of the authorization.
  init(starts: Bool = true) { object = KeptObject(starts: starts) }

  var deadline: UInt64? {
    let end = object.isKept && wasInterrupted ? budget.deadline : nil
    return [object.deadline, authorization.deadline, end].compactMap { $0 }.min()
  }

  /// Wants updates with these options, or none any more.
  mutating func want(_ options: ClientOptions?, at now: UInt64) -> [Action] {
    guard let options else {
      wanted = nil
      (authorization, last, level, isFirst, wasInterrupted) = (KeptAuthorization(), nil, nil, false, false)
      return perform(object.handle(.unwanted, at: now))
    }
    let isNew = wanted == nil
    wanted = options
    guard isNew else { return adjust(at: now) }
    budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
    return perform(object.handle(.wanted, at: now))
  }

  mutating func handle(_ event: ServiceObjectEvent, at now: UInt64, chance: Double) -> [Action] {
    switch event {
    case .object(let event):
      switch event {
      case .created:
        // Changes that were made meanwhile come before the start.
        var actions = perform(object.handle(event, at: now))
        actions.insert(contentsOf: adjust(at: now), at: min(1, actions.count))
        return actions
      case .started(object.attempt): budget.started(at: now)
      case .timer: return timer(now)
      default: break
      }
      return perform(object.handle(event, at: now, chance: chance))
    case .signal(let member, let arguments): return received(member, arguments, now)
    case .authorization(let status, let reason): return decided(status, reason, now)
    case .message(let message): return tell(authorization.explained(by: message))
    }
  }
}

nonisolated extension ResubscriptionMachine {
  private mutating func perform(_ actions: [KeptObject.Action]) -> [Action] {
    actions.flatMap { action -> [Action] in
      switch action {
      case .create(let attempt): return create(attempt)
      case .lost:
        (isFirst, wasInterrupted) = (true, true)
        authorization.interrupted()
        return []
      case .tell(let news): return [.tell(Told(news))]
      default: return [.object(action)]
      }
    }
  }

  private mutating func create(_ attempt: UInt64) -> [Action] {
    guard let wanted else { return [] }
    set = wanted
    var options = wanted
    if wasInterrupted { (options.maximumUpdates, options.duration) = (0, 0) }
    return [.create("CreateSubscription", options.value(ClientOption.ofSubscription), attempt: attempt)]
  }

  /// Makes the options that the service has those that are wanted.
  private mutating func adjust(at now: UInt64) -> [Action] {
    guard let path = object.path, let wanted, wanted != set else { return [] }
    var changeable = set
    let changes = ClientOption.ofSubscription.filter { $0.property != nil && $0.value(in: set) != $0.value(in: wanted) }
    for option in changes { try? option.set(option.value(in: wanted), in: &changeable) }
    // The counts began with the old options.
    (changeable.maximumUpdates, changeable.duration) = (wanted.maximumUpdates, wanted.duration)
    guard changeable == wanted else { return perform(object.handle(.replaced, at: now)) }
    if wanted.accuracy != set.accuracy { last = nil }
    set = wanted
    return changes.compactMap { option in
      option.property.flatMap(MemberName.init(validating:)).map {
        .set(path, $0, Value(option.value(in: wanted), for: option))
      }
    }
  }

  private mutating func timer(_ now: UInt64) -> [Action] {
    let settled = tell(authorization.timer(at: now))
    if wasInterrupted, budget.isComplete(at: now) { return settled + perform(object.complete("completed")) }
    return settled + perform(object.handle(.timer, at: now))
  }
}

/// What the service says.
nonisolated extension ResubscriptionMachine {
  private mutating func received(_ member: MemberName, _ arguments: [Value], _ now: UInt64) -> [Action] {
    guard object.path != nil else { return [] }
    let texts = arguments.compactMap(\.string)
    switch member {
    case "LocationUpdated": return arguments.first.flatMap(ServiceLocation.init).map { deliver($0, now) } ?? []
    case "AuthorizationChanged" where texts.count == 2: return decided(texts[0], texts[1], now)
    case "ErrorOccurred" where texts.count == 2:
      return ErrorName(validating: texts[0]).map { [.tell(.failure(DBusError($0, texts[1])))] } ?? []
    case "Closed" where texts.count == 1: return perform(object.handle(.closed(texts[0]), at: now))
    default: return []
    }
  }

  private mutating func deliver(_ location: ServiceLocation, _ now: UInt64) -> [Action] {
    let isRepeated = isFirst && !isWorthDelivering(location.location)
    isFirst = false
    guard !isRepeated else { return [] }
    last = location.location
    level = AccuracyLevel(contractName: location.level)
    var actions: [Action] = []
    if let told = authorization.told, let level, told.isAuthorized, location.isReduced, told.level != level {
      let scope: Authorization.Scope = told.status == .authorizedAlways ? .always : .whenInUse
      actions += tell(authorization.decided(.authorized(scope, level: level, asked: set.accuracy), at: now))
    }
    let isComplete = budget.countDelivery()
    actions.append(.tell(.location(location)))
    return actions + (isComplete && wasInterrupted ? perform(object.complete("completed")) : [])
  }

  /// Whether the first location after a restart would have been delivered without it.
  private func isWorthDelivering(_ location: Location) -> Bool {
    guard let last else { return true }
    var rule = DeliveryRule(
      DeliveryRule.Configuration(
        distanceThreshold: set.distanceThreshold, requiredAccuracy: set.requiredAccuracy,
        isSignificant: set.mode == .significant))
    _ = rule.received(last, at: 0)
    return rule.received(location, at: .max).contains { if case .deliver = $0 { true } else { false } }
  }

  private mutating func decided(_ status: String, _ reason: String, _ now: UInt64) -> [Action] {
    // How coarse it is shows in the first location.
    let granted = reason == AuthorizationReason.reducedAccuracy.rawValue ? level ?? .country : set.accuracy
    guard let path = object.path,
      let new = Authorization(status: status, reason: reason, level: granted, asked: set.accuracy)
    else { return [] }
    let start = new.status == .restricted ? [] : perform(object.handle(.unrestricted, at: now))
    let told = tell(authorization.decided(new, at: now))
    return start + told + (KeptAuthorization.isWorthExplaining(new) ? [.readMessage(path)] : [])
  }

  private mutating func tell(_ authorization: Authorization?) -> [Action] {
    guard let authorization else { return [] }
    // A later location is the first again, wherever it is.
    if !authorization.isAuthorized { last = nil }
    return [.tell(.authorization(authorization))]
  }
}

nonisolated extension ServiceSubscription.Event {
  fileprivate init(_ news: KeptObject.News) {
    self =
      switch news {
      case .interrupted: .interrupted
      case .resumed: .resumed
      case .refused(let error): .refused(error)
      case .failed(let error, let isFinal): .failed(error, isFinal: isFinal)
      case .closed(let reason): .closed(reason)
      }
  }
}
