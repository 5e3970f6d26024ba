// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// Monitors one region for a ``LocationManager``: with a ``RegionMachine`` and its timer, or through a source that
/// monitors regions itself.
final class RegionMonitor {
  private var machine: RegionMachine
  private weak var manager: LocationManager?
  private let onEvent: (RegionEvent) -> Void
  private let onEnd: () -> Void
  private let configuration: RegionConfiguration
  private var remote: (region: AnyObject, level: AccuracyLevel)?
  private var beginning: LoopSource?
  private var timer: LoopSource?
  private var armedFor: BootInstant?
  private var isStarted = false
  private var isOver = false

  /// Begins in the next turn of the loop, so that the caller is ready for the first event. Calls `onEnd` when a
  /// region for a single use has ended.
  init(
    _ configuration: RegionConfiguration, with manager: LocationManager, onEnd: @escaping () -> Void = {},
    _ onEvent: @escaping (RegionEvent) -> Void
  ) {
    self.configuration = configuration
    machine = RegionMachine(configuration)
    self.manager = manager
    self.onEnd = onEnd
    self.onEvent = onEvent
    manager.add(self)
    beginning = MainLoop.main.nextTurn { [weak self] in
      guard let self, let manager = self.manager else { return }
      if let source = manager.filteringSource { return monitor(with: source, at: manager.desiredAccuracy) }
      isStarted = true
      handle(.level(manager.evaluatedLevel))
      handle(.start)
    }
  }

  /// Ends the monitoring without another event.
  func end() {
    guard !isOver else { return }
    isOver = true
    (beginning, timer, remote) = (nil, nil, nil)
    manager?.remove(self)
  }

  private func monitor(with source: any FilteringLocationSource, at level: AccuracyLevel) {
    remote = nil
    let region = source.monitor(configuration, at: level) { [weak self] update in
      guard let self, !isOver else { return }
      switch update {
      case .event(let event): onEvent(event)
      case .ended:
        end()
        onEnd()
      }
    }
    remote = (region, level)
  }

  func handle(_ event: RegionMachine.Event) {
    if let remote, let manager, let source = manager.filteringSource, remote.level != manager.desiredAccuracy {
      monitor(with: source, at: manager.desiredAccuracy)
    }
    guard isStarted, !isOver else { return }
    for action in machine.handle(event, at: now) {
      switch action {
      case .emit(let event): if !isOver { onEvent(event) }
      case .complete:
        end()
        onEnd()
      }
    }
    guard !isOver else { return }
    manager?.needChanged(of: self)
    arm()
  }

  var need: SourceSchedule.Need? {
    guard let manager, isStarted, !isOver else { return nil }
    let level = manager.desiredAccuracy
    // The source reports granted access only while the source is held.
    guard manager.authorizationStatus.isAuthorized else { return SourceSchedule.Need(level) }
    switch machine.need {
    case .nothing: return nil
    case .now: return SourceSchedule.Need(level)
    case .check(let time): return .check(level, from: MainLoop.main.clock.monotonic(at: time))
    }
  }

  private var now: BootInstant { MainLoop.main.clock.boottime() }

  private func arm() {
    guard let deadline = machine.deadline, armedFor.map({ deadline < $0 }) ?? true else { return }
    armedFor = deadline
    timer = MainLoop.main.after(deadline - now) { [weak self] in
      self?.armedFor = nil
      self?.handle(.timer)
    }
  }
}
