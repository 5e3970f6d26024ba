// SPDX-License-Identifier: Apache-2.0
/// A pure state machine that a ``MachineShell`` runs.
nonisolated package protocol StateMachine {
  associatedtype Event: MachineEvent
  associatedtype Action
  /// The clock that the machine's times belong to.
  associatedtype Clock

  /// When ``MachineEvent/timer`` is due. One that arrives earlier, or without a deadline, must change nothing.
  var deadline: Instant<Clock>? { get }
  /// Handles an event and returns the actions to perform, in order.
  @MainActor mutating func handle(_ event: Event, at now: Instant<Clock>) -> [Action]
  @MainActor static var now: Instant<Clock> { get }
}

nonisolated package protocol MachineEvent {
  static var timer: Self { get }
}

extension StateMachine where Clock == MonotonicClock {
  package static var now: MonotonicInstant { MainLoop.main.clock.monotonic() }
}

extension StateMachine where Clock == BootClock {
  package static var now: BootInstant { MainLoop.main.clock.boottime() }
}

/// A machine with the events that wait for it and the timer for its deadline.
package struct MachineHost<Machine: StateMachine> {
  package var machine: Machine
  fileprivate var events: [Machine.Event] = []
  fileprivate var isHandling = false
  fileprivate var timer: (time: Instant<Machine.Clock>, source: LoopSource)?

  package init(_ machine: Machine) { self.machine = machine }

  /// Drops the timer, because its clock has moved. It is armed again after the next event.
  package mutating func disarm() { timer = nil }
}

/// Runs a state machine: carries out its actions, and sends it events.
package protocol MachineShell: AnyObject {
  associatedtype Machine: StateMachine
  var host: MachineHost<Machine> { get set }
  /// Called when the machine has handled an event, before its actions are performed.
  func willPerform()
  func perform(_ action: Machine.Action)
  /// Called when the deadline has passed, or earlier. Sends the timer event, unless something else must precede it.
  func timeHasCome()
}

extension MachineShell {
  package func willPerform() {}
  package func timeHasCome() { sendTimer() }

  /// Handles an event, and then those that its actions have raised.
  package func handle(_ event: Machine.Event) {
    host.events.append(event)
    guard !host.isHandling else { return }
    host.isHandling = true
    while !host.events.isEmpty {
      let actions = host.machine.handle(host.events.removeFirst(), at: Machine.now)
      willPerform()
      for action in actions { perform(action) }
    }
    host.isHandling = false
    arm()
  }

  package func sendTimer() {
    host.timer = nil
    handle(.timer)
  }

  private func arm() {
    guard let deadline = host.machine.deadline else { return host.disarm() }
    // A timer that fires early is armed again, which costs less than a new one for each location.
    guard host.timer.map({ deadline < $0.time }) ?? true else { return }
    let source = MainLoop.main.after(deadline - Machine.now) { [weak self] in self?.timeHasCome() }
    host.timer = (deadline, source)
  }
}
