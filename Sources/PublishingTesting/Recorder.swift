// SPDX-License-Identifier: Apache-2.0
import Publishing

/// A subscriber under the control of a test. It requests as much as the test chooses, and records all events.
///
/// It also records ``breaches`` of the contract between a publisher and its subscriber, for tests of publishers.
public final class Recorder<Input, Failure: Error>: Subscriber, Cancellable {
  /// The received events, in order.
  public let trace: Trace
  private let name: String
  private let firstDemand: Subscribers.Demand
  /// Called for each value. Returns the number of values requested in addition.
  public var onValue: ((Input) -> Subscribers.Demand)?
  /// Called at the completion.
  public var onCompletion: (() -> Void)?
  /// Called with the subscription, before anything is requested.
  public var onSubscription: (() -> Void)?

  /// The subscription, if there is one.
  public private(set) var subscription: (any Subscription)?
  /// The number of subscriptions received. All but the first are cancelled.
  public private(set) var subscriptions = 0
  /// The values received, in order.
  public private(set) var values: [Input] = []
  /// The completion, or `nil` before it.
  public private(set) var completion: Subscribers.Completion<Failure>?
  /// Whether the test has cancelled.
  public private(set) var isCancelled = false
  /// The violations by the publisher: values without demand, and anything after the end.
  public private(set) var breaches: [String] = []
  private var outstanding = Subscribers.Demand.none

  /// Creates a subscriber.
  ///
  /// - Parameters:
  ///   - trace: Where to record what is received.
  ///   - name: The beginning of each entry in the trace.
  ///   - demand: The demand requested with the subscription.
  ///   - onValue: Called for each value. Returns the number of values requested in addition.
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

  /// Requests values.
  public func request(_ demand: Subscribers.Demand) {
    outstanding += demand
    subscription?.request(demand)
  }

  /// Cancels the subscription.
  public func cancel() {
    isCancelled = true
    subscription?.cancel()
  }

  /// Releases the subscription without cancelling it.
  public func forget() { subscription = nil }
}

extension Publisher {
  /// Subscribes a `Recorder`, which requests everything unless a demand is given.
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
