// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistGatekeeper

@Suite struct SessionStateTests {
  private func active() -> SessionState {
    var state = SessionState()
    _ = state.handle(.wanted, at: 0)
    _ = state.handle(.answered(.active), at: 0)
    return state
  }

  @Test func `the first call asks logind and waits, and later calls use the answer`() {
    var state = SessionState()
    #expect(state.handle(.wanted, at: 0) == [.ask])
    #expect(state.handle(.wanted, at: 1) == [])
    #expect(state.handle(.answered(.active), at: 2) == [.changed(from: nil), .ready])
    #expect(state.handle(.wanted, at: 3) == [.ready])
  }

  @Test func `a first answer that an announcement has overtaken is a change`() {
    var state = SessionState()
    _ = state.handle(.wanted, at: 0)
    _ = state.handle(.doubted, at: 100_000)
    #expect(state.handle(.answered(.active), at: 300_000) == [.ask])
    #expect(state.handle(.answered(.active), at: 600_000) == [.changed(from: .unknown), .ready])
  }

  /// Regression: locking the screen interrupted access for an instant.
  @Test func `after an announcement by logind, deliveries are held until logind has answered`() {
    var state = active()
    #expect(state.handle(.doubted, at: 500_000) == [.ask])
    #expect(state.isHeld(at: 500_000) && state.state == .active)
    #expect(state.handle(.answered(.active), at: 900_000) == [.changed(from: .active), .ready])
    #expect(!state.isHeld(at: 900_000))
    _ = state.handle(.doubted, at: 2_000_000)
    #expect(state.handle(.answered(.inactive), at: 2_000_000) == [.changed(from: .active), .ready])
    #expect(state.state == .inactive)
  }

  /// Regression: logind was asked after each announcement that arrived when the last question had been answered.
  @Test func `logind is asked ten times a second, however often something changes`() {
    var state = active()
    var questions = 0
    var time: MonotonicInstant = 1_000_000
    while time < 2_000_000 {
      let actions =
        state.handle(.doubted, at: time)
        + (state.deadline.map { $0 <= time } == true ? state.handle(.timer, at: time) : [])
      if actions.contains(.ask) {
        questions += 1
        _ = state.handle(.answered(.active), at: time + .milliseconds(2))
      }
      #expect(!state.isHeld(at: time + .milliseconds(3)), "\(time)")
      time = time + .milliseconds(5)
    }
    #expect((10...11).contains(questions))
  }

  @Test func `access ends if logind does not answer within a second`() {
    var state = active()
    _ = state.handle(.doubted, at: 500_000)
    #expect(state.deadline == 1_500_000)
    #expect(state.handle(.timer, at: 1_499_999) == [])
    #expect(state.isHeld(at: 1_499_999) && state.state == .active)
    #expect(state.handle(.timer, at: 1_500_000) == [.changed(from: .active), .ready])
    #expect(state.state == .unknown)
    #expect(state.handle(.wanted, at: 1_600_000) == [], "the bus counts the question until it is answered")
    #expect(state.handle(.answered(.active), at: 9_000_000) == [.changed(from: .unknown), .ready])
  }

  /// Regression: a change whose announcement dbus-daemon dropped was missed for good.
  @Test func `logind is asked again after 30 s while a client is served, and no delivery waits for it`() {
    var state = active()
    #expect(state.handle(.served, at: .milliseconds(29_999)) == [])
    #expect(state.deadline == .seconds(30))
    #expect(state.handle(.served, at: .seconds(30)) == [.ask])
    #expect(state.handle(.timer, at: .seconds(30)) == [])
    #expect(!state.isHeld(at: .milliseconds(31_900)) && !state.isDoubtful && state.state == .active)
    #expect(state.handle(.answered(.active), at: .seconds(31)) == [.ready])
    #expect(state.handle(.served, at: .seconds(61)) == [.ask])
    #expect(state.handle(.answered(.inactive), at: .seconds(62)) == [.changed(from: .active), .ready])
  }

  @Test func `an idle client causes no questions, and its next call waits briefly for logind`() {
    var state = active()
    #expect(state.handle(.timer, at: .seconds(30)) == [])
    #expect(state.deadline == nil)
    #expect(state.handle(.served, at: .seconds(50)) == [.ask])
    #expect(state.handle(.wanted, at: .seconds(50)) == [])
    #expect(state.deadline == .milliseconds(50_050))
    #expect(state.handle(.timer, at: .milliseconds(50_050)) == [.ready])
    #expect(state.state == .active && state.deadline == nil, "a logind that is slow changes nothing")
    #expect(state.handle(.wanted, at: .milliseconds(50_060)) == [.ready])
  }

  @Test func `an answer to a question from before the latest announcement is ignored`() {
    var state = active()
    _ = state.handle(.doubted, at: 500_000)
    _ = state.handle(.doubted, at: 600_000)
    #expect(state.handle(.answered(.active), at: 700_000) == [.ask])
    #expect(state.isHeld(at: 700_000))
    #expect(state.handle(.answered(.inactive), at: 700_001) == [.changed(from: .active), .ready])
  }

  @Test func `while logind restarts, it is asked only after it has returned`() {
    var state = active()
    #expect(state.handle(.left, at: 500_000) == [])
    #expect(state.isHeld(at: 500_000))
    #expect(state.handle(.doubted, at: 550_000) == [])
    #expect(state.handle(.came, at: 600_000) == [.ask])
    #expect(state.handle(.answered(.active), at: 610_000) == [.changed(from: .active), .ready])
    #expect(!state.isHeld(at: 610_000) && state.deadline == 30_610_000)
  }

  /// Regression: while logind was away, a location from before its last answer was sent after a session had ended.
  @Test func `while logind is away, locations from before its last answer are soon held too`() {
    var state = active()
    #expect(state.handle(.left, at: 500_000) == [])
    #expect(state.hold(at: 650_000)?.isConfirmed == true, "a revocation would not have taken effect yet either")
    #expect(state.hold(at: 650_001)?.isConfirmed == false)
    #expect(state.deadline == 800_000)
    #expect(state.handle(.timer, at: 800_000) == [.ask])
    #expect(state.hold(at: 800_000) == Hold(question: 800_000))
  }

  @Test func `a logind that has exited and does not come back is started by a call`() {
    var state = active()
    _ = state.handle(.doubted, at: 500_000)
    #expect(state.handle(.left, at: 500_001) == [])
    #expect(state.handle(.lost, at: 500_002) == [])
    #expect(state.deadline == 800_002)
    #expect(state.handle(.timer, at: 800_002) == [.ask])
    #expect(state.handle(.answered(.untracked), at: 800_003) == [.changed(from: .active), .ready])
  }

  /// Each answer arrives after its deadline and after the next announcement.
  @Test(arguments: [200, 400, 900] as [Int64])
  func `while logind is slow and keeps announcing changes, each answer still releases a location`(delay: Int64) {
    var state = active()
    var answer: Int64?
    var (released, unknown) = (Set<MonotonicInstant>(), 0)
    for millisecond in Int64(500)..<20_500 {
      let now = MonotonicInstant.milliseconds(millisecond)
      var actions: [SessionState.Action] = []
      if millisecond % 50 == 0 { actions += state.handle(.doubted, at: now) }
      if let deadline = state.deadline, now >= deadline { actions += state.handle(.timer, at: now) }
      if let time = answer, millisecond >= time {
        answer = nil
        actions += state.handle(.answered(.active), at: now)
      }
      if actions.contains(.ask) { answer = millisecond + delay }
      if let hold = state.hold(at: now), hold.isConfirmed {
        released.insert(hold.question)
        #expect(hold.question < now - .milliseconds(delay) + 1)
      }
      if state.state == .unknown { unknown += 1 }
    }
    #expect(released.count >= 20_000 / (delay + 100) - 2, "\(released.count) locations")
    #expect(unknown <= delay * 2, "the state is unknown for \(unknown) ms, only while no answer counts")
  }

  @Test func `constant announcements neither stop deliveries nor flood logind with questions`() {
    var state = active()
    var asked = 0
    var deliverable = 0
    for millisecond in 500..<2_500 {
      let now = MonotonicInstant.milliseconds(millisecond)
      var actions = state.handle(.doubted, at: now)
      if let deadline = state.deadline, now >= deadline { actions += state.handle(.timer, at: now) }
      if millisecond % 10 == 9 { actions += state.handle(.answered(.active), at: now) }
      asked += actions.count { $0 == .ask }
      #expect(state.state == .active)
      if !state.isHeld(at: now) { deliverable += 1 }
    }
    #expect(deliverable > 1_000, "\(deliverable) of 2000 ms")
    #expect(asked < 100, "\(asked) questions in 2 s")
  }
}
