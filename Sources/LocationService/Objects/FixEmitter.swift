import Publishing

/// The end of a subscription's chain: takes one fix at a time, and asks for the next when the way to the bus is free.
final class FixEmitter: Subscriber, Cancellable {
  typealias Input = Fix
  typealias Failure = Never

  private let queue: OutgoingQueue
  private var emit: ((Fix) -> Void)?
  private var subscription: (any Subscription)?

  init(_ queue: OutgoingQueue, _ emit: @escaping (Fix) -> Void) {
    self.queue = queue
    self.emit = emit
  }

  func receive(subscription: any Subscription) {
    guard self.subscription == nil, emit != nil else { return subscription.cancel() }
    self.subscription = subscription
    askForMore()
  }

  func receive(_ fix: Fix) -> Subscribers.Demand {
    emit?(fix)
    askForMore()
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    subscription = nil
    emit = nil
  }

  func cancel() {
    emit = nil
    let subscription = subscription
    self.subscription = nil
    subscription?.cancel()
  }

  private func askForMore() {
    queue.whenRoom { [weak self] in self?.subscription?.request(.max(1)) }
  }
}
