// SPDX-License-Identifier: Apache-2.0
import DBus

/// Which polkit checks are under way, which wait for their turn, and which wait for polkit.
///
/// The bus allows a connection 128 calls without a reply, so at most ``capacity`` checks are under way, and each user has
/// a share of them. Users take turns: many clients of one user do not delay another user's.
nonisolated struct CheckQueue {
  static let capacity = 64
  static let userCapacity = 16
  /// Dialogs take minutes, so they get a part of the capacity only.
  static let dialogCapacity = 16
  static let userDialogCapacity = 2
  /// How often a check is sent to a polkit that leaves the bus without an answer.
  static let attempts = 2

  /// What is asked; one check serves all that ask the same.
  struct Question: Hashable, Sendable {
    let peer: BusName
    let action: PolkitAction
    /// Whether the user may be asked.
    let isInteractive: Bool
  }

  /// One check, as polkit knows it.
  typealias Number = UInt64

  enum Event: Hashable, Sendable {
    /// A client of a user has a question. One that may not start polkit waits while polkit is gone.
    case asked(Question, user: UInt32, mayStartPolkit: Bool)
    /// polkit has replied, or cannot be reached.
    case answered(Number, PolkitReply)
    /// polkit left the bus before it replied.
    case lost(Number)
    /// polkit's rules or authorizations have changed, for one client or for all: a dialog that is open may be outdated.
    case policyChanged(BusName?)
    /// The answer is not wanted any more.
    case withdrawn(Question)
    /// The client has left the bus.
    case gone(BusName)
    case polkitLeft
    case polkitCame
    /// polkit has been gone for a while.
    case waitedForPolkit
  }

  enum Action: Hashable, Sendable {
    case send(Number, Question, mayStartPolkit: Bool)
    /// Tell polkit that the answer is not wanted any more.
    case cancel(Number)
    case report(Question, PolkitReply)
    /// Tell the queue after a while that polkit has not come back.
    case waitForPolkit
  }

  private enum Presence {
    /// There, or never seen to leave.
    case usual
    /// It has just left: it may be restarting, and calling it now would get in the way.
    case restarting
    case gone
  }

  private struct Check {
    let question: Question
    let user: UInt32
    var mayStartPolkit: Bool
    var attempts = 0
    /// Asks without a dialog whether the user's yes still counts.
    var confirmsDialog = false
    /// polkit's rules have changed while the dialog was open.
    var isOutdated = false
    var isWanted = true

    var showsDialog: Bool { question.isInteractive && !confirmsDialog }
  }

  private var underWay: [Number: Check] = [:]
  private var waiting: [UInt32: [Check]] = [:]
  /// The users that have checks waiting, in the order of their turns.
  private var turns: [UInt32] = []
  private var lastNumber: Number = 0
  private var presence = Presence.usual

  /// How many checks polkit has not answered.
  var inFlight: Int { underWay.count }

  /// How many are still to be sent.
  var queued: Int { waiting.values.reduce(0) { $0 + $1.count } }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .asked(let question, let user, let mayStartPolkit): return asked(question, user, mayStartPolkit)
    case .answered(let number, let reply):
      guard let check = underWay.removeValue(forKey: number) else { return [] }
      return answered(check, reply) + sendNext()
    case .lost(let number):
      guard let check = underWay.removeValue(forKey: number) else { return [] }
      return lost(check) + sendNext()
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
      return sendNext()
    }
  }
}

nonisolated extension CheckQueue {
  private mutating func asked(_ question: Question, _ user: UInt32, _ mayStartPolkit: Bool) -> [Action] {
    if let index = waiting[user]?.firstIndex(where: { $0.question == question }) {
      if mayStartPolkit { waiting[user]?[index].mayStartPolkit = true }
    } else if !underWay.values.contains(where: { $0.question == question && $0.isWanted }) {
      wait(Check(question: question, user: user, mayStartPolkit: mayStartPolkit))
    }
    return sendNext()
  }

  private mutating func answered(_ check: Check, _ reply: PolkitReply) -> [Action] {
    guard check.isWanted else { return [] }
    if check.showsDialog, check.isOutdated, reply.answer == .yes {
      // The change may be the dialog's own success, or an administrator's no: polkit knows.
      var next = check
      next.confirmsDialog = true
      wait(next, first: true)
      return []
    }
    // Rules that still ask for the user's word have got it.
    let isGiven = check.confirmsDialog && reply.answer == .challenge
    return [.report(check.question, isGiven ? PolkitReply(.yes) : reply)]
  }

  private mutating func lost(_ check: Check) -> [Action] {
    guard check.isWanted else { return left() }
    // A dialog is never shown twice for one call.
    guard !check.showsDialog, check.attempts + 1 < Self.attempts else {
      return left() + [.report(check.question, .unavailable)]
    }
    var next = check
    next.attempts += 1
    wait(next, first: true)
    return left()
  }

  private mutating func left() -> [Action] {
    guard presence == .usual else { return [] }
    presence = .restarting
    return [.waitForPolkit]
  }

  private mutating func remove(_ isMeant: (Check) -> Bool) -> [Action] {
    for user in turns {
      waiting[user]?.removeAll(where: isMeant)
      if waiting[user]?.isEmpty == true { waiting[user] = nil }
    }
    turns.removeAll { waiting[$0] == nil }
    let numbers = underWay.filter { $0.value.isWanted && isMeant($0.value) }.keys.sorted()
    // Each keeps its place until polkit has answered: the bus counts it for as long.
    for number in numbers { underWay[number]?.isWanted = false }
    return numbers.map { .cancel($0) }
  }
}

nonisolated extension CheckQueue {
  private mutating func wait(_ check: Check, first: Bool = false) {
    if waiting[check.user] == nil { turns.append(check.user) }
    waiting[check.user, default: []].insert(check, at: first ? 0 : waiting[check.user, default: []].count)
  }

  private mutating func sendNext() -> [Action] {
    var actions: [Action] = []
    var skipped = 0
    while underWay.count < Self.capacity, skipped < turns.count {
      let user = turns.removeFirst()
      guard let check = takeNext(of: user) else {
        turns.append(user)
        skipped += 1
        continue
      }
      skipped = 0
      if waiting[user] != nil { turns.append(user) }
      lastNumber &+= 1
      underWay[lastNumber] = check
      let question = Question(
        peer: check.question.peer, action: check.question.action, isInteractive: check.showsDialog)
      actions.append(.send(lastNumber, question, mayStartPolkit: check.mayStartPolkit))
    }
    return actions
  }

  /// Takes a user's next check that may be sent now.
  private mutating func takeNext(of user: UInt32) -> Check? {
    let mine = underWay.values.filter { $0.user == user }
    guard presence != .restarting, mine.count < Self.userCapacity else { return nil }
    let dialogs = underWay.values.count(where: \.showsDialog)
    let mayShowDialog =
      dialogs < Self.dialogCapacity && mine.count(where: \.showsDialog) < Self.userDialogCapacity
    let index = waiting[user]?.firstIndex {
      ($0.mayStartPolkit || presence == .usual) && (mayShowDialog || !$0.showsDialog)
    }
    guard let index else { return nil }
    let check = waiting[user]?.remove(at: index)
    if waiting[user]?.isEmpty == true { waiting[user] = nil }
    return check
  }
}
