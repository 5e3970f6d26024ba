// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Publishing

/// The end of a client's chain. Takes one location at a time and requests the next once the bus and the client have
/// room and deliveries are not held.
///
/// The preceding operator keeps the newest location meanwhile. A location that was requested while there was room but
/// arrives without it is kept here until there is room again or a newer location arrives.
final class LocationEmitter: Subscriber, Cancellable {
  typealias Input = Location
  typealias Failure = Never

  private let queue: OutgoingQueue
  private let isHeld: () -> Bool
  private var emit: ((Location) -> Void)?
  private var subscription: (any Subscription)?
  private var kept: Location?
  private var waitsForRoom = false

  /// Creates an emitter that sends nothing while `isHeld` returns true. ``release()`` checks it again.
  init(_ queue: OutgoingQueue, isHeld: @escaping () -> Bool = { false }, _ emit: @escaping (Location) -> Void) {
    self.queue = queue
    self.isHeld = isHeld
    self.emit = emit
  }

  func receive(subscription: any Subscription) {
    guard self.subscription == nil, emit != nil else { return subscription.cancel() }
    self.subscription = subscription
    subscription.request(.max(1))
  }

  func receive(_ location: Location) -> Subscribers.Demand {
    kept = location
    guard !waitsForRoom, !isHeld() else { return .none }
    if queue.hasRoom {
      sendKept()
      return .max(1)
    }
    waitForRoom()
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) { forget() }

  func cancel() {
    let subscription = subscription
    forget()
    subscription?.cancel()
  }

  private func forget() {
    emit = nil
    kept = nil
    subscription = nil
  }

  private func waitForRoom() {
    waitsForRoom = true
    queue.whenRoom { [weak self] in
      self?.waitsForRoom = false
      self?.release()
    }
  }

  /// Sends the kept location if there is room again.
  func release() {
    guard kept != nil, !waitsForRoom, !isHeld() else { return }
    guard queue.hasRoom else { return waitForRoom() }
    // A newer location waiting in the preceding operator arrives during this request and replaces the kept one. The
    // request is then used up, and the next location needs another one.
    let before = kept
    waitsForRoom = true
    subscription?.request(.max(1))
    waitsForRoom = false
    let isUsedUp = kept != before
    sendKept()
    if isUsedUp { subscription?.request(.max(1)) }
  }

  private func sendKept() {
    guard let location = kept else { return }
    kept = nil
    emit?(location)
  }
}
