// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistContract
import GeopublicistLocationModel

/// Keeps a subscription or region alive across restarts of the service: a pure state machine that creates and starts
/// the object again, with growing pauses while that fails, and reports changes of the authorization.
nonisolated struct KeptObject<Update: Sendable> {
  typealias Event = ServiceObjectEvent
  typealias Action = ServiceObjectAction<Update>

  private enum State: Equatable {
    case idle
    /// The call is pending. If it takes long, that is reported at this time.
    case creating(overdueAt: MonotonicInstant)
    case starting(ObjectPath)
    case running(ObjectPath)
    /// A rule forbids the start, which is repeated when the rule changes. The sentence explains the first authorization.
    case refused(ObjectPath, sentence: String)
    /// Waiting until the service is back, or for the next attempt.
    case waiting(until: MonotonicInstant)
    /// Waiting for another connection to the bus.
    case disconnected
    case over
  }

  private enum Outage { case none, interrupted, told }

  /// The pause before the first attempt after the service was killed; doubled after each failure.
  static var firstPause: Duration { .milliseconds(250) }
  static var longestPause: Duration { .seconds(30) }
  /// The pause before the first attempt after an orderly shutdown, which may be an upgrade.
  static var pauseAfterShutdown: Duration { .seconds(3) }
  /// How long the creation is pending before a failure is reported. The call remains pending, because an object that
  /// is created later would otherwise be unknown to its program.
  static var reportDelay: Duration { .seconds(25) }

  private var state = State.idle
  /// The object of an owner that is no longer the service's. A service whose connection was closed by the bus returns
  /// with the objects that it had, perhaps after some attempts to create another one.
  private var former: ObjectPath?
  private let starts: Bool
  private(set) var attempt: UInt64 = 0
  private var owner: BusName?
  private var failures = 0
  private var outage = Outage.none
  private var authorization = KeptAuthorization()

  /// Creates the machine without an object. An object that is not started reports only its authorization.
  init(starts: Bool) { self.starts = starts }

  /// When ``ServiceObjectEvent/timer`` is due.
  var deadline: MonotonicInstant? {
    let call: MonotonicInstant? =
      switch state {
      case .waiting(let until): until
      case .creating(let time) where outage != .told: time
      default: nil
      }
    return [call, authorization.deadline].compactMap { $0 }.min()
  }

  var path: ObjectPath? {
    switch state {
    case .starting(let path), .running(let path), .refused(let path, _): path
    case .idle, .creating, .waiting, .disconnected, .over: nil
    }
  }

  /// Whether the object is wanted and has not ended permanently.
  var isKept: Bool { state != .idle && state != .over }

  /// Handles an event and returns the actions to perform, in order. `chance`, from 0 to 1, spreads the calls of many
  /// programs after a restart.
  mutating func handle(_ event: Event, at now: MonotonicInstant, chance: Double = 0) -> [Action] {
    switch event {
    case .wanted: return isKept ? [] : create(now)
    case .unwanted: return end(.idle)
    case .replaced: return close(path) + create(now)
    case .disconnected: return disconnected()
    case .connected: return state == .disconnected ? create(now) : []
    case .ownerChanged(let new): return ownerChanged(to: new, now, chance)
    case .created(let path, let attempt): return created(path, attempt)
    case .started(let attempt): return started(attempt)
    case .failed(let error, let attempt): return failed(error, attempt, now, chance)
    case .notSet: return []
    case .signal(let member, let arguments): return received(member, arguments.compactMap(\.string), now)
    case .authorization(let status, let reason): return decided(status, reason, now)
    case .message(let message): return tell(authorization.explained(by: message))
    case .timer:
      let settled = tell(authorization.timer(at: now))
      switch state {
      case .waiting(let until) where until <= now: return settled + create(now)
      case .creating(let time) where time <= now: return settled + unavailable(Self.noAnswer)
      default: return settled
      }
    }
  }

  mutating func ask(for level: AccuracyLevel) { authorization.asked = level }

  /// Handles the level of a location, which shows how coarse a reduced grant is.
  mutating func revealed(_ level: AccuracyLevel, isReduced: Bool) -> [Action] {
    tell(authorization.revealed(level, isReduced: isReduced))
  }

  /// Closes the object permanently and reports the reason.
  mutating func complete(_ reason: String) -> [Action] {
    guard isKept else { return [] }
    return end(.over) + [.tell(.closed(reason))]
  }
}

nonisolated extension KeptObject {
  private static var noAnswer: DBusError { DBusError(.noReply, "The service has not answered yet") }

  private var isCreating: Bool { if case .creating = state { true } else { false } }

  private mutating func create(_ now: MonotonicInstant) -> [Action] {
    attempt &+= 1
    state = .creating(overdueAt: now + Self.reportDelay)
    return close(former) + [.renew(attempt: attempt)]
  }

  private func close(_ path: ObjectPath?) -> [Action] { path.map { [.close($0)] } ?? [] }

  private mutating func end(_ state: State) -> [Action] {
    let closed = close(path) + close(former)
    former = nil
    (self.state, failures, outage, authorization) = (state, 0, .none, KeptAuthorization())
    return closed
  }

  private mutating func created(_ path: ObjectPath, _ attempt: UInt64) -> [Action] {
    guard attempt == self.attempt, isCreating else { return [.close(path)] }
    former = nil
    guard starts else {
      state = .running(path)
      return [.follow(path), .readAuthorization(path)] + resume()
    }
    state = .starting(path)
    return [.follow(path), .start(path, attempt: attempt)]
  }

  private mutating func started(_ attempt: UInt64) -> [Action] {
    guard attempt == self.attempt, case .starting(let path) = state else { return [] }
    state = .running(path)
    return resume()
  }

  private mutating func resume() -> [Action] {
    failures = 0
    defer { outage = .none }
    return outage == .none ? [] : [.tell(.resumed)]
  }

  private mutating func failed(_ error: DBusError, _ attempt: UInt64, _ now: MonotonicInstant, _ chance: Double)
    -> [Action]
  {
    guard attempt == self.attempt else { return [] }
    if error.name == .notAuthorized, case .starting(let path) = state {
      state = .refused(path, sentence: error.message)
      failures = 0
      return [.tell(.refused(error)), .readAuthorization(path)]
    }
    guard isCreating || path != nil else { return [] }
    if Self.isFinal(error) { return end(.over) + [.tell(.failed(error, isFinal: true))] }
    let abandoned = close(path)
    wait(now, chance)
    return abandoned + unavailable(error)
  }

  /// Reports the first failure of an outage.
  private mutating func unavailable(_ error: DBusError) -> [Action] {
    guard outage != .told else { return [] }
    outage = .told
    return [.tell(.failed(error, isFinal: false))]
  }

  /// Whether the same call would fail again.
  private static func isFinal(_ error: DBusError) -> Bool {
    [.invalidOption, .invalidArgs, .unknownMethod, .unknownInterface].contains(error.name)
  }

  private mutating func ownerChanged(to new: BusName?, _ now: MonotonicInstant, _ chance: Double) -> [Action] {
    let old = owner
    owner = new
    switch state {
    case .idle, .disconnected, .over: return []
    case .waiting: return new == nil ? [] : create(now)
    // The pending call has started the service, or fails because its owner has exited. A service that had lost its
    // connection still has the former object, which could not be closed before.
    case .creating where old == nil || new == nil: return new == nil ? [] : close(former)
    case .creating: return create(now)
    case .starting, .running, .refused:
      guard old != nil else { return [] }
      former = path
      let interruption = interrupt()
      if new != nil { return interruption + create(now) }
      wait(now, chance)
      return interruption
    }
  }

  private mutating func disconnected() -> [Action] {
    guard isKept else { return [] }
    let wasCreated = path != nil
    // Answers to the calls on that connection no longer count.
    attempt &+= 1
    (state, owner, former) = (.disconnected, nil, nil)
    guard !wasCreated else { return interrupt() }
    authorization.interrupted()
    return []
  }

  private mutating func closed(_ reason: String, _ now: MonotonicInstant) -> [Action] {
    guard reason == "shutdown" else {
      (state, authorization) = (.over, KeptAuthorization())
      return [.tell(.closed(ContractWord.closing(reason)))]
    }
    // The service releases its name next, and owns it again if this is a restart.
    state = .waiting(until: now + Self.pauseAfterShutdown)
    return interrupt()
  }

  private mutating func interrupt() -> [Action] {
    authorization.interrupted()
    guard outage == .none else { return [.lost] }
    outage = .interrupted
    return [.lost, .tell(.interrupted)]
  }

  private mutating func wait(_ now: MonotonicInstant, _ chance: Double) {
    let half = min(Self.longestPause, Self.firstPause * (1 << min(failures, 10))) / 2
    failures += 1
    // The wait is a random part of the pause, at least half of it.
    state = .waiting(until: now + half + .microseconds(Int64(Double(half.microseconds) * min(max(chance, 0), 1))))
  }
}

/// Signals and answers of the service.
nonisolated extension KeptObject {
  private mutating func received(_ member: MemberName, _ texts: [String], _ now: MonotonicInstant) -> [Action] {
    guard path != nil else { return [] }
    switch member {
    case SubscriptionInterface.authorizationChanged where texts.count == 2: return decided(texts[0], texts[1], now)
    case SubscriptionInterface.closed where texts.count == 1: return closed(texts[0], now)
    default: return []
    }
  }

  private mutating func decided(_ status: String, _ reason: String, _ now: MonotonicInstant) -> [Action] {
    guard let path, var new = authorization.read(status, reason) else { return [] }
    var actions: [Action] = []
    if case .refused(_, let sentence) = state {
      if new.status == .restricted {
        new = new.explained(by: sentence)
        state = .refused(path, sentence: "")
      } else {
        // The rule that forbade the start no longer applies.
        state = .starting(path)
        actions.append(.start(path, attempt: attempt))
      }
    }
    actions += tell(authorization.decided(new, at: now))
    return actions + (new.isWorthExplaining ? [.readMessage(path)] : [])
  }

  private func tell(_ authorization: Authorization?) -> [Action] {
    authorization.map { [.tell(.authorization($0))] } ?? []
  }
}
