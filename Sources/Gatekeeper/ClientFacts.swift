// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

final class ClientFacts {
  var confinement = Facts.Confinement.unknown
  var placement = Facts.Placement.unknown
  /// The program's name in a dialog.
  var program: String?
  var policy = PolicyAnswers()
  /// Delivers timer events to ``policy``.
  var timer: LoopSource?
  var policyWaiters = Waiters()
  /// The calls that wait for the result of the sandbox check.
  private var sandboxWaiters = Waiters()
  private var isCheckingSandbox = false

  private var rounds: [ObjectIdentifier: (round: Gathering, timer: LoopSource)] = [:]

  var isGathering: Bool { !rounds.isEmpty }

  /// Runs one sandbox check for all calls that need its result; `check` calls its argument with the result.
  func checkSandbox(
    _ round: Gathering, _ check: (@escaping SandboxCheck.Handler) -> Void, _ done: @escaping (ControlGroup?) -> Void
  ) {
    guard confinement == .unknown else { return }
    sandboxWaiters.add(round)
    guard !isCheckingSandbox else { return }
    isCheckingSandbox = true
    check { [self] confinement, group in
      self.confinement = confinement
      done(group)
      sandboxWaiters.release()
    }
  }

  /// Calls `action` once every answer expected by `gather` has arrived, at the latest after ``gatheringTime``.
  func wait(_ action: @escaping () -> Void, _ gather: (Gathering) -> Void) {
    var identifier: ObjectIdentifier?
    var isDone = false
    let round = Gathering { [weak self] in
      isDone = true
      if let identifier { self?.rounds[identifier] = nil }
      action()
    }
    gather(round)
    round.allExpected()
    guard !isDone else { return }
    identifier = ObjectIdentifier(round)
    rounds[ObjectIdentifier(round)] = (
      round, MainLoop.main.after(milliseconds: gatheringTime) { [weak round] in round?.giveUp() }
    )
  }
}

/// Holds the facts about each client while it is on the bus.
final class ClientFactsRegistry {
  private var facts: [BusName: ClientFacts] = [:]

  subscript(client: any GatekeeperClient) -> ClientFacts? { facts[client.name] }

  /// Returns a client's facts, creating them if necessary. `close` is called when a client whose facts were created
  /// here leaves.
  func open(for client: any GatekeeperClient, _ close: @escaping () -> Void = {}) -> ClientFacts {
    if let entry = facts[client.name] { return entry }
    let entry = ClientFacts()
    facts[client.name] = entry
    client.onEnd = { [weak self, name = client.name] in
      self?.facts.removeValue(forKey: name)
      close()
    }
    return entry
  }
}
