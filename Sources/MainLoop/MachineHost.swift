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
  private var events: [Machine.Event] = []
  private var isHandling = false
  fileprivate var timer: (time: Instant<Machine.Clock>, source: LoopSource)?

  package init(_ machine: Machine) { self.machine = machine }

  /// Drops the timer, because its clock has moved. It is armed again after the next event.
  package mutating func disarm() { timer = nil }

  /// Returns the actions for an event, or nil if it waits until those of an earlier one have been performed.
  fileprivate mutating func begin(_ event: Machine.Event) -> [Machine.Action]? {
    guard !isHandling else {
      events.append(event)
      return nil
    }
    isHandling = true
    return machine.handle(event, at: Machine.now)
  }

  /// Returns the actions for the next event that has waited, or nil if there is none.
  fileprivate mutating func next() -> [Machine.Action]? {
    isHandling = !events.isEmpty
    guard isHandling else { return nil }
    return machine.handle(events.removeFirst(), at: Machine.now)
  }

  /// Returns the deadline for which a timer must be created, or nil if the timer is right.
  fileprivate mutating func missingTimer() -> Instant<Machine.Clock>? {
    guard let deadline = machine.deadline else {
      disarm()
      return nil
    }
    // A timer that fires early is armed again, which costs less than a new one for each location.
    return timer.map { deadline < $0.time } ?? true ? deadline : nil
  }
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
    // Each access to the host copies it, unless it is changed in place.
    guard var actions = host.begin(event) else { return }
    while true {
      willPerform()
      for action in actions { perform(action) }
      guard let next = host.next() else { break }
      actions = next
    }
    guard let deadline = host.missingTimer() else { return }
    host.timer = (deadline, MainLoop.main.after(deadline - Machine.now) { [weak self] in self?.timeHasCome() })
  }

  package func sendTimer() {
    host.disarm()
    handle(.timer)
  }
}
