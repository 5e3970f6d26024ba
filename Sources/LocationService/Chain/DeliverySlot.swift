// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import Publicist
import Publishing

/// The end of a client's chain, which sends the client what its pacer lets pass.
///
/// Receives every location of its level. The pacer keeps the only location that waits: the one that is not due yet, or
/// that is due while deliveries are held, or while the bus or the client has no room. The thresholds therefore always
/// count from what was sent.
final class DeliverySlot: Subscriber, Cancellable {
  typealias Input = Location
  typealias Failure = Never

  /// The locations to drop.
  enum Part {
    /// The location not sent yet, because the device may have moved. The thresholds still count from the last location
    /// sent.
    case waiting
    /// The location not sent yet and the last location sent, because the client may no longer have it. Nothing is
    /// sent afterwards.
    case everything
  }

  private let pacer: Pacer
  private let whenRoom: () -> Void
  private let earliest: BootInstant
  private let began: BootInstant
  private let newest: () -> Location?
  private let hold: () -> Hold<BootClock>?
  private var emit: ((Location) -> Void)?
  private var subscription: (any Subscription)?
  /// Whether the pacer has not seen the newest location, because an earlier one waits that may be sent sooner.
  private var hasMissed = false

  /// Creates a slot that sends nothing while `hold` holds it, except a location from before the question if the hold is
  /// confirmed and the chain `began` before the question: what was permitted earlier says nothing about this access.
  /// Locations from before `earliest`, unless that is the origin, are not sent, because they would reveal where the user
  /// was without access. Asserted ones are still true. `newest` returns the newest location of the chain again. `whenRoom`
  /// causes ``send()`` once a location may be sent, possibly immediately.
  init(
    _ pacer: Pacer, began: BootInstant = .origin, after earliest: BootInstant = .origin,
    newest: @escaping () -> Location?,
    hold: @escaping () -> Hold<BootClock>? = { nil }, whenRoom: @escaping () -> Void,
    _ emit: @escaping (Location) -> Void
  ) {
    self.whenRoom = whenRoom
    self.pacer = pacer
    self.began = began
    self.earliest = earliest
    self.newest = newest
    self.hold = hold
    self.emit = emit
  }

  func receive(subscription: any Subscription) {
    guard self.subscription == nil, emit != nil else { return subscription.cancel() }
    self.subscription = subscription
    pacer.open { [weak self] in self?.release() }
    // The pacer must see every location, whether or not one can be sent.
    subscription.request(.unlimited)
  }

  func receive(_ location: Location) -> Subscribers.Demand {
    offer(location)
    if hasMissed { release() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { cancel() }

  func cancel() { forget(.everything) }

  /// Takes a location that did not come through the chain: the first one, or the newest one again.
  func offer(_ location: Location, endsCheck: Bool = true) {
    guard emit != nil, isAllowed(location) else { return }
    hasMissed = mustWait(location)
    if !hasMissed { pacer.take(location, endsCheck: endsCheck) }
  }

  /// Changes the thresholds. The newest location may pass the new ones.
  func configure(_ configuration: DeliveryRule.Configuration) {
    pacer.configure(configuration, newest().flatMap { isAllowed($0) && !mustWait($0) ? $0 : nil })
  }

  func forget(_ part: Part) {
    hasMissed = false
    switch part {
    case .waiting: pacer.drop()
    case .everything:
      guard emit != nil else { return }
      let subscription = subscription
      (self.subscription, emit) = (nil, nil)
      pacer.close()
      subscription?.cancel()
    }
  }

  /// Sends the location that is due once there is room, unless something holds it then.
  func release() {
    if hasMissed { offerMissed() }
    if pacer.isReady { whenRoom() }
  }

  /// The location that waits until it is due or can be sent.
  var waiting: Location? { pacer.waiting }

  /// Sends the location that is due if nothing holds it.
  func send() {
    if hasMissed { offerMissed() }
    guard let waiting, isReleased(waiting.receivedAt), let location = pacer.next() else { return }
    emit?(location)
    if hasMissed { offerMissed() }
  }

  /// Whether a location that arrived at a time may be sent now.
  func isReleased(_ time: BootInstant) -> Bool {
    hold().map { $0.isConfirmed && max(time, began) < $0.question } ?? true
  }

  private func isAllowed(_ location: Location) -> Bool {
    earliest == .origin || location.receivedAt > earliest || location.isAsserted
  }

  /// Whether a location must not replace the one that waits: that is from before the question that holds deliveries, so
  /// it may be sent as soon as the question is answered.
  private func mustWait(_ location: Location) -> Bool {
    guard let since = waiting?.receivedAt, let hold = hold() else { return false }
    return since < hold.question && location.receivedAt >= hold.question
  }

  private func offerMissed() { if let location = newest() { offer(location) } }
}
