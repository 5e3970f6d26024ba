import DBus
import Testing

@testable import GeopublicistGatekeeper

/// The order in which polkit is asked.
struct CheckQueueTests {
  private func question(
    _ peer: Int, _ action: PolkitAction = .access, isInteractive: Bool = false
  ) throws -> CheckQueue.Question {
    CheckQueue.Question(
      peer: try #require(BusName(validating: ":1.\(peer)")), action: action, isInteractive: isInteractive)
  }

  @Test func whoAsksTheSameJoins() throws {
    var queue = CheckQueue()
    let first = try question(1)
    #expect(queue.handle(.asked(first)) == [.send(1, first)])
    #expect(queue.handle(.asked(first)) == [])
    let other = try question(1, .accessPrecise)
    #expect(queue.handle(.asked(other)) == [.send(2, other)])
    #expect(queue.handle(.answered(1, .yes)) == [.report(first, .yes)])
    #expect(queue.handle(.asked(first)) == [.send(3, first)], "an answer serves those who had asked")
  }

  @Test func atMostSixtyFourAreUnderWay() throws {
    var queue = CheckQueue()
    var sent = 0
    for peer in 0..<1000 { sent += queue.handle(.asked(try question(peer))).count }
    #expect(sent == 64)
    #expect(queue.inFlight == 64 && queue.queued == 936)
    var number: CheckQueue.Number = 0
    var order: [String] = []
    while queue.inFlight > 0 {
      number += 1
      for action in queue.handle(.answered(number, .no)) {
        if case .report(let question, _) = action { order.append(question.peer.rawValue) }
      }
      #expect(queue.inFlight <= 64)
    }
    #expect(order == (0..<1000).map { ":1.\($0)" }, "everybody in turn")
  }

  @Test func dialogsLeaveRoomForOthers() throws {
    var queue = CheckQueue()
    for peer in 0..<200 { _ = queue.handle(.asked(try question(peer, isInteractive: true))) }
    #expect(queue.inFlight == CheckQueue.dialogCapacity)
    let quick = try question(999)
    #expect(queue.handle(.asked(quick)) == [.send(17, quick)])
    #expect(queue.handle(.answered(1, .no)).count == 2, "one dialog ends, the next opens")
  }

  @Test func anAnswerFromBeforeAChangeIsAskedForAgain() throws {
    var queue = CheckQueue()
    let (plain, dialog) = (try question(1), try question(1, isInteractive: true))
    _ = queue.handle(.asked(plain))
    _ = queue.handle(.asked(dialog))
    _ = queue.handle(.policyChanged)
    #expect(queue.handle(.answered(1, .yes)) == [.send(3, plain)])
    #expect(queue.handle(.answered(2, .yes)) == [.report(dialog, .yes)], "the change may be the dialog's own success")
    #expect(queue.handle(.answered(3, .no)) == [.report(plain, .no)])
  }

  @Test func whoHasGoneIsToldNothingAndKeepsNoPlace() throws {
    var queue = CheckQueue()
    let (gone, here) = (try question(1), try question(2))
    _ = queue.handle(.asked(gone))
    _ = queue.handle(.asked(here))
    #expect(queue.handle(.gone(gone.peer)) == [.cancel(1)])
    #expect(queue.inFlight == 2, "the bus counts it until polkit has answered")
    #expect(queue.handle(.answered(1, .unavailable)) == [])
    #expect(queue.inFlight == 1)
    #expect(queue.handle(.withdrawn(here)) == [.cancel(2)])
    #expect(queue.handle(.asked(here)) == [.send(3, here)], "a check that was given up serves nobody")
    #expect(queue.handle(.answered(2, .yes)) == [])
    #expect(queue.handle(.answered(3, .yes)) == [.report(here, .yes)])
    #expect(queue.handle(.answered(3, .no)) == [], "each is answered once")
  }

  @Test func whoLeavesTheQueueIsNeverSent() throws {
    var queue = CheckQueue()
    for peer in 0..<65 { _ = queue.handle(.asked(try question(peer))) }
    #expect(queue.handle(.gone(try question(64).peer)) == [])
    #expect(queue.handle(.answered(1, .no)) == [.report(try question(0), .no)])
  }
}
