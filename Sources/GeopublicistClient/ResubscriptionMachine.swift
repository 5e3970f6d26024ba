// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Keeps one subscription at the service, as a pure value: when the service is restarted, it subscribes again, and nothing
/// that the program was told before is repeated.
///
/// All times are microseconds of a clock that does not jump.
nonisolated struct ResubscriptionMachine {
  enum Event {
    /// The program wants updates with these options, or none any more.
    case want(ClientOptions?)
    /// Another connection owns the service's name, or none.
    case ownerChanged(BusName?)
    case created(ObjectPath, attempt: UInt64)
    case started(attempt: UInt64)
    /// `CreateSubscription` or `Start` has failed.
    case failed(DBusError, attempt: UInt64)
    case location(ServiceLocation)
    case authorization(status: String, reason: String)
    /// The service's sentence about the authorization.
    case message(String)
    case error(DBusError)
    case closed(String)
    case timer
  }

  enum Action {
    case create(ClientOptions, attempt: UInt64)
    /// Hears the signals of this subscription from now on.
    case follow(ObjectPath)
    case start(ObjectPath, attempt: UInt64)
    case close(ObjectPath)
    case set(ObjectPath, ClientOption, ClientOptions)
    /// Reads the status, the reason and the message.
    case readAuthorization(ObjectPath)
    case readMessage(ObjectPath)
    case tell(ServiceSubscription.Event)
  }

  private enum State: Equatable {
    case idle
    case creating
    case starting(ObjectPath)
    case running(ObjectPath)
    /// A rule forbids it; started as soon as that changes.
    case refused(ObjectPath)
    /// Until the service is back, or is to be called again.
    case waiting(until: UInt64)
    case over
  }

  /// Microseconds until the service is called again after it was killed; doubled after each failure.
  static let firstPause: UInt64 = 250_000
  static let longestPause: UInt64 = 30_000_000
  /// A service that was stopped in order may be in the middle of an upgrade.
  static let pauseAfterShutdown: UInt64 = 3_000_000
  /// How long after a restart `undecided` is not told: the service decides again what it had decided before.
  static let settlingTime: UInt64 = 10_000_000

  private var state = State.idle
  private let starts: Bool
  private var wanted: ClientOptions?
  /// The options that the service has.
  private var set = ClientOptions()
  private var attempt: UInt64 = 0
  private var owner: BusName?
  private var failures: UInt64 = 0
  private var outage = Outage.none
  private var budget = UpdateBudget()
  private var wasInterrupted = false
  private var last: Location?
  private var isFirst = false
  private var authorization: Authorization?
  private var level: AccuracyLevel?
  private var unsettled: (authorization: Authorization, until: UInt64)?

  private enum Outage { case none, interrupted, told }

  /// Makes one that wants nothing yet; one that does not start its subscription hears only of the authorization.
  init(starts: Bool = true) { self.starts = starts }

  /// When ``Event/timer`` is due.
  var deadline: UInt64? {
    var times: [UInt64] = []
    if case .waiting(let until) = state { times.append(until) }
    if let unsettled { times.append(unsettled.until) }
    if state != .idle, state != .over, wasInterrupted, let end = budget.deadline { times.append(end) }
    return times.min()
  }

  private var path: ObjectPath? {
    switch state {
    case .starting(let path), .running(let path), .refused(let path): path
    case .idle, .creating, .waiting, .over: nil
    }
  }

  /// Takes an event in and returns what to do, in this order. `chance`, 0 to 1, spreads the calls of many programs after
  /// a restart.
  mutating func handle(_ event: Event, at now: UInt64, chance: Double = 0) -> [Action] {
    switch event {
    case .want(let options): return want(options)
    case .ownerChanged(let new): return ownerChanged(to: new, now, chance)
    case .created(let path, let attempt): return created(path, attempt)
    case .started(let attempt): return started(attempt, now)
    case .failed(let error, let attempt): return failed(error, attempt, now, chance)
    case .location(let location): return deliver(location)
    case .authorization(let status, let reason): return decided(status, reason, now)
    case .message(let message): return explained(by: message)
    case .error(let error): return state == .idle || state == .over ? [] : [.tell(.failure(error))]
    case .closed(let reason): return closed(reason, now)
    case .timer: return timer(now)
    }
  }
}

/// What the program wants.
nonisolated extension ResubscriptionMachine {
  private mutating func want(_ options: ClientOptions?) -> [Action] {
    guard let options else {
      let close = path.map { [Action.close($0)] } ?? []
      self = ResubscriptionMachine(starts: starts, after: self)
      return close
    }
    let isNew = wanted == nil
    wanted = options
    if isNew {
      budget = UpdateBudget(maxUpdates: options.maximumUpdates, duration: options.duration)
      return create()
    }
    if let path { return adjust(path) }
    return []
  }

  private init(starts: Bool, after old: ResubscriptionMachine) {
    self.init(starts: starts)
    (attempt, owner) = (old.attempt, old.owner)
  }

  /// Makes the options that the service has those that are wanted.
  private mutating func adjust(_ path: ObjectPath) -> [Action] {
    guard let wanted, wanted != set else { return [] }
    var changeable = set
    let changes = ClientOption.ofSubscription.filter { $0.property != nil && $0.value(in: set) != $0.value(in: wanted) }
    for option in changes { try? option.set(option.value(in: wanted), in: &changeable) }
    // What only a new subscription can have; the counts began with the old one.
    (changeable.maximumUpdates, changeable.duration) = (wanted.maximumUpdates, wanted.duration)
    guard changeable == wanted else { return [.close(path)] + create() }
    if wanted.accuracy != set.accuracy { last = nil }
    set = wanted
    return changes.map { .set(path, $0, wanted) }
  }

  private mutating func create() -> [Action] {
    guard let wanted else { return [] }
    attempt &+= 1
    state = .creating
    set = wanted
    var options = wanted
    // After an interruption this machine counts, since the service begins again.
    if wasInterrupted { (options.maximumUpdates, options.duration) = (0, 0) }
    return [.create(options, attempt: attempt)]
  }
}

/// What becomes of the subscription.
nonisolated extension ResubscriptionMachine {
  private mutating func created(_ path: ObjectPath, _ attempt: UInt64) -> [Action] {
    guard attempt == self.attempt, state == .creating else { return [.close(path)] }
    guard starts else {
      state = .running(path)
      return [.follow(path)] + adjust(path) + [.readAuthorization(path)]
    }
    state = .starting(path)
    return [.follow(path)] + adjust(path) + (state == .starting(path) ? [.start(path, attempt: attempt)] : [])
  }

  private mutating func started(_ attempt: UInt64, _ now: UInt64) -> [Action] {
    guard attempt == self.attempt, case .starting(let path) = state else { return [] }
    state = .running(path)
    failures = 0
    budget.started(at: now)
    defer { outage = .none }
    return outage == .none ? [] : [.tell(.resumed)]
  }

  private mutating func failed(_ error: DBusError, _ attempt: UInt64, _ now: UInt64, _ chance: Double) -> [Action] {
    guard attempt == self.attempt else { return [] }
    if error.name == .notAuthorized, case .starting(let path) = state {
      state = .refused(path)
      failures = 0
      return [.tell(.refused(error)), .readAuthorization(path)]
    }
    guard state == .creating || path != nil else { return [] }
    if Self.isFinal(error) {
      state = .over
      return [.tell(.failed(error, isFinal: true))]
    }
    let abandoned = path.map { [Action.close($0)] } ?? []
    wait(now, Self.firstPause, chance)
    guard outage != .told else { return abandoned }
    outage = .told
    return abandoned + [.tell(.failed(error, isFinal: false))]
  }

  /// Errors that the same call would get again.
  private static func isFinal(_ error: DBusError) -> Bool {
    [.invalidOption, .invalidArgs, .unknownMethod, .unknownInterface].contains(error.name)
  }

  private mutating func ownerChanged(to new: BusName?, _ now: UInt64, _ chance: Double) -> [Action] {
    let old = owner
    owner = new
    switch state {
    case .idle, .over: return []
    case .waiting: return new == nil ? [] : create()
    // The call itself has started the service, or fails if its owner has gone.
    case .creating where old == nil || new == nil: return []
    case .creating: return create()
    case .starting, .running, .refused:
      guard old != nil else { return [] }
      let interruption = interrupt()
      if new != nil { return interruption + create() }
      wait(now, Self.firstPause, chance)
      return interruption
    }
  }

  private mutating func closed(_ reason: String, _ now: UInt64) -> [Action] {
    guard path != nil else { return [] }
    guard reason == "shutdown" else {
      state = .over
      return [.tell(.closed(reason))]
    }
    let interruption = interrupt()
    // The name goes next, and comes back when the service is only restarted.
    state = .waiting(until: now.saturatingAdd(Self.pauseAfterShutdown))
    return interruption
  }

  /// The subscription is gone with the service.
  private mutating func interrupt() -> [Action] {
    isFirst = true
    wasInterrupted = true
    guard outage == .none else { return [] }
    outage = .interrupted
    return [.tell(.interrupted)]
  }

  private mutating func wait(_ now: UInt64, _ pause: UInt64, _ chance: Double) {
    let longest = min(Self.longestPause, pause << min(failures, 10))
    failures += 1
    // Between half of it and all of it.
    state = .waiting(until: now.saturatingAdd(longest / 2 + UInt64(Double(longest / 2) * min(max(chance, 0), 1))))
  }

  private mutating func timer(_ now: UInt64) -> [Action] {
    var actions: [Action] = []
    if let unsettled, unsettled.until <= now { actions += settle(unsettled.authorization) }
    if wasInterrupted, budget.isComplete(at: now) { return actions + complete() }
    if case .waiting(let until) = state, until <= now { actions += create() }
    return actions
  }

  private mutating func complete() -> [Action] {
    guard state != .idle, state != .over else { return [] }
    let close = path.map { [Action.close($0)] } ?? []
    state = .over
    return close + [.tell(.closed("completed"))]
  }
}

/// What the program is told.
nonisolated extension ResubscriptionMachine {
  private mutating func deliver(_ location: ServiceLocation) -> [Action] {
    guard path != nil else { return [] }
    let isRepeated = isFirst && !isWorthDelivering(location.location)
    isFirst = false
    guard !isRepeated else { return [] }
    last = location.location
    level = AccuracyLevel(contractName: location.level)
    var actions: [Action] = []
    if let authorization, let level, authorization.isAuthorized, location.isReduced, authorization.level != level {
      actions += settle(authorized(as: authorization.status, level))
    }
    let isComplete = budget.countDelivery()
    actions.append(.tell(.location(location)))
    return actions + (isComplete && wasInterrupted ? complete() : [])
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
    guard let path else { return [] }
    // How coarse it is shows in the first location.
    let reduced = level ?? .country
    let granted = reason == AuthorizationReason.reducedAccuracy.rawValue ? reduced : set.accuracy
    guard let new = Authorization(status: status, reason: reason, level: granted, asked: set.accuracy)
    else { return [] }
    var actions: [Action] = []
    if case .refused = state, new.status != .restricted {
      state = .starting(path)
      actions.append(.start(path, attempt: attempt))
    }
    if new.reason == .undecided, let authorization, authorization.reason != .undecided, isFirst {
      unsettled = (new, now.saturatingAdd(Self.settlingTime))
      return actions
    }
    actions += settle(new)
    if new.reason != .none, new.reason != .undecided { actions.append(.readMessage(path)) }
    return actions
  }

  private func authorized(as status: AuthorizationStatus, _ level: AccuracyLevel) -> Authorization {
    .authorized(status == .authorizedAlways ? .always : .whenInUse, level: level, asked: set.accuracy)
  }

  private mutating func settle(_ new: Authorization) -> [Action] {
    unsettled = nil
    // A later location is the first again, wherever it is.
    if !new.isAuthorized { last = nil }
    // The service repeats after a restart what it said before, without the sentence that was read then.
    let isKnown = authorization.map { $0 == new || $0.explained(by: "") == new } ?? false
    guard !isKnown else { return [] }
    authorization = new
    return [.tell(.authorization(new))]
  }

  private mutating func explained(by message: String) -> [Action] {
    guard path != nil, let authorization else { return [] }
    let new = authorization.explained(by: message)
    guard new != authorization else { return [] }
    self.authorization = new
    return [.tell(.authorization(new))]
  }
}
