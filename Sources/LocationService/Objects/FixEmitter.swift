import Publishing

/// The end of a subscription's chain: takes one fix at a time, and asks for the next when the way to the bus is free.
///
/// The operator before it keeps the newest fix meanwhile. One that was asked for while there was room, and comes when
/// there is none any more, is held here, until there is room again or a newer one has come.
final class FixEmitter: Subscriber, Cancellable {
  typealias Input = Fix
  typealias Failure = Never

  private let queue: OutgoingQueue
  private var emit: ((Fix) -> Void)?
  private var subscription: (any Subscription)?
  private var held: Fix?
  private var isWaiting = false

  init(_ queue: OutgoingQueue, _ emit: @escaping (Fix) -> Void) {
    self.queue = queue
    self.emit = emit
  }

  func receive(subscription: any Subscription) {
    guard self.subscription == nil, emit != nil else { return subscription.cancel() }
    self.subscription = subscription
    subscription.request(.max(1))
  }

  func receive(_ fix: Fix) -> Subscribers.Demand {
    held = fix
    guard !isWaiting else { return .none }
    if queue.hasRoom {
      sendHeld()
      return .max(1)
    }
    isWaiting = true
    queue.whenRoom { [weak self] in self?.roomAgain() }
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    subscription = nil
    emit = nil
    held = nil
  }

  func cancel() {
    emit = nil
    held = nil
    let subscription = subscription
    self.subscription = nil
    subscription?.cancel()
  }

  private func roomAgain() {
    // A newer fix that waits upstream comes from inside the request and takes the place of the one held; then the
    // request is used up, and the next fix needs one of its own.
    let before = held
    subscription?.request(.max(1))
    let isUsedUp = held !== before
    isWaiting = false
    sendHeld()
    if isUsedUp { subscription?.request(.max(1)) }
  }

  private func sendHeld() {
    guard let fix = held else { return }
    held = nil
    emit?(fix)
  }
}
