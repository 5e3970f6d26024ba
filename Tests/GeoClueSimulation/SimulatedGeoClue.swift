// SPDX-License-Identifier: Apache-2.0
import GeoClue
import GeopublicistLocationModel

/// The origin of decisions: random numbers with a seed, or a fuzzer's bytes.
nonisolated package protocol Choices {
  /// A number from 0 to one less than `limit`, which is at most 255.
  mutating func number(below limit: Int) -> Int
}

/// Drives the connection with a GeoClue, a bus, subscribers and an agent that may do anything at any time, and checks
/// the invariants.
///
/// Random numbers drive it in the invariant tests, a fuzzer's bytes in the fuzz target `connection`.
nonisolated package struct SimulatedGeoClue<Source: Choices> {
  private var choices: Source
  /// The first invariant that was broken, with the events before it.
  package private(set) var violation: String?
  private var machine: ConnectionMachine
  private var now = MonotonicInstant(sinceOrigin: .seconds(1_000))
  private var trace: [Step] = []

  private enum Step {
    case event(MonotonicInstant, ConnectionMachine.Event)
    case action(MonotonicInstant, ConnectionMachine.Action)
  }

  private var demand: AccuracyLevel?
  private var isThere = false
  private var hasAgent = true
  private var isCreating = false
  /// The time at which the bus abandons an unanswered activation.
  private var activationEnd: MonotonicInstant?
  private var activations: [MonotonicInstant] = []
  private var starting: String?
  private var clients: Set<String> = []
  private var made = 0

  package init(registersAgent: Bool, choices: Source) {
    machine = ConnectionMachine(registersAgent: registersAgent)
    self.choices = choices
  }

  private mutating func chance(_ percent: Int) -> Bool { choices.number(below: 100) < percent }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[choices.number(below: elements.count)]
  }

  package mutating func step() {
    switch choices.number(below: 17) {
    case 0: setDemand(pick([nil, .country, .city, .street, .exact]))
    case 1 where isThere:
      forget()
      isThere = false
      send(.serviceVanished)
    case 2 where chance(isThere ? 10 : 30): appear()
    case 3 where activationEnd != nil:
      if chance(60) {
        appear()
      } else {
        activationEnd = nil
        send(chance(20) ? .activated : .activationFailed(notInstalled: chance(50)))
      }
    case 4, 5: if hasAgent { answerCreation() }
    case 6 where isCreating && chance(20):
      isCreating = false
      send(.creationFailed(chance(50) ? .other : .refused(.disallowedByPolicy)))
    case 7, 8:
      answerStart(pick([.started, .started, .startFailed(.other), .startFailed(.refused(.disabledByUser))]))
    // Signals arrive at any time, also for a deleted client.
    case 9: send(.fix(isNew: chance(70)))
    case 10: send(.active(chance(50)))
    case 11 where isThere: send(.available(pick([nil] + AccuracyLevel.allCases)))
    case 12: hasAgent.toggle()
    case 13: send(pick([.refresh, .startOver, .timer, .agentRefused]))
    case 14: send(.agentChanged(pick([nil, AccuracyLevel.none, .city, .exact])))
    case 15: pass(.milliseconds(choices.number(below: 256) * 400))
    default: pass(.milliseconds(choices.number(below: 256) * 6))
    }
    check()
  }

  private mutating func check() {
    let status = machine.status
    note(demand == nil || machine.client != nil || machine.deadline != nil, "every wait has a deadline")
    note(machine.deadline.map { $0 <= now + .seconds(400) } ?? true, "no deadline is far away")
    note(clients == Set([machine.client].compactMap { $0 }), "every client is the current one, or deleted")
    note((demand == nil) == (status.state == .idle), "the machine is idle exactly while there is no demand")
    note(demand != nil || clients.isEmpty, "no client is held without demand")
    note(demand != nil || machine.authorization == .undecided, "no authorization is assumed without demand")
    note(isThere || status.availableAccuracy == nil && machine.client == nil, "nothing is held without GeoClue")
    note(status.state != .running || machine.authorization.isAuthorized, "no fixes without authorization")
    note(!machine.acceptsFixes || machine.client != nil, "no fixes without a client")
    note(activations.count { $0 > now - .seconds(60) } <= 25, "no storm of activations")
  }

  /// With a working GeoClue, fixes arrive from any state, and everything is released.
  package mutating func settle() {
    hasAgent = true
    setDemand(.exact)
    for _ in 0..<500 where machine.status.state != .running {
      if activationEnd != nil { appear() }
      answerCreation()
      answerStart(.started)
      if isThere { send(.available(.exact)) }
      if machine.client != nil {
        send(.active(true))
        send(.fix(isNew: true))
      }
      pass(.seconds(1))
    }
    note(machine.status.state == .running, "it recovers")
    setDemand(nil)
    check()
  }

  private mutating func setDemand(_ level: AccuracyLevel?) {
    demand = level
    send(.demand(level))
  }

  private mutating func forget() { (isCreating, starting, clients) = (false, nil, []) }

  private mutating func appear() {
    forget()
    isThere = true
    send(.serviceAppeared)
    // The bus then answers all activations.
    if activationEnd != nil {
      activationEnd = nil
      send(.activated)
    }
  }

  private mutating func answerCreation() {
    guard isThere, isCreating else { return }
    isCreating = false
    made += 1
    clients.insert("/\(made)")
    send(.created(client: "/\(made)"))
  }

  private mutating func answerStart(_ answer: ConnectionMachine.Event) {
    guard starting != nil else { return }
    starting = nil
    send(answer)
  }

  private mutating func pass(_ time: Duration) {
    let end = now + time
    while let next = [machine.deadline, activationEnd].compactMap({ $0 }).min(), next <= end {
      now = max(now, next)
      if let activationEnd, activationEnd <= now {
        self.activationEnd = nil
        send(.activationFailed(notInstalled: false))
      } else {
        send(.timer)
        note(machine.deadline.map { $0 > now } ?? true, "a deadline that has passed does not stay")
      }
      guard violation == nil else { return }
    }
    now = end
  }

  private mutating func send(_ event: ConnectionMachine.Event) {
    trace.append(.event(now, event))
    let actions = machine.handle(event, at: now, chance: Double(choices.number(below: 256)) / 255)
    trace += actions.map { .action(now, $0) }
    for action in actions { perform(action) }
  }

  private mutating func perform(_ action: ConnectionMachine.Action) {
    switch action {
    case .activate:
      note(activationEnd == nil, "one activation at a time")
      activationEnd = now + .seconds(25)
      activations.append(now)
    case .createClient:
      note(isThere && !isCreating, "one client at a time, of a running GeoClue")
      isCreating = true
    case .startClient(let client, let level):
      note(clients.contains(client) && level == demand, "a started client exists and has the needed level")
      starting = client
    case .deleteClient(let client):
      note(clients.remove(client) != nil, "a deleted client exists")
      if starting == client { starting = nil }
    case .registerAgent: note(machine.registersAgent, "no agent is displaced")
    case .readAvailableAccuracy: note(isThere, "nothing is read without GeoClue")
    }
  }

  private mutating func note(_ condition: Bool, _ comment: String) {
    guard !condition, violation == nil else { return }
    violation = "\(comment); \(machine)\n\(trace.suffix(30).map { "\($0)" }.joined(separator: "\n"))"
  }
}
