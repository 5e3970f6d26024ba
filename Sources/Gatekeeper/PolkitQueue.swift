// SPDX-License-Identifier: Apache-2.0
import DBus

/// Schedules polkit checks: in flight, queued, or waiting for polkit to return to the bus.
///
/// The bus allows a connection 128 calls without a reply, so at most ``capacity`` checks are in flight, and at most
/// ``accountCapacity`` of them for one account. Accounts take turns, so many clients of one cannot delay other
/// accounts.
nonisolated struct PolkitQueue {
  static let capacity = 64
  static let accountCapacity = 16
  /// Dialogs stay open for minutes, so they may use only part of the capacity.
  static let dialogCapacity = 16
  static let accountDialogCapacity = 2
  /// How often a check is sent if polkit leaves the bus without answering.
  static let attempts = 2

  /// One question to polkit. Callers that ask the same question share one check.
  struct Question: Hashable, Sendable {
    let peer: BusName
    let action: PolkitAction
    /// Whether polkit may show a dialog.
    let isInteractive: Bool
  }

  /// The id with which a check can be cancelled at polkit.
  typealias Number = UInt64

  enum Event: Hashable, Sendable {
    /// A client asks a question. If the check must not start polkit, it waits while polkit is not running.
    case asked(Question, of: Account, mayStartPolkit: Bool)
    /// polkit has answered or cannot be reached.
    case answered(Number, PolkitReply)
    /// polkit left the bus before answering.
    case lost(Number)
    /// The check never reached polkit, although polkit may be there: a limit was reached on the way.
    case notSent(Number)
    /// polkit's rules or authorizations have changed for one client, or for all (nil), so the result of an open dialog
    /// may be outdated.
    case policyChanged(BusName?)
    /// The answer is no longer needed.
    case withdrawn(Question)
    case gone(BusName)
    case polkitLeft
    case polkitCame
    /// The time of ``Action/waitForPolkit`` has passed.
    case waitedForPolkit
  }

  enum Action: Hashable, Sendable {
    case send(Number, Question, mayStartPolkit: Bool)
    /// Inform polkit that the answer is no longer needed.
    case cancel(Number)
    case report(Question, PolkitReply)
    /// Send ``Event/waitedForPolkit`` after the time that polkit needs to restart.
    case waitForPolkit
  }

  private enum Presence {
    /// On the bus, or not known to have left.
    case usual
    /// polkit has just left and may be restarting. A call now would interfere with the restart.
    case restarting
    case gone
    /// Calls cannot be sent for a moment.
    case outOfReach
  }

  private struct Check {
    let question: Question
    let account: Account
    var mayStartPolkit: Bool
    var attempts = 0
    /// Repeats the question without a dialog, to find out whether the user's consent still counts.
    var confirmsDialog = false
    /// polkit's rules changed while the dialog was open.
    var isOutdated = false
    var isWanted = true

    var showsDialog: Bool { question.isInteractive && !confirmsDialog }
  }

  private var underWay: [Number: Check] = [:]
  /// The queued checks of each account.
  private var waiting = TurnQueue<Account, Check>()
  private var lastNumber: Number = 0
  private var presence = Presence.usual

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .asked(let question, let account, let mayStartPolkit): return asked(question, account, mayStartPolkit)
    case .answered(let number, let reply):
      guard let check = underWay.removeValue(forKey: number) else { return [] }
      return answered(check, reply) + sendNext()
    case .lost(let number):
      guard let check = underWay.removeValue(forKey: number) else { return [] }
      return lost(check) + sendNext()
    case .notSent(let number):
      guard let check = underWay.removeValue(forKey: number) else { return [] }
      if check.isWanted { wait(check, first: true) }
      guard presence == .usual else { return [] }
      presence = .outOfReach
      return [.waitForPolkit]
    case .policyChanged(let peer):
      for (number, check) in underWay where peer == nil || check.question.peer == peer {
        underWay[number]?.isOutdated = true
      }
      return []
    case .withdrawn(let question): return remove { $0.question == question }
    case .gone(let peer): return remove { $0.question.peer == peer }
    case .polkitLeft: return left()
    case .polkitCame:
      presence = .usual
      return sendNext()
    case .waitedForPolkit:
      if presence == .restarting { presence = .gone }
      if presence == .outOfReach { presence = .usual }
      return sendNext()
    }
  }
}

nonisolated extension PolkitQueue {
  private mutating func asked(_ question: Question, _ account: Account, _ mayStartPolkit: Bool) -> [Action] {
    if let index = waiting[account].firstIndex(where: { $0.question == question }) {
      if mayStartPolkit { waiting.edit(account) { $0[index].mayStartPolkit = true } }
    } else if !underWay.values.contains(where: { $0.question == question && $0.isWanted }) {
      wait(Check(question: question, account: account, mayStartPolkit: mayStartPolkit))
    }
    return sendNext()
  }

  private mutating func answered(_ check: Check, _ reply: PolkitReply) -> [Action] {
    guard check.isWanted else { return [] }
    if check.showsDialog, check.isOutdated, reply.answer == .yes {
      // Either the dialog itself caused the change, or an administrator now forbids the action: ask polkit again.
      var next = check
      next.confirmsDialog = true
      wait(next, first: true)
      return []
    }
    // The user has already agreed, so rules that ask for the user's consent are satisfied.
    let isGiven = check.confirmsDialog && reply.answer == .challenge
    // A restart of polkit may have left another check of the same question, which must not answer the next one: polkit
    // may have determined its answer before a change.
    return remove { $0.question == check.question } + [.report(check.question, isGiven ? PolkitReply(.yes) : reply)]
  }

  private mutating func lost(_ check: Check) -> [Action] {
    guard check.isWanted else { return left() }
    // Never show a dialog twice for one call.
    guard !check.showsDialog, check.attempts + 1 < Self.attempts else {
      return left() + [.report(check.question, .unavailable)]
    }
    var next = check
    next.attempts += 1
    wait(next, first: true)
    return left()
  }

  private mutating func left() -> [Action] {
    let isWaiting = presence == .outOfReach
    guard presence == .usual || isWaiting else { return [] }
    presence = .restarting
    return isWaiting ? [] : [.waitForPolkit]
  }

  private mutating func remove(_ isMeant: (Check) -> Bool) -> [Action] {
    waiting.removeAll(where: isMeant)
    let numbers = underWay.filter { $0.value.isWanted && isMeant($0.value) }.keys.sorted()
    // A cancelled check keeps its slot until polkit answers, because the bus counts the call until then.
    for number in numbers { underWay[number]?.isWanted = false }
    return numbers.map { .cancel($0) }
  }
}

nonisolated extension PolkitQueue {
  private mutating func wait(_ check: Check, first: Bool = false) {
    waiting.edit(check.account) { $0.insert(check, at: first ? 0 : $0.count) }
  }

  private mutating func sendNext() -> [Action] {
    var actions: [Action] = []
    while underWay.count < Self.capacity, let check = takeNext() {
      lastNumber &+= 1
      underWay[lastNumber] = check
      let question = Question(
        peer: check.question.peer, action: check.question.action, isInteractive: check.showsDialog)
      actions.append(.send(lastNumber, question, mayStartPolkit: check.mayStartPolkit))
    }
    return actions
  }

  /// Removes and returns the next queued check that may be sent now.
  private mutating func takeNext() -> Check? {
    guard presence != .restarting, presence != .outOfReach else { return nil }
    let (sent, isThere) = (underWay.values, presence == .usual)
    let dialogs = sent.count(where: \.showsDialog)
    return waiting.next { account, checks in
      let mine = sent.filter { $0.account == account }
      guard mine.count < Self.accountCapacity else { return nil }
      let mayShowDialog = dialogs < Self.dialogCapacity && mine.count(where: \.showsDialog) < Self.accountDialogCapacity
      return checks.firstIndex { ($0.mayStartPolkit || isThere) && (mayShowDialog || !$0.showsDialog) }
    }
  }
}
