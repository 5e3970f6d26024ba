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

  @Test func `actions are performed in order, before those of the events that they raise`() {
    let shell = Shell()
    shell.handle(.say(["a", "again", "b"]))
    #expect(shell.performed == ["|", "a", "again", "b", "|", "c", "d"])
  }

  @Test func `a deadline is handled exactly once`() throws {
    let shell = Shell()
    shell.handle(.until(soon(10)))
    try turning("the timer fires") { !shell.host.machine.log.isEmpty }
    try turning(for: .milliseconds(30), "it does not fire again") { shell.host.machine.log == ["due"] }
  }

  @Test func `a later deadline keeps the timer, an earlier one replaces it, and none ends it`() throws {
    let shell = Shell()
    shell.handle(.until(soon(10)))
    shell.handle(.until(soon(40)))
    try turning("the deadline is met") { shell.host.machine.log.last == "due" }
    #expect(shell.host.machine.log == ["early", "due"])
    shell.handle(.until(soon(60_000)))
    shell.handle(.until(soon(10)))
    try turning("the earlier deadline is met") { shell.host.machine.log.count == 3 }
    #expect(shell.host.machine.log.last == "due")
    shell.handle(.until(soon(10)))
    shell.handle(.until(nil))
    try turning(for: .milliseconds(30), "it does not fire") { shell.host.machine.log.count == 3 }
  }

  @Test func `a timer that the shell holds back is not armed again for the same deadline`() throws {
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

  @Test func `after a change of the clock, the timer is armed again`() throws {
    let shell = Shell()
    var calls = 0
    shell.onTime = { calls += 1 }
    shell.handle(.until(soon(10)))
    try turning("the timer fires") { calls == 1 }
    shell.host.disarm()
    shell.handle(.say([]))
    try turning("it fires again") { calls == 2 }
  }

  @Test func `no timer outlives its shell`() throws {
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
