// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import geopublicist

@Suite struct TimeZoneMachineTests {
  nonisolated private static let minute = Duration.seconds(60)
  private var machine = TimeZoneMachine(patience: 10 * minute, settled: nil)
  private var now = MonotonicInstant.origin

  private mutating func handle(_ event: TimeZoneMachine.Event, after wait: Duration = .zero) -> [TimeZoneMachine.Action]
  {
    now = now + wait
    return machine.handle(event, at: now)
  }

  /// Provides a zone that differs from the clock's, and waits until the clock is checked.
  private mutating func check(_ zone: String, clock: String = "UTC") {
    #expect(handle(.computed(zone)) == [.readClock])
    #expect(handle(.clock(clock)) == [])
    #expect(handle(.timer, after: 10 * Self.minute) == [.check])
  }

  @Test mutating func `a zone is set once after it has stayed the same for the whole wait`() {
    #expect(handle(.computed("Europe/Berlin")) == [.readClock] && machine.deadline == 10 * Self.minute)
    #expect(handle(.clock("UTC")).isEmpty && handle(.timer, after: 10 * Self.minute - .microseconds(1)).isEmpty)
    #expect(handle(.timer, after: .microseconds(1)) == [.check] && machine.deadline == nil)
    #expect(handle(.checked("UTC", mayBeSet: true)) == [.set("Europe/Berlin")])
    #expect(handle(.wasSet(true)) == [.settle("Europe/Berlin")] && machine.deadline == nil)
    #expect(handle(.computed(nil)).isEmpty && handle(.computed("Europe/Berlin")).isEmpty && machine.deadline == nil)
  }

  @Test mutating func `crossing a border and returning before the end of the wait changes nothing`() {
    machine = TimeZoneMachine(patience: 10 * Self.minute, settled: "Europe/Berlin")
    #expect(handle(.computed("Europe/Berlin")).isEmpty && machine.deadline == nil)
    #expect(handle(.computed("Europe/Warsaw")) == [.readClock])
    #expect(handle(.computed(nil), after: 9 * Self.minute).isEmpty && machine.deadline == nil)
    #expect(handle(.computed("Europe/Warsaw"), after: Self.minute) == [.readClock])
    #expect(machine.deadline == now + 10 * Self.minute, "an undecided zone begins the wait again")
    #expect(handle(.computed("Europe/Berlin")).isEmpty && machine.deadline == nil)
  }

  @Test(arguments: ["Asia/Tokyo", "Europe/Berlin"])
  mutating func `a zone that the user has set is not replaced until another zone is computed`(byHand: String) {
    check("Europe/Berlin")
    #expect(handle(.checked(byHand, mayBeSet: true)) == [.settle("Europe/Berlin")] && machine.deadline == nil)
    check("Europe/Paris", clock: byHand)
    #expect(handle(.checked(byHand, mayBeSet: true)) == [.set("Europe/Paris")])
  }

  @Test mutating func `a clock whose zone could not be read at first is set later`() {
    #expect(handle(.computed("Europe/Berlin")) == [.readClock] && handle(.clock(nil)).isEmpty)
    #expect(handle(.timer, after: 10 * Self.minute) == [.check])
    #expect(handle(.checked("UTC", mayBeSet: true)) == [.set("Europe/Berlin")])
  }

  @Test(arguments: [.checked("UTC", mayBeSet: false), .checked(nil, mayBeSet: true)] as [TimeZoneMachine.Event])
  mutating func `if setting the clock is not permitted or not answered, it is tried again later`(
    answer: TimeZoneMachine.Event
  ) {
    check("Europe/Berlin")
    #expect(handle(answer, after: Self.minute).isEmpty && machine.deadline == now + 10 * Self.minute)
    #expect(handle(.timer, after: 10 * Self.minute) == [.check])
    #expect(handle(.checked("UTC", mayBeSet: true)) == [.set("Europe/Berlin")])
    #expect(handle(.wasSet(false)).isEmpty && machine.deadline == now + 10 * Self.minute)
  }

  @Test mutating func `a zone that is computed while another one is being set is set afterwards`() {
    check("Europe/Berlin")
    #expect(handle(.computed("Europe/Paris")) == [.readClock] && machine.deadline == nil)
    #expect(handle(.checked("UTC", mayBeSet: true)).isEmpty && machine.deadline == now + 10 * Self.minute)
    #expect(handle(.clock("UTC")).isEmpty && handle(.timer, after: 10 * Self.minute) == [.check])
    #expect(handle(.checked("UTC", mayBeSet: true)) == [.set("Europe/Paris")])
    #expect(handle(.computed("Europe/London")) == [.readClock] && machine.deadline == nil)
    #expect(handle(.wasSet(true)) == [.settle("Europe/Paris")] && machine.deadline == now + 10 * Self.minute)
    // The clock was read before it was set, and has not changed since.
    #expect(handle(.clock("UTC")).isEmpty && handle(.timer, after: 10 * Self.minute) == [.check])
    #expect(handle(.checked("Europe/Paris", mayBeSet: true)) == [.set("Europe/London")])
  }
}
