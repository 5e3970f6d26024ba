// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

@Suite struct PolkitQueueTests {
  private func question(_ peer: Int, _ action: PolkitAction = .access, isInteractive: Bool = false)
    -> PolkitQueue.Question
  {
    PolkitQueue.Question(peer: BusName(unchecked: ":1.\(peer)"), action: action, isInteractive: isInteractive)
  }

  private func asked(_ question: PolkitQueue.Question, user: Account = 1_000, mayStart: Bool = true)
    -> PolkitQueue.Event
  {
    .asked(question, of: user, mayStartPolkit: mayStart)
  }

  private func sent(_ number: PolkitQueue.Number, _ question: PolkitQueue.Question, mayStart: Bool = true)
    -> PolkitQueue.Action
  {
    .send(number, question, mayStartPolkit: mayStart)
  }

  private let yes = PolkitReply(.yes)
  private let no = PolkitReply(.no)

  @Test func `calls with the same question share one check`() {
    var queue = PolkitQueue()
    let (first, other) = (question(1), question(1, .accessPrecise))
    #expect(queue.handle(asked(first)) == [sent(1, first)])
    #expect(queue.handle(asked(first)) == [])
    #expect(queue.handle(asked(other)) == [sent(2, other)])
    #expect(queue.handle(.answered(1, yes)) == [.report(first, yes)])
    #expect(queue.handle(asked(first)) == [sent(3, first)], "one answer serves all clients that had asked")
  }

  @Test func `at most 64 checks are pending at a time, and every check is answered`() {
    var queue = CountedQueue()
    for peer in 0..<1_000 { _ = queue.handle(asked(question(peer), user: .user(UInt32(peer)))) }
    #expect(queue.underWay == 64)
    var number: PolkitQueue.Number = 0
    var order: [String] = []
    while queue.underWay > 0 {
      number += 1
      for action in queue.handle(.answered(number, no)) {
        if case .report(let question, _) = action { order.append(question.peer.rawValue) }
      }
      #expect(queue.underWay <= 64)
    }
    #expect(order == (0..<1_000).map { ":1.\($0)" }, "each in turn")
  }

  @Test func `many clients of one user do not delay another user's checks`() {
    var queue = CountedQueue()
    for peer in 0..<500 { _ = queue.handle(asked(question(peer), user: 1)) }
    #expect(queue.underWay == PolkitQueue.accountCapacity)
    let other = question(900)
    #expect(queue.handle(asked(other, user: 2)) == [sent(17, other)], "the other user has a share")
    // When all places are taken, users take turns.
    for user in 3..<6 as Range<UInt32> {
      for peer in 0..<16 { _ = queue.handle(asked(question(1_000 * Int(user) + peer), user: .user(user))) }
    }
    #expect(queue.underWay == PolkitQueue.capacity)
    let (second, third) = (question(901), question(902))
    _ = queue.handle(asked(second, user: 2))
    _ = queue.handle(asked(third, user: 7))
    var next: [PolkitQueue.Question] = []
    for number in 1...4 as ClosedRange<PolkitQueue.Number> {
      for action in queue.handle(.answered(number, no)) {
        if case .send(_, let question, _) = action { next.append(question) }
      }
    }
    #expect(next.contains(second) && next.contains(third))
  }

  @Test func `dialogs leave room for other checks and for dialogs of other users`() {
    var queue = CountedQueue()
    for peer in 0..<20 { _ = queue.handle(asked(question(peer, isInteractive: true), user: 1)) }
    #expect(queue.underWay == PolkitQueue.accountDialogCapacity)
    for peer in 100..<200 { _ = queue.handle(asked(question(peer, isInteractive: true), user: .user(UInt32(peer)))) }
    #expect(queue.underWay == PolkitQueue.dialogCapacity)
    let quick = question(999)
    #expect(queue.handle(asked(quick, user: 1)) == [sent(17, quick)])
    #expect(queue.handle(.answered(1, no)).count == 2, "one dialog ends, the next opens")
  }

  /// Regression: access was granted by a dialog that was opened before an administrator's refusal and answered after
  /// the refusal.
  @Test func `consent in a dialog during a change of the rules is confirmed by another check`() {
    let dialog = question(1, isInteractive: true)
    for (reply, expected) in [
      (no, no), (yes, yes), (PolkitReply(.challenge), yes), (.unavailable, .unavailable),
      (PolkitReply(.yes, isTemporary: true), PolkitReply(.yes, isTemporary: true)),
    ] {
      var queue = PolkitQueue()
      _ = queue.handle(asked(dialog))
      _ = queue.handle(.policyChanged(nil))
      #expect(queue.handle(.answered(1, yes)) == [sent(2, question(1))])
      #expect(queue.handle(.answered(2, reply)) == [.report(dialog, expected)])
    }
  }

  @Test func `consent needs no confirmation if no rule for this client changed during the dialog`() {
    var queue = PolkitQueue()
    let dialog = question(1, isInteractive: true)
    _ = queue.handle(.policyChanged(nil))
    _ = queue.handle(asked(dialog))
    _ = queue.handle(.policyChanged(":1.2"))
    #expect(queue.handle(.answered(1, yes)) == [.report(dialog, yes)])
    _ = queue.handle(asked(dialog))
    _ = queue.handle(.policyChanged(dialog.peer))
    #expect(queue.handle(.answered(2, no)) == [.report(dialog, no)], "a refusal needs no confirmation")
  }

  @Test func `a client that has disconnected receives no answer`() {
    var queue = PolkitQueue()
    let (gone, here) = (question(1), question(2))
    _ = queue.handle(asked(gone))
    _ = queue.handle(asked(here))
    #expect(queue.handle(.gone(gone.peer)) == [.cancel(1)])
    #expect(queue.handle(.answered(1, .unavailable)) == [])
    #expect(queue.handle(.withdrawn(here)) == [.cancel(2)])
    #expect(queue.handle(asked(here)) == [sent(3, here)], "an abandoned check serves no client")
    #expect(queue.handle(.answered(2, yes)) == [])
    #expect(queue.handle(.answered(3, yes)) == [.report(here, yes)])
    #expect(queue.handle(.answered(3, no)) == [], "each is answered once")
  }

  /// The bus counts the check until polkit has answered.
  @Test func `a cancelled check counts as pending until polkit has answered it`() {
    var queue = CountedQueue()
    for peer in 0..<PolkitQueue.accountCapacity { _ = queue.handle(asked(question(peer))) }
    #expect(queue.underWay == PolkitQueue.accountCapacity)
    #expect(queue.handle(.gone(question(0).peer)) == [.cancel(1)])
    #expect(queue.handle(asked(question(99))) == [])
    #expect(queue.handle(.answered(1, .unavailable)) == [sent(17, question(99))])
  }

  @Test func `a waiting check of a client that has disconnected is not sent`() {
    var queue = PolkitQueue()
    for peer in 0..<17 { _ = queue.handle(asked(question(peer))) }
    #expect(queue.handle(.gone(question(16).peer)) == [])
    #expect(queue.handle(.answered(1, no)) == [.report(question(0), no)])
  }

  /// Regression: `systemctl stop polkit` failed, because the service immediately started polkit again.
  @Test func `after polkit has exited, a check for a call starts it, and other checks wait`() {
    var queue = PolkitQueue()
    let (confirmation, call) = (question(1), question(2))
    #expect(queue.handle(.polkitLeft) == [.waitForPolkit])
    #expect(queue.handle(asked(confirmation, mayStart: false)) == [])
    #expect(queue.handle(asked(call)) == [])
    #expect(queue.handle(.waitedForPolkit) == [sent(1, call)])
    #expect(queue.handle(.answered(1, .unavailable)) == [.report(call, .unavailable)])
    #expect(queue.handle(.polkitCame) == [sent(2, confirmation, mayStart: false)])
  }

  @Test func `a waiting check is sent when a call asks the same question`() {
    var queue = PolkitQueue()
    _ = queue.handle(.polkitLeft)
    _ = queue.handle(.waitedForPolkit)
    #expect(queue.handle(asked(question(1), mayStart: false)) == [])
    #expect(queue.handle(asked(question(1))) == [sent(1, question(1))])
  }

  @Test func `a check that is lost with polkit is repeated, but a dialog is not`() {
    var queue = PolkitQueue()
    let (plain, dialog) = (question(1), question(1, isInteractive: true))
    _ = queue.handle(asked(plain))
    _ = queue.handle(asked(dialog))
    #expect(queue.handle(.lost(1)) == [.waitForPolkit], "its end is known before the bus reports it")
    #expect(queue.handle(.lost(2)) == [.report(dialog, .unavailable)])
    #expect(queue.handle(.polkitLeft) == [])
    #expect(queue.handle(.polkitCame) == [sent(3, plain)])
    #expect(queue.handle(.lost(3)) == [.waitForPolkit, .report(plain, .unavailable)])
  }
}

/// A queue and the number of checks that polkit has not answered.
private struct CountedQueue {
  private var queue = PolkitQueue()
  private(set) var underWay = 0

  mutating func handle(_ event: PolkitQueue.Event) -> [PolkitQueue.Action] {
    if case .answered = event { underWay -= 1 }
    let actions = queue.handle(event)
    underWay += actions.count { if case .send = $0 { true } else { false } }
    return actions
  }
}
