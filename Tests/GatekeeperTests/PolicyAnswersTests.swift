// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

@Suite struct PolicyAnswersTests {
  /// The state machine with a virtual clock in milliseconds.
  private final class Driver {
    var answers = PolicyAnswers()
    var now = MonotonicInstant.origin

    @discardableResult
    func handle(_ event: PolicyAnswers.Event, after milliseconds: Int64 = 0) -> [PolicyAnswers.Action] {
      now = now + .milliseconds(milliseconds)
      return answers.handle(event, at: now)
    }

    @discardableResult
    func answerAll(_ precise: Facts.Answer, after milliseconds: Int64 = 1) -> [PolicyAnswers.Action] {
      handle(.answered(.accessWithoutAgent, PolkitReply(.no)), after: milliseconds)
      var actions = handle(.answered(.accessPrecise, PolkitReply(precise)))
      if precise != .yes { actions = handle(.answered(.access, PolkitReply(precise))) }
      return actions
    }

    var isHeld: Bool { answers.isHeld(at: now) }
    var precise: Facts.Answer { answers.answer(to: .accessPrecise) }
  }

  private static func both(mayStart: Bool) -> [PolicyAnswers.Action] {
    [.ask(.accessWithoutAgent, mayStartPolkit: mayStart), .ask(.accessPrecise, mayStartPolkit: mayStart)]
  }

  private func served(_ precise: Facts.Answer = .yes) -> Driver {
    let driver = Driver()
    driver.handle(.wanted)
    driver.answerAll(precise)
    driver.now += 500_000
    return driver
  }

  @Test func `a call asks polkit only what is unknown, and about reduced access only if precise access is refused`() {
    let driver = Driver()
    #expect(driver.handle(.wanted) == Self.both(mayStart: true))
    #expect(driver.handle(.answered(.accessPrecise, PolkitReply(.no))) == [.ask(.access, mayStartPolkit: true)])
    #expect(driver.handle(.answered(.accessWithoutAgent, PolkitReply(.no))).isEmpty)
    #expect(driver.precise == .unknown, "an incomplete round has no effect")
    #expect(driver.handle(.answered(.access, PolkitReply(.yes))) == [.changed, .ready])
    #expect(driver.precise == .no && driver.answers.answer(to: .access) == .yes)
  }

  /// Regression: a user who returned while polkit did not answer was still told that the session is inactive.
  @Test func `after its answers have been dropped, a silent polkit confirms nothing`() {
    let driver = served()
    driver.handle(.doubted(isServed: true))
    #expect(driver.answers.isDecidedSoon)
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: true), after: 1_000).contains(.changed))
    #expect(!driver.answers.isDecidedSoon && driver.isHeld)
    driver.handle(.doubted(isServed: true))
    #expect(!driver.answers.isDecidedSoon)
    driver.answerAll(.yes)
    driver.answerAll(.yes)
    driver.handle(.doubted(isServed: true), after: 500)
    #expect(driver.answers.isDecidedSoon)
  }

  /// Regression: who returned to a session was told for a moment that polkit's rules forbid access, because polkit had
  /// refused without the session, and the record of the user's last place was erased.
  @Test func `a refusal does not outlive a change of the session, but a permission does until polkit answers`() {
    let refused = served(.no)
    #expect(refused.precise == .no)
    #expect(refused.handle(.sessionChanged(isInactive: false)).isEmpty)
    #expect(refused.precise == .unknown && refused.answers.answer(to: .access) == .unknown)
    #expect(refused.answers.answer(to: .accessWithoutAgent) == .no, "it does not depend on sessions")
    let permitted = served()
    permitted.handle(.sessionChanged(isInactive: false))
    #expect(permitted.precise == .yes)
  }

  /// Regression: an idle program, about which polkit is not asked meanwhile, had it again after a logout.
  @Test(arguments: [true, false]) func `consent ends with the session, also of an idle program`(isInactive: Bool) {
    let driver = served(.challenge)
    driver.handle(.consented(.accessPrecise, PolkitReply(.yes)))
    driver.handle(.sessionChanged(isInactive: isInactive))
    driver.handle(.doubted(isServed: false))
    driver.handle(.wanted)
    driver.answerAll(.challenge)
    #expect(driver.precise == (isInactive ? .challenge : .yes))
  }

  /// Regression: while another user kept the bus busy, every second call waited for seconds for polkit's answer.
  @Test func `a client with access does not wait while an old refusal is checked again`() {
    let driver = served()
    let question = [PolicyAnswers.Action.ask(.accessWithoutAgent, mayStartPolkit: true)]
    #expect(driver.handle(.wanted, after: 2_000) == [.ready] + question)
    #expect(driver.handle(.wanted) == [.ready] + question)
    driver.handle(.doubted(isServed: true))
    #expect(driver.handle(.wanted) == question, "after a doubt it waits for the next round")
    #expect(driver.handle(.answered(.accessWithoutAgent, PolkitReply(.no))) == Self.both(mayStart: true))
    #expect(driver.answerAll(.yes).contains(.ready))

    let refused = served(.no)
    #expect(refused.handle(.wanted, after: 2_000).contains(.ready) == false)
  }

  @Test func `a refusal that is two seconds old is checked again by a call, but a permission is not`() {
    let yes = served()
    yes.handle(.wanted, after: 2_000)
    #expect(yes.handle(.answered(.accessWithoutAgent, PolkitReply(.no))) == [.ready], "only the refusal was old")
    let refusal = served(.no)
    #expect(refusal.handle(.wanted) == [.ready])
    #expect(refusal.handle(.wanted, after: 600) == Self.both(mayStart: true))
    #expect(refusal.precise == .no, "it remains valid meanwhile")
  }

  @Test func `after a change at polkit, deliveries are held until polkit has answered`() {
    let driver = served()
    let actions = driver.handle(.doubted(isServed: true))
    #expect(actions == Self.both(mayStart: false))
    #expect(driver.isHeld && driver.precise == .yes)
    #expect(driver.answerAll(.yes, after: 400) == [.changed, .ready])
    #expect(!driver.isHeld && driver.precise == .yes)
    driver.handle(.doubted(isServed: true), after: 500)
    #expect(driver.isHeld)
    #expect(driver.answerAll(.no) == [.changed, .ready])
    #expect(!driver.isHeld && driver.precise == .no)
  }

  @Test func `a change shortly after a confirmation does not hold deliveries immediately`() {
    let driver = served()
    driver.handle(.doubted(isServed: true))
    driver.answerAll(.yes)
    driver.handle(.doubted(isServed: true), after: 20)
    #expect(!driver.isHeld)
    driver.now = driver.now + .milliseconds(130)
    #expect(driver.isHeld)
  }

  /// Regression: the end of the first round cleared the deadline of the second, and deliveries continued for seconds.
  @Test func `only answers to questions that were asked after the last change end the hold`() {
    let driver = served()
    driver.handle(.doubted(isServed: true))
    driver.handle(.doubted(isServed: true), after: 8)
    // These questions were asked before the second change, so polkit may have answered according to the old rules.
    let second = driver.answerAll(.yes, after: 200)
    #expect(second == Self.both(mayStart: false))
    #expect(driver.isHeld)
    #expect(driver.answerAll(.no) == [.changed, .ready])
    #expect(!driver.isHeld && driver.precise == .no)
  }

  @Test func `access ends a second after the first unconfirmed change if polkit does not answer`() {
    let driver = served()
    driver.handle(.doubted(isServed: true))
    driver.handle(.doubted(isServed: true), after: 8)
    driver.answerAll(.yes, after: 200)
    #expect(driver.answers.deadline == driver.now + 792_000, "counted from the first doubt")
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: true), after: 792) == [.changed, .ready])
    #expect(driver.precise == .unknown)
    #expect(driver.answerAll(.yes, after: 60_000) == [.changed, .ready], "a late answer counts")
    #expect(driver.precise == .yes && !driver.isHeld)
  }

  /// A user can make polkit slow by calling it. Regression: clients received neither locations nor a report.
  @Test(arguments: [200, 350, 600, 900] as [Int64])
  func `while polkit is slow and its rules keep changing, each answer still releases a location`(delay: Int64) {
    let driver = served()
    let pending = [PolkitAction.accessWithoutAgent, .accessPrecise]
    var due: Int64?
    var (released, unknown) = (Set<MonotonicInstant>(), 0)
    for millisecond in Int64(1)...20_000 {
      var actions = driver.handle(.timer(isServed: true, isPolkitThere: true), after: 1)
      if millisecond % 100 == 0 { actions += driver.handle(.doubted(isServed: true)) }
      if let time = due, millisecond >= time {
        due = nil
        for action in pending {
          actions += driver.handle(.answered(action, PolkitReply(action == .accessPrecise ? .yes : .no)))
        }
      }
      if actions.contains(.ask(.accessPrecise, mayStartPolkit: false)) { due = millisecond + delay }
      if let hold = driver.answers.hold(at: driver.now), hold.isConfirmed { released.insert(hold.question) }
      if driver.precise == .unknown { unknown += 1 }
    }
    #expect(released.count >= 20_000 / Int(delay + 100) - 2, "\(released.count) locations")
    #expect(unknown <= 1_000, "without access for \(unknown) ms")
  }

  @Test func `constant changes at polkit neither stop deliveries nor flood polkit with questions`() {
    let driver = served()
    var asked = 0
    var deliverable = 0
    for step in 0..<2_000 {
      var actions = driver.handle(.doubted(isServed: true), after: 1)
      if let deadline = driver.answers.deadline, driver.now >= deadline {
        actions += driver.handle(.timer(isServed: true, isPolkitThere: true))
      }
      asked += actions.count { if case .ask = $0 { true } else { false } }
      // polkit answers after 10 ms.
      if step % 10 == 9 { driver.answerAll(.yes, after: 0) }
      if !driver.isHeld, driver.precise == .yes { deliverable += 1 }
      #expect(driver.precise == .yes, "the status stays")
    }
    #expect(deliverable > 1_000, "\(deliverable) of 2000 ms")
    #expect(asked < 100, "\(asked) questions in 2 s")
  }

  @Test(arguments: [2, 5, 20] as [Int64])
  func `a polkit that answers before the next change is not flooded with questions`(interval: Int64) {
    let driver = served()
    var asked = 0
    for _ in 0..<1_000 / interval {
      var actions = driver.handle(.doubted(isServed: true), after: interval - 1)
      if let deadline = driver.answers.deadline, driver.now >= deadline {
        actions += driver.handle(.timer(isServed: true, isPolkitThere: true))
      }
      asked += actions.count { if case .ask = $0 { true } else { false } }
      driver.answerAll(.yes, after: 1)
      #expect(!driver.isHeld && driver.precise == .yes)
    }
    #expect((10...30).contains(asked), "\(asked) questions in a second")
  }

  @Test func `an old permission is confirmed in the background while it is used`() {
    let driver = served()
    #expect(driver.answers.deadline == MonotonicInstant.milliseconds(1) + PolicyAnswers.consentAge)
    driver.now = .milliseconds(1) + PolicyAnswers.consentAge
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: true)) == [.ask(.accessPrecise, mayStartPolkit: false)])
    #expect(!driver.isHeld && driver.precise == .yes)
    #expect(
      driver.handle(.answered(.accessPrecise, PolkitReply(.no)), after: 1) == [.ask(.access, mayStartPolkit: false)])
    #expect(driver.precise == .yes, "only the outcome is visible")
    #expect(driver.handle(.answered(.access, PolkitReply(.no))) == [.changed, .ready])
    #expect(driver.precise == .no)
  }

  @Test func `a permission that polkit does not confirm expires`() {
    let driver = served()
    driver.now = .milliseconds(1) + PolicyAnswers.consentAge
    driver.handle(.timer(isServed: true, isPolkitThere: true))
    #expect(driver.answers.deadline == driver.now + AnswerDeadlines.confirmation)
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: true), after: 4_000) == [.changed, .ready])
    #expect(driver.precise == .unknown)
  }

  /// Regression: polkit hung while it was asked in the background for more, and the permission was never confirmed again.
  @Test func `a permission expires even if polkit does not answer another question`() {
    let driver = served()
    #expect(driver.handle(.wanted, after: 28_000) == [.ready, .ask(.accessWithoutAgent, mayStartPolkit: true)])
    let aged = PolicyAnswers.Event.timer(isServed: true, isPolkitThere: true)
    #expect(driver.answers.deadline.map { $0 - driver.now }.map { $0 < .seconds(2) } == true)
    #expect(driver.handle(aged, after: 2_000) == [.ask(.accessPrecise, mayStartPolkit: true)])
    #expect(driver.precise == .yes)
    #expect(driver.handle(aged, after: 4_000).contains(.changed))
    #expect(driver.precise == .unknown)
  }

  /// Regression: the consent counted for as long as polkit did not answer the questions that were asked before the
  /// consent.
  @Test func `consent that is given while polkit does not answer expires unless it is confirmed`() {
    let driver = served(.challenge)
    driver.handle(.wanted, after: 2_000)
    driver.handle(.consented(.accessPrecise, PolkitReply(.yes)))
    #expect(driver.precise == .yes)
    driver.now += 31_000_000
    driver.handle(.timer(isServed: true, isPolkitThere: true))
    #expect(driver.answers.deadline == driver.now + AnswerDeadlines.confirmation)
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: true), after: 4_000).contains(.changed))
    #expect(driver.precise == .unknown)
  }

  /// Regression: after the first confirmation, which requires the consent again, there was no other one.
  @Test func `consent is confirmed again and again, and ends if polkit does not answer`() {
    let driver = served(.challenge)
    driver.handle(.consented(.accessPrecise, PolkitReply(.yes)))
    for _ in 0..<3 {
      #expect(driver.answers.deadline == driver.now + PolicyAnswers.consentAge)
      driver.now = driver.answers.deadline ?? .origin
      #expect(
        driver.handle(.timer(isServed: true, isPolkitThere: true)).contains(
          .ask(.accessPrecise, mayStartPolkit: false)))
      driver.answerAll(.challenge, after: 0)
      #expect(driver.precise == .yes)
    }
    driver.now = driver.answers.deadline ?? .origin
    driver.handle(.timer(isServed: true, isPolkitThere: true))
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: true), after: 4_000).contains(.changed))
    #expect(driver.precise == .unknown)
  }

  @Test func `an old permission of an idle client is confirmed before the next call uses it`() {
    let driver = served()
    driver.now = .milliseconds(1) + PolicyAnswers.consentAge
    #expect(driver.handle(.timer(isServed: false, isPolkitThere: true)).isEmpty)
    #expect(driver.answers.deadline == nil)
    #expect(driver.handle(.wanted, after: 1_000).contains(.ask(.accessPrecise, mayStartPolkit: true)))
  }

  @Test func `after a change at polkit, answers about idle clients are dropped`() {
    let driver = served()
    #expect(driver.handle(.doubted(isServed: false)) == [.changed])
    #expect(driver.precise == .unknown && !driver.isHeld)
    #expect(driver.answers.answer(to: .accessWithoutAgent) == .no, "it can only grant more")
  }

  /// Regression: a client that came in the second after such an answer was not known to be named by a new rule.
  @Test func `after a change at polkit, the next call of an idle client asks everything again`() {
    let driver = served()
    driver.handle(.doubted(isServed: false), after: 400)
    #expect(driver.handle(.wanted) == Self.both(mayStart: true))
  }

  @Test func `if polkit exits and does not return, it counts as unavailable until a call starts it`() {
    let driver = served()
    driver.handle(.doubted(isServed: true))
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: false), after: 1_000) == [.changed, .ready])
    #expect(driver.precise == .unavailable && driver.answers.answer(to: .accessWithoutAgent) == .unavailable)
    #expect(
      driver.handle(.wanted, after: 5_000) == [
        .ask(.accessPrecise, mayStartPolkit: true), .ask(.accessWithoutAgent, mayStartPolkit: true),
      ])
    #expect(driver.answerAll(.yes) == [.changed, .ready])
    #expect(driver.precise == .yes)
  }

  /// A program may come just after polkit has returned, while no client waited for it.
  @Test func `an unavailable polkit is asked everything again after a doubt`() {
    let driver = Driver()
    driver.handle(.wanted)
    for action in [PolkitAction.accessWithoutAgent, .accessPrecise, .access] {
      driver.handle(.answered(action, .unavailable))
    }
    driver.handle(.doubted(isServed: false), after: 100)
    #expect(
      driver.handle(.wanted, after: 100) == [
        .ask(.accessWithoutAgent, mayStartPolkit: true), .ask(.accessPrecise, mayStartPolkit: true),
      ])
  }

  /// polkit may exit when idle or crash, and no other program may start it again.
  @Test func `while a client is served, a polkit that has exited is started at growing intervals`() {
    let driver = served()
    driver.handle(.doubted(isServed: true))
    driver.handle(.timer(isServed: true, isPolkitThere: false), after: 1_000)
    let start = driver.now
    var starts: [Double] = []
    while let time = driver.answers.deadline, time - start < .seconds(700) {
      driver.now = time
      let actions = driver.handle(.timer(isServed: true, isPolkitThere: false))
      guard actions.contains(.ask(.accessPrecise, mayStartPolkit: true)) else { continue }
      starts.append((driver.now - start).seconds)
      driver.handle(.answered(.accessWithoutAgent, .unavailable))
      driver.handle(.answered(.accessPrecise, .unavailable))
      driver.handle(.answered(.access, .unavailable))
    }
    #expect(starts == [5, 35, 335, 635])
    driver.now = driver.answers.deadline ?? 0
    #expect(driver.handle(.timer(isServed: false, isPolkitThere: false)) == [], "no client is served")
    driver.now = driver.answers.deadline ?? 0
    driver.handle(.timer(isServed: true, isPolkitThere: false))
    #expect(driver.answerAll(.yes) == [.changed, .ready])
    #expect(driver.precise == .yes)
    driver.now += 20_000_000
    #expect(driver.handle(.timer(isServed: true, isPolkitThere: true)) == [], "it is available again")
  }

  @Test func `consent remains valid until the rules forbid access`() {
    let driver = served(.challenge)
    #expect(driver.handle(.consented(.accessPrecise, PolkitReply(.yes))) == [.changed])
    #expect(driver.precise == .yes)
    driver.handle(.doubted(isServed: true))
    driver.handle(.answered(.accessWithoutAgent, PolkitReply(.no)))
    driver.handle(.answered(.accessPrecise, PolkitReply(.challenge)))
    #expect(driver.precise == .yes && !driver.isHeld)
    driver.handle(.doubted(isServed: true), after: 500)
    driver.answerAll(.no)
    #expect(driver.precise == .no)
    driver.handle(.doubted(isServed: true), after: 500)
    driver.answerAll(.challenge)
    #expect(driver.precise == .challenge, "after a refusal the user is asked again")
  }

  @Test func `an authentication that polkit remembers ends when polkit forgets it`() {
    let driver = served(.challenge)
    driver.handle(.consented(.accessPrecise, PolkitReply(.yes, isTemporary: true)))
    #expect(driver.precise == .yes)
    driver.handle(.doubted(isServed: true))
    driver.answerAll(.challenge)
    #expect(driver.precise == .challenge)
  }
}
