// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel

/// Keeps one region at the service: after a restart of the service it is created again with what is known of it.
nonisolated struct RegionKeeper: ServiceObjectMachine {
  typealias Told = ServiceRegion.Event

  private var object = KeptObject(starts: true)
  private var authorization = KeptAuthorization()
  private var memory: RegionMemory
  private let options: ClientOptions
  /// When a region with a `duration` ends, once it was interrupted.
  private var end: UInt64?
  private var wasInterrupted = false
  /// When a known state is lost, because nothing was heard of it after an interruption.
  private var lostAt: UInt64?
  /// What the program was told last.
  private var state = RegionState.unknown
  private var sequence: UInt64 = 0

  /// Keeps nothing yet.
  init(_ options: ClientOptions) {
    self.options = options
    memory = RegionMemory(assumed: options.region.assumed)
  }

  var deadline: UInt64? {
    let own = object.isKept ? [lostAt, wasInterrupted ? end : nil] : []
    return ([object.deadline, authorization.deadline] + own).compactMap { $0 }.min()
  }

  mutating func begin(at now: UInt64) -> [Action] { perform(object.handle(.wanted, at: now), now) }

  mutating func stop(at now: UInt64) -> [Action] { perform(object.handle(.unwanted, at: now), now) }

  mutating func handle(_ event: ServiceObjectEvent, at now: UInt64, chance: Double) -> [Action] {
    switch event {
    case .object(.started(object.attempt)):
      if end == nil, options.duration > 0 { end = now.saturatingAdd(UInt64(options.duration) * 1_000) }
      return performObject(event, now, chance)
    case .object(.timer):
      let settled = tell(authorization.timer(at: now)) + lose(now)
      if wasInterrupted, let end, end <= now { return settled + perform(object.complete("expired"), now) }
      return settled + performObject(event, now, chance)
    case .object: return performObject(event, now, chance)
    case .signal(let member, let arguments): return received(member, arguments, now)
    case .authorization(let status, let reason): return decided(status, reason, now)
    case .message(let message): return tell(authorization.explained(by: message))
    }
  }
}

nonisolated extension RegionKeeper {
  private mutating func performObject(_ event: ServiceObjectEvent, _ now: UInt64, _ chance: Double) -> [Action] {
    guard case .object(let event) = event else { return [] }
    return perform(object.handle(event, at: now, chance: chance), now)
  }

  private mutating func perform(_ actions: [KeptObject.Action], _ now: UInt64) -> [Action] {
    actions.map { action in
      switch action {
      case .create(let attempt):
        var options = options
        options.region.assumed = memory.known
        if wasInterrupted { options.duration = 0 }
        return .create("CreateRegion", options.value(ClientOption.ofRegion), attempt: attempt)
      case .lost:
        wasInterrupted = true
        authorization.interrupted()
        memory.interrupted()
        if state != .unknown, lostAt == nil {
          lostAt = now.saturatingAdd(UInt64(options.region.unknownAfter) * 1_000)
        }
        return .object(.lost)
      case .tell(let news): return .tell(Told(news))
      default: return .object(action)
      }
    }
  }

  private mutating func received(_ member: MemberName, _ arguments: [Value], _ now: UInt64) -> [Action] {
    guard object.path != nil else { return [] }
    let texts = arguments.compactMap(\.string)
    switch member {
    case "StateChanged":
      guard let event = arguments.first.flatMap(ServiceRegionEvent.init) else { return [] }
      let isNew = memory.isNew(event.event)
      if event.event.state != .unknown || isNew { lostAt = nil }
      return isNew ? tell(event) : []
    case "AuthorizationChanged" where texts.count == 2: return decided(texts[0], texts[1], now)
    case "Closed" where texts.count == 1: return perform(object.handle(.closed(texts[0]), at: now), now)
    default: return []
    }
  }

  private mutating func decided(_ status: String, _ reason: String, _ now: UInt64) -> [Action] {
    let isReduced = reason == AuthorizationReason.reducedAccuracy.rawValue
    guard let path = object.path,
      let new = Authorization(
        status: status, reason: reason, level: isReduced ? .country : options.accuracy, asked: options.accuracy)
    else { return [] }
    let start = new.status == .restricted ? [] : perform(object.handle(.unrestricted, at: now), now)
    let told = tell(authorization.decided(new, at: now))
    return start + told + (KeptAuthorization.isWorthExplaining(new) ? [.readMessage(path)] : [])
  }

  /// The service has been away for as long as a state is believed.
  private mutating func lose(_ now: UInt64) -> [Action] {
    guard let time = lostAt, time <= now else { return [] }
    lostAt = nil
    memory.lost()
    return ServiceRegionEvent(lostFrom: state).map { tell($0) } ?? []
  }

  /// Counts the events as the program sees them.
  private mutating func tell(_ event: ServiceRegionEvent) -> [Action] {
    let previous = state
    sequence &+= 1
    state = event.event.state
    return [.tell(.changed(event.numbered(sequence, after: previous)))]
  }

  private func tell(_ authorization: Authorization?) -> [Action] {
    authorization.map { [.tell(.authorization($0))] } ?? []
  }
}

nonisolated extension ServiceRegion.Event {
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
