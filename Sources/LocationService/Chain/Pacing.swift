// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop
import Publishing

/// The thresholds of one subscription at work: a ``DeliveryRule`` with its timer.
///
/// It outlives the chains that the subscription builds one after the other, so that its thresholds can change while a
/// chain runs.
final class Pacer {
  /// Called when ``need(at:)`` may have changed.
  var onNeedChanged: () -> Void = {}

  private var rule = DeliveryRule()
  private var check = SignificantCheck()
  private var timer: LoopSource?
  private var output: ((Location) -> Void)?

  /// Begins again with the locations of another chain: the next one is the first.
  func open(_ output: @escaping (Location) -> Void) {
    self.output = output
    perform(rule.reset())
  }

  /// Lets nothing pass any more, and drops what waits.
  func close() {
    output = nil
    check = SignificantCheck()
    perform(rule.reset())
  }

  /// Changes the thresholds.
  func configure(_ configuration: DeliveryRule.Configuration) {
    perform(rule.configure(configuration, at: now))
    onNeedChanged()
  }

  /// Passes a location on now, later or never.
  func take(_ location: Location) {
    let now = now
    if rule.receivedAndSent(location, at: now) {
      output?(location)
    } else {
      check.received(location, at: now)
      perform(rule.received(location, at: now))
      onNeedChanged()
    }
  }

  /// The device may be somewhere else.
  func checkNow() {
    check.checkNow(at: now)
    onNeedChanged()
  }

  /// What this way needs of the source, at a level.
  func need(at level: AccuracyLevel) -> SourceSchedule.Need {
    if rule.configuration.isSignificant, let next = check.nextAt {
      return SourceSchedule.Need(level, from: next, isCheck: true)
    }
    return SourceSchedule.Need(level, from: rule.mayDeliverFrom)
  }

  private var now: UInt64 { UInt64(max(0, MainLoop.main.clock.monotonic())) }

  private func perform(_ actions: [DeliveryRule.Action]) {
    for action in actions {
      switch action {
      case .deliver(let location): output?(location)
      case .armTimer(let time):
        timer = MainLoop.main.at(monotonic: Int64(clamping: time)) { [weak self] in
          guard let self else { return }
          perform(rule.timerFired(at: now))
          onNeedChanged()
        }
      case .disarmTimer: timer = nil
      }
    }
  }
}

/// A publisher that lets locations pass when the thresholds of a subscription allow it.
struct PacedLocations<Upstream: Publisher<Location, Never>>: @MainActor Publisher {
  typealias Output = Location
  typealias Failure = Never

  let upstream: Upstream
  let pacer: Pacer

  func receive<Downstream: Subscriber<Location, Never>>(subscriber: Downstream) {
    upstream.subscribe(Link(pacer, subscriber))
  }

  private final class Link<Downstream: Subscriber<Location, Never>>: @MainActor Subscriber,
    @MainActor Subscription
  {
    typealias Input = Location
    typealias Failure = Never

    private let pacer: Pacer
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var demand = Subscribers.Demand.none

    init(_ pacer: Pacer, _ downstream: Downstream) {
      self.pacer = pacer
      self.downstream = downstream
    }

    func receive(subscription: any Subscription) {
      guard upstream == nil, let downstream else { return subscription.cancel() }
      upstream = subscription
      pacer.open { [weak self] location in self?.deliver(location) }
      downstream.receive(subscription: self)
      // The rule must see every location, whatever the demand is.
      upstream?.request(.unlimited)
    }

    func receive(_ location: Location) -> Subscribers.Demand {
      if upstream != nil { pacer.take(location) }
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
      guard let downstream = end() else { return }
      downstream.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) { self.demand += demand }

    func cancel() {
      let upstream = upstream
      _ = end()
      upstream?.cancel()
    }

    private func deliver(_ location: Location) {
      // Without demand the location is lost here; the operator below keeps the newest.
      guard demand > 0, let downstream else { return }
      demand -= 1
      demand += downstream.receive(location)
    }

    private func end() -> Downstream? {
      guard upstream != nil else { return nil }
      upstream = nil
      pacer.close()
      let downstream = downstream
      self.downstream = nil
      return downstream
    }
  }
}

extension Publisher<Location, Never> {
  /// Lets locations pass when the pacer's thresholds allow it.
  func paced(by pacer: Pacer) -> PacedLocations<Self> {
    PacedLocations(upstream: self, pacer: pacer)
  }
}
