import GeopublicistLocationModel
import MainLoop
import Publishing

/// The thresholds of one subscription at work: a ``DeliveryRule`` with its timer.
///
/// It outlives the chains that the subscription builds one after the other, so that its thresholds can change while a
/// chain runs.
final class DeliveryGate {
  private var rule: DeliveryRule
  private var timer: LoopSource?
  private var output: ((Fix) -> Void)?
  private var level = AccuracyLevel.none

  init(_ configuration: DeliveryRule.Configuration) { rule = DeliveryRule(configuration) }

  /// Begins anew with fixes of another chain: the next one is the first.
  func open(_ output: @escaping (Fix) -> Void) {
    self.output = output
    perform(rule.reset(), nil)
  }

  /// Lets nothing pass any more, and drops what waits.
  func close() {
    output = nil
    perform(rule.reset(), nil)
    timer = nil
  }

  func configure(_ configuration: DeliveryRule.Configuration) { perform(rule.configure(configuration, at: now), nil) }

  func take(_ fix: Fix) {
    level = fix.level
    let now = now
    if rule.receivedAndSent(fix.location, at: now) {
      output?(fix)
    } else {
      perform(rule.received(fix.location, at: now), fix)
    }
  }

  private var now: UInt64 { UInt64(max(0, MainLoop.main.clock.monotonic())) }

  private func perform(_ actions: [DeliveryRule.Action], _ fix: Fix?) {
    for action in actions {
      switch action {
      case .deliver(let location):
        // The fix that has just come is marshalled once for all; one that had to wait goes out alone.
        let isThis = fix.map { $0.location.sequence == location.sequence } ?? false
        output?(isThis ? fix ?? Fix(location, level: level) : Fix(location, level: level))
      case .armTimer(let time):
        timer = MainLoop.main.at(monotonic: Int64(clamping: time)) { [weak self] in
          guard let self else { return }
          perform(rule.timerFired(at: now), nil)
        }
      case .disarmTimer: timer = nil
      }
    }
  }
}

/// A publisher that lets fixes pass when the thresholds of a subscription allow it.
struct PacedFixes<Upstream: Publisher<Fix, Never>>: @MainActor Publisher {
  typealias Output = Fix
  typealias Failure = Never

  let upstream: Upstream
  let gate: DeliveryGate

  func receive<Downstream: Subscriber<Fix, Never>>(subscriber: Downstream) {
    upstream.subscribe(Pacer(gate, subscriber))
  }

  private final class Pacer<Downstream: Subscriber<Fix, Never>>: @MainActor Subscriber, @MainActor Subscription {
    typealias Input = Fix
    typealias Failure = Never

    private let gate: DeliveryGate
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var demand = Subscribers.Demand.none

    init(_ gate: DeliveryGate, _ downstream: Downstream) {
      self.gate = gate
      self.downstream = downstream
    }

    func receive(subscription: any Subscription) {
      guard upstream == nil, let downstream else { return subscription.cancel() }
      upstream = subscription
      gate.open { [weak self] fix in self?.deliver(fix) }
      downstream.receive(subscription: self)
      // Every fix has to be looked at, whatever is asked for: the rule picks.
      upstream?.request(.unlimited)
    }

    func receive(_ fix: Fix) -> Subscribers.Demand {
      if upstream != nil { gate.take(fix) }
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

    private func deliver(_ fix: Fix) {
      // What nobody asks for is lost here: the operator below keeps the newest.
      guard demand > 0, let downstream else { return }
      demand -= 1
      demand += downstream.receive(fix)
    }

    private func end() -> Downstream? {
      guard upstream != nil else { return nil }
      upstream = nil
      gate.close()
      let downstream = downstream
      self.downstream = nil
      return downstream
    }
  }
}

extension Publisher<Fix, Never> {
  /// Lets fixes pass when the gate's thresholds allow it.
  func paced(by gate: DeliveryGate) -> PacedFixes<Self> { PacedFixes(upstream: self, gate: gate) }
}
