// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

/// Monitors one region for a ``LocationManager``: with a ``RegionMachine``, or through a source that monitors regions
/// itself.
final class RegionMonitor: MachineShell {
  var host: MachineHost<RegionMachine>
  private weak var manager: LocationManager?
  private let onEvent: (RegionEvent) -> Void
  private let onEnd: () -> Void
  private let configuration: RegionConfiguration
  private var remote: (region: AnyObject, level: AccuracyLevel)?
  private var beginning: LoopSource?
  private var isStarted = false
  private var isOver = false

  /// Begins in the next turn of the loop, so that the caller is ready for the first event. Calls `onEnd` when the
  /// monitoring ends without ``end()``.
  init(
    _ configuration: RegionConfiguration, with manager: LocationManager, onEnd: @escaping () -> Void = {},
    _ onEvent: @escaping (RegionEvent) -> Void
  ) {
    self.configuration = configuration
    host = MachineHost(RegionMachine(configuration))
    self.manager = manager
    self.onEnd = onEnd
    self.onEvent = onEvent
    manager.add(self)
    beginning = MainLoop.main.nextTurn { [weak self] in
      guard let self, let manager = self.manager else { return }
      if let source = manager.filteringSource { return monitor(with: source, at: manager.desiredAccuracy) }
      isStarted = true
      take(.level(manager.evaluatedLevel))
      take(.start)
    }
  }

  /// Ends the monitoring without another event.
  func end() {
    guard !isOver else { return }
    isOver = true
    (beginning, remote) = (nil, nil)
    handle(.stop)
    manager?.remove(self)
  }

  private func monitor(with source: any FilteringLocationSource, at level: AccuracyLevel) {
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

  func take(_ event: RegionMachine.Event) {
    if let remote, let manager, let source = manager.filteringSource, remote.level != manager.desiredAccuracy {
      self.remote?.level = manager.desiredAccuracy
      source.change(remote.region, to: manager.desiredAccuracy)
    }
    guard isStarted, !isOver else { return }
    handle(event)
    reviewNeed()
  }

  func timeHasCome() {
    sendTimer()
    reviewNeed()
  }

  private func reviewNeed() { if !isOver { manager?.needChanged(of: self) } }

  func perform(_ action: RegionMachine.Action) {
    guard !isOver else { return }
    switch action {
    case .emit(let event): onEvent(event)
    case .complete:
      end()
      onEnd()
    }
  }

  var need: SourceSchedule.Need? {
    guard let manager, isStarted, !isOver else { return nil }
    let level = manager.desiredAccuracy
    // The source reports granted access only while the source is held.
    guard manager.authorizationStatus.isAuthorized else { return SourceSchedule.Need(level) }
    switch host.machine.need {
    case .nothing: return nil
    case .now: return SourceSchedule.Need(level)
    case .check(let time): return .check(level, from: MainLoop.main.clock.monotonic(at: time))
    }
  }
}

extension RegionMachine: StateMachine {}
extension RegionMachine.Event: MachineEvent {}
