// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistLocationModel
import Publicist
import Publishing

/// The end of a client's chain, which keeps the only copy of the location that waits to be sent to the client.
///
/// Receives every location of its level. The pacer decides which of them to deliver, and keeps the one that is not due
/// yet. The newest one to deliver waits here while deliveries are held, or while the bus or the client has no room.
final class DeliverySlot: Subscriber, Cancellable {
  typealias Input = Location
  typealias Failure = Never

  /// The locations to drop.
  enum Part {
    /// The locations not sent yet, because the device may have moved. The thresholds still count from the last location
    /// sent.
    case waiting
    /// The locations not sent yet and the last location sent, because the client may no longer have it. Nothing is
    /// sent afterwards.
    case everything
  }

  let pacer: Pacer?
  private let whenRoom: (@escaping () -> Void) -> Void
  private let earliest: BootInstant
  private let hold: () -> Hold<BootClock>?
  private var emit: ((Location) -> Void)?
  private var subscription: (any Subscription)?
  private var newest: Location?
  /// The newest location from before the question that holds deliveries. It may be sent as soon as that question is
  /// answered.
  private var earlier: Location?
  private var waitsForRoom = false
  /// Whether the location that is sent has waited.
  private var isLate = true

  /// Creates a slot that sends nothing while `hold` holds it; ``release()`` checks that again. Without a pacer, every
  /// location is sent. Locations from before `earliest`, unless that is the origin, are not sent, because they would
  /// reveal where the user was without access. Asserted ones are still true. `whenRoom` calls its argument once a
  /// location may be sent, possibly immediately.
  init(
    _ pacer: Pacer?, after earliest: BootInstant = .origin, hold: @escaping () -> Hold<BootClock>? = { nil },
    whenRoom: @escaping (@escaping () -> Void) -> Void, _ emit: @escaping (Location) -> Void
  ) {
    self.whenRoom = whenRoom
    self.pacer = pacer
    self.earliest = earliest
    self.hold = hold
    self.emit = emit
  }

  func receive(subscription: any Subscription) {
    guard self.subscription == nil, emit != nil else { return subscription.cancel() }
    self.subscription = subscription
    pacer?.open { [weak self] in self?.keep($0) }
    // The pacer must see every location, whether or not one can be sent.
    subscription.request(.unlimited)
  }

  func receive(_ location: Location) -> Subscribers.Demand {
    offer(location)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { cancel() }

  func cancel() { forget(.everything) }

  /// Takes a location that did not come through the chain: the first one.
  func offer(_ location: Location) {
    guard emit != nil, earliest == .origin || location.receivedAt > earliest || location.isAsserted else { return }
    if let pacer { pacer.take(location) } else { keep(location) }
  }

  func forget(_ part: Part) {
    (newest, earlier) = (nil, nil)
    switch part {
    case .waiting: pacer?.drop()
    case .everything:
      guard emit != nil else { return }
      let subscription = subscription
      (self.subscription, emit) = (nil, nil)
      pacer?.close()
      subscription?.cancel()
    }
  }

  /// Sends the waiting location once there is room, unless something holds it then.
  func release() {
    guard !waitsForRoom, newest != nil else { return }
    waitsForRoom = true
    whenRoom { [weak self] in
      self?.waitsForRoom = false
      self?.send()
    }
  }

  /// Sends the waiting location if nothing holds it.
  func send() {
    guard newest != nil, let location = next(hold()) else { return }
    if location == newest { newest = nil }
    earlier = nil
    if isLate { pacer?.sentLate() }
    emit?(location)
  }

  /// Returns the location that may be sent.
  private func next(_ hold: Hold<BootClock>?) -> Location? {
    guard let hold else { return newest }
    guard hold.isConfirmed else { return nil }
    return [newest, earlier].compactMap(\.self).first { $0.receivedAt < hold.question }
  }

  private func keep(_ location: Location) {
    if let newest, let hold = hold(), newest.receivedAt < hold.question { earlier = newest }
    newest = location
    isLate = false
    release()
    isLate = true
  }
}
