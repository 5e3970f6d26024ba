// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A downstream under the test's control: it asks for what the test says, notes what it receives, and keeps a list of
/// breaches of the contract between a publisher and its subscriber.
public final class Recorder<Input, Failure: Error>: Subscriber, Cancellable {
  public let trace: Trace
  private let name: String
  private let firstDemand: Subscribers.Demand
  /// What to do with a value, and what to ask for on top.
  public var onValue: ((Input) -> Subscribers.Demand)?
  public var onCompletion: (() -> Void)?
  /// What to do with the subscription, before anything is asked of it.
  public var onSubscription: (() -> Void)?

  public private(set) var subscription: (any Subscription)?
  public private(set) var subscriptions = 0
  public private(set) var values: [Input] = []
  public private(set) var completion: Subscribers.Completion<Failure>?
  public private(set) var isCancelled = false
  /// What the publisher did that it must not.
  public private(set) var breaches: [String] = []
  private var outstanding = Subscribers.Demand.none

  public init(
    _ trace: Trace = Trace(), _ name: String = "", asking demand: Subscribers.Demand = .unlimited,
    onValue: ((Input) -> Subscribers.Demand)? = nil
  ) {
    self.trace = trace
    self.name = name
    self.firstDemand = demand
    self.onValue = onValue
  }

  public func receive(subscription: any Subscription) {
    subscriptions += 1
    guard subscriptions == 1 else {
      breaches.append("a second subscription")
      subscription.cancel()
      return
    }
    self.subscription = subscription
    onSubscription?()
    if isCancelled { return }
    if firstDemand > .none { request(firstDemand) }
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    if subscriptions == 0 { breaches.append("\(input) before a subscription") }
    if completion != nil { breaches.append("\(input) after the end") }
    if isCancelled { breaches.append("\(input) after cancel") }
    if outstanding == .none { breaches.append("\(input) without demand") } else { outstanding -= 1 }
    trace.add("\(name)\(input)")
    values.append(input)
    let more = onValue?(input) ?? .none
    outstanding += more
    return more
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    if subscriptions == 0 { breaches.append("\(completion.traced) before a subscription") }
    if self.completion != nil { breaches.append("\(completion.traced) after the end") }
    if isCancelled { breaches.append("\(completion.traced) after cancel") }
    trace.add("\(name)\(completion.traced)")
    self.completion = completion
    onCompletion?()
  }

  public func request(_ demand: Subscribers.Demand) {
    outstanding += demand
    subscription?.request(demand)
  }

  public func cancel() {
    isCancelled = true
    subscription?.cancel()
  }

  /// Lets go of the subscription without cancelling it.
  public func forget() { subscription = nil }
}

extension Publisher {
  /// Subscribes a ``Recorder``.
  @discardableResult
  public func record(
    _ trace: Trace = Trace(), _ name: String = "", asking demand: Subscribers.Demand = .unlimited,
    onValue: ((Output) -> Subscribers.Demand)? = nil
  ) -> Recorder<Output, Failure> {
    let recorder = Recorder<Output, Failure>(trace, name, asking: demand, onValue: onValue)
    subscribe(recorder)
    return recorder
  }
}
