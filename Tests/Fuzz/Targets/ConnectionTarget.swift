// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

@testable import GeoClue

/// The connection to GeoClue, with a GeoClue, listeners and an agent that do what they please.
func fuzzConnection(_ source: ByteSource) {
  var world = GeoClueWorld(registersAgent: source.flag())
  while !source.isEmpty {
    world.step(source)
    world.check()
  }
  world.settle()
}

private struct GeoClueWorld {
  private var machine: ConnectionMachine
  private var now: Int64 = 1_000_000
  private var demand: AccuracyLevel?
  private var isThere = false
  private var isCreating = false
  private var isActivating = false
  /// The bus does not let anybody wait longer for an activation.
  private var activationEnd: Int64 = 0
  private var starting: String?
  private var clients: Set<String> = []
  private var made = 0

  init(registersAgent: Bool) { machine = ConnectionMachine(registersAgent: registersAgent) }

  mutating func step(_ source: ByteSource) {
    let chance = Double(source.byte()) / 255
    switch source.number(below: 16) {
    case 0:
      demand = source.pick([nil, .country, .city, .street, .exact])
      send(.demand(demand), chance)
    case 1 where isThere:
      forget()
      isThere = false
      send(.serviceVanished, chance)
    case 2: appear(chance)
    case 3 where isActivating:
      isActivating = false
      send(source.flag() ? .activated : .activationFailed(notInstalled: source.flag()), chance)
    case 4, 5: answerCreation(chance)
    case 6 where isCreating:
      isCreating = false
      send(.creationFailed(source.flag() ? .other : .refused(.disallowedByPolicy)), chance)
    case 7, 8:
      guard starting != nil else { return }
      starting = nil
      send(source.pick([.started, .started, .startFailed(.other), .startFailed(.refused(.disabledByUser))]), chance)
    // What GeoClue signals comes at any time, also for a client that has gone.
    case 9: send(.fix(isNew: source.flag()), chance)
    case 10: send(.active(source.flag()), chance)
    case 11: send(.available(source.pick([nil] + AccuracyLevel.allCases)), chance)
    case 12: send(source.pick([.refresh, .startOver, .timer]), chance)
    case 13: send(.agentChanged(source.pick([nil, AccuracyLevel.none, .city, .exact])), chance)
    case 14: pass(Int64(source.byte()) * 400, chance)
    default: pass(Int64(source.byte()), chance)
    }
  }

  func check() {
    claim(
      demand == nil || machine.client != nil || machine.deadline != nil, "no wait is without end")
    claim(demand == nil || machine.status.state != .idle, "who is wanted is not idle")
    claim(machine.deadline.map { $0 <= now + 400_000 } ?? true, "no end is far away")
    claim(clients == Set([machine.client].compactMap { $0 }), "every client is the current one, or deleted")
    claim(demand != nil || clients.isEmpty, "no client is held when nobody listens")
    claim(demand != nil || machine.authorization == .undecided(), "nothing is believed when nobody listens")
    claim(machine.status.state != .running || machine.authorization.isAuthorized, "no fixes without authorization")
    claim(!machine.acceptsFixes || machine.client != nil, "no fixes without a client")
  }

  /// With a GeoClue that works, a listener gets there from any state.
  mutating func settle() {
    demand = .exact
    send(.demand(.exact), 0.5)
    for _ in 0..<500 where machine.status.state != .running {
      if isActivating { appear(0.5) }
      answerCreation(0.5)
      if starting != nil {
        starting = nil
        send(.started, 0.5)
      }
      if isThere { send(.available(.exact), 0.5) }
      send(.active(true), 0.5)
      send(.fix(isNew: true), 0.5)
      pass(1_000, 0.5)
    }
    claim(machine.status.state == .running, "it works again by itself")
    demand = nil
    send(.demand(nil), 0.5)
    check()
  }

  private mutating func forget() { (isCreating, starting, clients) = (false, nil, []) }

  private mutating func appear(_ chance: Double) {
    forget()
    isThere = true
    send(.serviceAppeared, chance)
    if isActivating {
      isActivating = false
      send(.activated, chance)
    }
  }

  private mutating func answerCreation(_ chance: Double) {
    guard isThere, isCreating else { return }
    isCreating = false
    made += 1
    clients.insert("/\(made)")
    send(.created(client: "/\(made)"), chance)
  }

  private mutating func pass(_ time: Int64, _ chance: Double) {
    let end = now + time
    while true {
      let next = min(machine.deadline ?? .max, isActivating ? activationEnd : .max)
      guard next <= end else { break }
      now = max(now, next)
      if isActivating, activationEnd <= now {
        isActivating = false
        send(.activationFailed(notInstalled: false), chance)
      } else {
        send(.timer, chance)
        claim(machine.deadline.map { $0 > now } ?? true, "a timer that has come does not come again")
      }
    }
    now = end
  }

  private mutating func send(_ event: ConnectionMachine.Event, _ chance: Double) {
    for action in machine.handle(event, at: now, chance: chance) {
      switch action {
      case .activate:
        claim(!isActivating, "one activation at a time")
        isActivating = true
        activationEnd = now + 25_000
      case .createClient:
        claim(isThere && !isCreating, "one client at a time, of a GeoClue that is there")
        isCreating = true
      case .startClient(let client, let level):
        claim(clients.contains(client) && level == demand, "what is started exists, at the level that is needed")
        starting = client
      case .deleteClient(let client):
        claim(clients.remove(client) != nil, "what is deleted exists")
        if starting == client { starting = nil }
      case .registerAgent: claim(machine.registersAgent, "no agent is displaced")
      case .readAvailableAccuracy, .readLocation: claim(isThere, "nothing is read that is not there")
      }
    }
  }
}
