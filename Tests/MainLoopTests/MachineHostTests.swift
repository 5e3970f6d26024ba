// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Testing

@Suite struct MachineHostTests {
  nonisolated private struct Echo: StateMachine {
    enum Event: MachineEvent, Equatable {
      case say([String])
      case until(MonotonicInstant?)
      case timer
    }

    var deadline: MonotonicInstant?
    var log: [String] = []

    mutating func handle(_ event: Event, at now: MonotonicInstant) -> [String] {
      switch event {
      case .say(let words):
        log.append("say")
        return words
      case .until(let time):
        deadline = time
        return []
      case .timer:
        log.append(deadline.map { now < $0 } == false ? "due" : "early")
        if let deadline, now >= deadline { self.deadline = nil }
        return []
      }
    }
  }

  private final class Shell: MachineShell {
    var host = MachineHost(Echo())
    var performed: [String] = []
    var onTime: (() -> Void)?

    func willPerform() { performed.append("|") }

    func perform(_ action: String) {
      if action == "again" { handle(.say(["c", "d"])) }
      performed.append(action)
    }

    func timeHasCome() { if let onTime { onTime() } else { sendTimer() } }
  }

  private func soon(_ milliseconds: Int64) -> MonotonicInstant { Echo.now + .milliseconds(milliseconds) }

  @Test func `all actions of an event are performed before those of the events that they cause`() {
    let shell = Shell()
    shell.handle(.say(["a", "again", "b"]))
    #expect(shell.performed == ["|", "a", "again", "b", "|", "c", "d"])
  }

  @Test func `a machine receives exactly one event for each deadline`() throws {
    let shell = Shell()
    shell.handle(.until(soon(10)))
    try turning("the timer fires") { !shell.host.machine.log.isEmpty }
    try turning(for: .milliseconds(30), "it does not fire again") { shell.host.machine.log == ["due"] }
  }

  @Test func `the timer is replaced only if the deadline becomes earlier`() throws {
    let shell = Shell()
    shell.handle(.until(soon(10)))
    shell.handle(.until(soon(60_000)))
    try turning("the timer fires early") { shell.host.machine.log == ["early"] }
    shell.handle(.until(soon(10)))
    try turning("the earlier deadline is met") { shell.host.machine.log == ["early", "due"] }
    // On a busy machine, the first timer may fire after both deadlines.
    shell.handle(.until(soon(10)))
    shell.handle(.until(soon(40)))
    try turning("the later deadline is met") {
      shell.host.machine.log.count > 2 && shell.host.machine.log.last == "due"
    }
    let count = shell.host.machine.log.count
    shell.handle(.until(soon(10)))
    shell.handle(.until(nil))
    try turning(for: .milliseconds(30), "it does not fire") { shell.host.machine.log.count == count }
  }

  @Test func `the timer is not armed again for a deadline that has already fired`() throws {
    let shell = Shell()
    var calls = 0
    shell.onTime = { calls += 1 }
    shell.handle(.until(soon(10)))
    try turning("the timer fires") { calls == 1 }
    shell.handle(.say([]))
    try turning(for: .milliseconds(30), "it does not fire again") { calls == 1 }
    shell.sendTimer()
    #expect(shell.host.machine.log == ["say", "due"])
  }

  @Test func `after disarm(), the timer is armed again for the same deadline`() throws {
    let shell = Shell()
    var calls = 0
    shell.onTime = { calls += 1 }
    shell.handle(.until(soon(10)))
    try turning("the timer fires") { calls == 1 }
    shell.host.disarm()
    shell.handle(.say([]))
    try turning("it fires again") { calls == 2 }
  }

  @Test func `no timer fires after its shell is released`() throws {
    var calls = 0
    weak var released: Shell?
    do {
      let shell = Shell()
      shell.onTime = { calls += 1 }
      shell.handle(.until(soon(10)))
      released = shell
    }
    #expect(released == nil)
    try turning(for: .milliseconds(30), "nothing fires") { calls == 0 }
  }
}
