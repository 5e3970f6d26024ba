// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Publishing

/// The end of a client's chain: takes one location at a time, and asks for the next when the way to the bus is free and
/// deliveries are not held.
///
/// The operator before it keeps the newest location meanwhile. One that was asked for while the way was free, and
/// arrives when it is not, is kept here until then, or until a newer one has come.
final class LocationEmitter: Subscriber, Cancellable {
  typealias Input = Location
  typealias Failure = Never

  private let queue: OutgoingQueue
  private let isHeld: () -> Bool
  private var emit: ((Location) -> Void)?
  private var subscription: (any Subscription)?
  private var kept: Location?
  private var waitsForRoom = false

  /// While `isHeld` returns true nothing goes out; ``release()`` has it asked again.
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

  /// Sends what is kept if the way is free again.
  func release() {
    guard kept != nil, !waitsForRoom, !isHeld() else { return }
    guard queue.hasRoom else { return waitForRoom() }
    // A newer location that waits before us comes from inside the request and replaces the one kept; then the request
    // is used up, and the next location needs another one.
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
