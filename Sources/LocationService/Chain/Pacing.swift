// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Publicist
import Publishing

/// A publisher that passes on locations when the thresholds of a subscription allow it.
struct PacedLocations<Upstream: Publisher<Location, Never>>: @MainActor Publisher {
  typealias Output = Location
  typealias Failure = Never

  let upstream: Upstream
  let pacer: Pacer

  func receive<Downstream: Subscriber<Location, Never>>(subscriber: Downstream) {
    upstream.subscribe(Link(pacer, subscriber))
  }

  private final class Link<Downstream: Subscriber<Location, Never>>: @MainActor Subscriber, @MainActor Subscription {
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
      // The rule must see every location, regardless of demand.
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
      // Without demand the location is dropped here; the next operator keeps the newest.
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
  /// Passes on locations when the pacer's thresholds allow it.
  func paced(by pacer: Pacer) -> PacedLocations<Self> { PacedLocations(upstream: self, pacer: pacer) }
}
