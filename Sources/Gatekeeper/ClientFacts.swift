// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop

final class ClientFacts {
  var confinement = Facts.Confinement.unknown
  var placement = Facts.Placement.unknown
  var program: String?
  var policy = PolicyAnswers()
  /// Delivers timer events to ``policy``.
  var timer: LoopSource?
  let policyWaiters = Waiters()
  /// Repeats a sandbox check that had no result.
  var sandboxTimer: LoopSource?
  /// The pause before that. Doubles with each check, because a check may cost much.
  var sandboxPause = SystemGatekeeper.sandboxPauses.lowerBound
  /// Whether a change of polkit's answers waits for logind's answer, or for polkit's next one. Nothing is delivered.
  var isChangeUnreported = false
  /// Whether the first facts have been gathered. Before, nothing is allowed and nothing is reported.
  var isGathered = false
  /// The calls that wait for the result of the sandbox check.
  private let sandboxWaiters = Waiters()
  private var isCheckingSandbox = false

  /// By number, so that the order in which a client's rounds end when it leaves does not depend on addresses.
  private var rounds: [UInt64: (round: AnswerGroup, timer: LoopSource)] = [:]
  private var lastRound: UInt64 = 0

  var isGathering: Bool { !rounds.isEmpty }

  /// Runs one sandbox check for all calls that need its result; `check` calls its argument with the result. Without a
  /// result, the next call checks again.
  func checkSandbox(
    _ round: AnswerGroup, _ check: (@escaping SandboxCheck.Handler) -> Void, _ done: @escaping (ControlGroup?) -> Void
  ) {
    guard confinement == .unknown else { return }
    sandboxWaiters.add(round)
    guard !isCheckingSandbox else { return }
    isCheckingSandbox = true
    check { [weak self] confinement, group in
      guard let self else { return }
      self.confinement = confinement
      isCheckingSandbox = false
      done(group)
      sandboxWaiters.release()
    }
  }

  /// Calls `action` once every answer expected by `gather` has arrived, at the latest `time` after the arrival
  /// of the call that waits.
  func wait(
    _ action: @escaping () -> Void, atMost time: Duration = AnswerDeadlines.gathering, since arrival: BootInstant,
    _ gather: (AnswerGroup) -> Void
  ) {
    lastRound += 1
    let number = lastRound
    var isDone = false
    let round = AnswerGroup { [weak self] in
      isDone = true
      self?.rounds[number] = nil
      action()
    }
    gather(round)
    round.allExpected()
    guard !isDone else { return }
    let rest = time - .milliseconds(max(.zero, MainLoop.main.clock.boottime() - arrival).milliseconds)
    rounds[number] = (round, MainLoop.main.after(rest) { [weak round] in round?.giveUp() })
  }

  /// Ends the rounds of a client that has left, without their actions. What they wait for may never answer.
  fileprivate func end() {
    for (round, _) in rounds.values { round.drop() }
    rounds = [:]
  }
}

/// Holds the facts about each client while it is on the bus.
final class ClientFactsRegistry {
  private var facts: [BusName: ClientFacts] = [:]

  subscript(client: GatekeeperClient) -> ClientFacts? { facts[client.name] }

  /// Returns a client's facts, creating them if necessary. `close` is called when a client whose facts were created
  /// here leaves.
  func open(for client: GatekeeperClient, _ close: @escaping () -> Void = {}) -> ClientFacts {
    if let entry = facts[client.name] { return entry }
    let entry = ClientFacts()
    facts[client.name] = entry
    client.onEnd = { [weak self, name = client.name] in
      self?.facts.removeValue(forKey: name)?.end()
      close()
    }
    return entry
  }
}

/// Calls an action once all expected answers have arrived. Answers may arrive immediately.
final class AnswerGroup {
  private var missing = 1
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) { self.action = action }

  /// Expects one more answer. Call the returned closure when it has arrived.
  func expect() -> () -> Void {
    missing += 1
    return { [self] in finishOne() }
  }

  var isOver: Bool { action == nil }

  /// Declares that no further answers will be expected.
  func allExpected() { finishOne() }

  /// Ends the round without its action.
  func drop() { action = nil }

  /// Calls the action now, even if answers are missing.
  func giveUp() {
    let action = action
    self.action = nil
    action?()
  }

  private func finishOne() {
    missing -= 1
    if missing == 0 { giveUp() }
  }
}

/// The rounds that wait for one answer. A round that has ended is dropped before the next is added, so that rounds do not
/// pile up while nothing answers. Shared, because a round that ends may wait again for the next answer.
final class Waiters {
  private var waiting: [(round: AnswerGroup, arrived: () -> Void)] = []

  func add(_ round: AnswerGroup) {
    waiting.removeAll { $0.round.isOver }
    waiting.append((round, round.expect()))
  }

  /// Informs every round that the answer has arrived.
  func release() {
    let released = waiting
    waiting = []
    for (_, arrived) in released { arrived() }
  }
}
