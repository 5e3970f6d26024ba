// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeoClue

/// Whatever happens, in whatever order: what must always be so.
@Suite nonisolated struct MachineInvariantTests {
  @Test(arguments: 0..<40) func `invariants hold for random events`(seed: Int) {
    var world = RandomWorld(seed: UInt64(seed))
    for _ in 0..<2_500 {
      world.step()
      world.check()
      if world.isBroken { return }
    }
    world.settle()
  }
}

/// A GeoClue, a bus, listeners and an agent that do what they please, and an account of what the machine has done.
private nonisolated struct RandomWorld {
  private var driver: MachineDriver
  private var random: SeededGenerator
  private var trace: [String] = []
  private(set) var isBroken = false

  // What is so in the world.
  private var demand: AccuracyLevel?
  private var isThere = false
  private var hasAgent = true
  private var made = 0
  private var pendingCreations = 0
  private var isActivationPending = false
  private var starting: String?
  private var clients: Set<String> = []
  private var activations: [Int64] = []
  private var activationEnd: Int64? { isActivationPending ? activations.last.map { $0 + 25_000 } : nil }

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    driver = MachineDriver(registersAgent: seed.isMultiple(of: 2))
  }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  mutating func step() {
    driver.chance = Double.random(in: 0...1, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: setDemand(chance(40) ? nil : [.city, .street, .exact].randomElement(using: &random))
    case 1 where isThere: vanish()
    case 2 where !isThere && chance(30), 3 where isThere && chance(10): appear()
    case 4 where isActivationPending:
      if chance(60) {
        appear()
      } else {
        isActivationPending = false
        send(chance(20) ? .activated : .activationFailed(notInstalled: chance(50)))
      }
    case 5, 6: if hasAgent { answerCreation() }
    case 7 where pendingCreations > 0 && chance(20):
      pendingCreations -= 1
      send(.creationFailed(chance(50) ? .other : .refused(.disallowedByPolicy)))
    case 8, 9: answerStart()
    case 10 where !clients.isEmpty: send(.fix(isNew: chance(70)))
    case 11 where !clients.isEmpty: send(.active(chance(50)))
    case 12 where isThere: send(.available(chance(10) ? nil : AccuracyLevel.allCases.randomElement(using: &random)))
    case 13: hasAgent.toggle()
    case 14:
      send(
        [.refresh, .startOver, .agentChanged(nil), .agentChanged(.city), .agentChanged(AccuracyLevel.none)]
          .randomElement(using: &random) ?? .refresh)
    default: pass(Int64.random(in: 0...(chance(10) ? 100_000 : 1_500), using: &random))
    }
  }

  mutating func check() {
    // Waits are bounded.
    note(
      demand == nil || driver.machine.client != nil || driver.machine.deadline != nil,
      "a timer is set whenever something is waited for")
    note(driver.machine.deadline.map { $0 <= driver.now + 400_000 } ?? true, "no timer is far away")
    note(pendingCreations <= 1, "at most one CreateClient is pending")
    note(clients == Set([driver.machine.client].compactMap { $0 }), "every client is the current one, or deleted")
    note(demand != nil || clients.isEmpty, "no client is held when nobody listens")
    note(demand != nil || driver.machine.status.state == .idle, "idle when nobody listens")
    note(demand != nil || driver.authorization == .undecided(), "nothing is believed when nobody listens")
    note(demand == nil || driver.machine.status.state != .idle, "never idle when somebody listens")
    note(isThere || driver.machine.status.availableAccuracy == nil, "no accuracy without GeoClue")
    note(isThere || driver.machine.client == nil, "no client without GeoClue")
    note(driver.state != .running || driver.authorization.isAuthorized, "no fixes without authorization")
    let recent = activations.filter { $0 > driver.now - 60_000 }
    note(recent.count <= 25, "no activation storm")
  }

  /// With a GeoClue that works, a listener gets there from any state.
  mutating func settle() {
    hasAgent = true
    setDemand(.exact)
    for _ in 0..<400 where driver.state != .running {
      if isActivationPending { appear() }
      answerCreation()
      if starting != nil {
        starting = nil
        send(.started)
      }
      if isThere { send(.available(.exact)) }
      if driver.machine.client != nil {
        send(.active(true))
        send(.fix(isNew: true))
      }
      pass(1_000)
    }
    note(driver.state == .running, "it works again by itself")
    setDemand(nil)
    note(clients.isEmpty, "and leaves nothing behind")
  }

  private mutating func setDemand(_ level: AccuracyLevel?) {
    demand = level
    send(.demand(level))
  }

  private mutating func vanish() {
    (isThere, pendingCreations, starting, clients) = (false, 0, nil, [])
    send(.serviceVanished)
  }

  private mutating func appear() {
    (isThere, pendingCreations, starting, clients) = (true, 0, nil, [])
    send(.serviceAppeared)
    // Whoever has started it, the bus answers then.
    if isActivationPending {
      isActivationPending = false
      send(.activated)
    }
  }

  private mutating func answerCreation() {
    guard isThere, pendingCreations > 0 else { return }
    pendingCreations -= 1
    made += 1
    clients.insert("/\(made)")
    send(.created(client: "/\(made)"))
  }

  private mutating func answerStart() {
    guard starting != nil else { return }
    starting = nil
    switch Int.random(in: 0..<4, using: &random) {
    case 0: send(.startFailed(.refused(.disabledByUser)))
    case 1: send(.startFailed(.other))
    default: send(.started)
    }
  }

  private mutating func send(_ event: ConnectionMachine.Event) {
    trace.append("\(driver.now) \(event)")
    perform(driver.send(event))
  }

  private mutating func pass(_ time: Int64) {
    // In small steps, so that what the timer does happens when it does.
    let end = driver.now + time
    while driver.now < end {
      let next = min(end, max(driver.now, driver.machine.deadline ?? end), activationEnd ?? end)
      perform(driver.pass(next - driver.now))
      if isActivationPending, driver.now == activationEnd {
        // The bus does not let anybody wait longer.
        isActivationPending = false
        send(.activationFailed(notInstalled: false))
      }
    }
  }

  private mutating func perform(_ actions: [ConnectionMachine.Action]) {
    trace += actions.map { "\(driver.now)   \($0)" }
    for action in actions {
      switch action {
      case .activate:
        note(!isActivationPending, "one activation at a time")
        isActivationPending = true
        activations.append(driver.now)
      case .createClient:
        note(isThere, "a client is asked of a GeoClue that is there")
        pendingCreations += 1
      case .startClient(let client, let level):
        note(clients.contains(client), "what is started exists")
        note(level == demand, "at the level that is needed")
        starting = client
      case .deleteClient(let client):
        note(clients.remove(client) != nil, "what is deleted exists")
        if starting == client { starting = nil }
      case .registerAgent: note(driver.machine.registersAgent, "no agent is displaced")
      case .readAvailableAccuracy, .readLocation: note(isThere, "nothing is read that is not there")
      }
    }
  }

  private mutating func note(_ condition: Bool, _ comment: String) {
    guard !condition, !isBroken else { return }
    isBroken = true
    Issue.record("\(comment); \(driver.machine)\n\(trace.suffix(30).joined(separator: "\n"))")
  }
}
