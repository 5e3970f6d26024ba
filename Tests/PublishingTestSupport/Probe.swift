// SPDX-License-Identifier: Apache-2.0
import Publishing

/// An upstream under the test's control. It records requests, and sends on command, even without demand, after the end
/// and after a cancel. Operators must tolerate that.
public final class Probe<Output, Failure: Error>: Publisher {
  public let name: String
  public let trace: Trace
  /// All subscriptions, oldest first; `send` and `complete` use the last.
  public private(set) var links: [Link] = []
  /// Releases the subscriber at completion and cancel, as a source should; the leak tests need that.
  public let isPolite: Bool
  /// Actions inside the call that passes the last subscription on, requests values, or cancels.
  public var onSubscribe: ((Link) -> Void)?
  public var onRequest: ((Link) -> Void)?
  public var onCancel: ((Link) -> Void)?

  public init(_ trace: Trace = Trace(), _ name: String = "up", isPolite: Bool = false) {
    self.trace = trace
    self.name = name
    self.isPolite = isPolite
  }

  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    trace.add("\(name):sub")
    let link = Link(name: name, trace: trace, isPolite: isPolite, subscriber: AnySubscriber(subscriber))
    link.onRequest = onRequest
    link.onCancel = onCancel
    links.append(link)
    subscriber.receive(subscription: link)
    onSubscribe?(link)
  }

  /// Returns the additional demand, or none without a subscriber.
  @discardableResult
  public func send(_ value: Output) -> Subscribers.Demand { links.last?.send(value) ?? .none }

  /// Sends if there is demand, and returns whether it did.
  @discardableResult
  public func offer(_ value: Output) -> Bool {
    guard let link = links.last, !link.isCancelled, link.outstanding > .none else { return false }
    link.send(value)
    return true
  }

  public func finish() { links.last?.send(completion: .finished) }

  public func fail(_ error: Failure) { links.last?.send(completion: .failure(error)) }

  public func complete(_ completion: Subscribers.Completion<Failure>) { links.last?.send(completion: completion) }

  /// Passes another subscription to the current subscriber.
  public func send(subscription: any Subscription) { links.last?.subscriber?.receive(subscription: subscription) }

  /// The total demand of the last subscription.
  public var requested: Subscribers.Demand { links.last?.requested ?? .none }
  public var cancels: Int { links.reduce(0) { $0 + $1.cancels } }

  public final class Link: Subscription, CustomStringConvertible {
    private let name: String
    private let trace: Trace
    private let isPolite: Bool
    fileprivate var subscriber: AnySubscriber<Output, Failure>?
    fileprivate var onRequest: ((Link) -> Void)?
    fileprivate var onCancel: ((Link) -> Void)?
    public private(set) var requested = Subscribers.Demand.none
    /// The demand that has not been met yet.
    public private(set) var outstanding = Subscribers.Demand.none
    public private(set) var cancels = 0
    /// The number of values sent.
    public private(set) var sent = 0
    public private(set) var isComplete = false

    fileprivate init(name: String, trace: Trace, isPolite: Bool, subscriber: AnySubscriber<Output, Failure>) {
      self.name = name
      self.trace = trace
      self.isPolite = isPolite
      self.subscriber = subscriber
    }

    public var isCancelled: Bool { cancels > 0 }
    public var description: String { "Probe" }

    public func request(_ demand: Subscribers.Demand) {
      trace.add("\(name):\(demand.traced)")
      requested += demand
      outstanding += demand
      onRequest?(self)
    }

    public func cancel() {
      trace.add("\(name):cancel")
      cancels += 1
      onCancel?(self)
      if isPolite { subscriber = nil }
    }

    @discardableResult
    public func send(_ input: Output) -> Subscribers.Demand {
      guard let subscriber else { return .none }
      if outstanding > .none { outstanding -= 1 }
      sent += 1
      let more = subscriber.receive(input)
      requested += more
      outstanding += more
      return more
    }

    public func send(completion event: Subscribers.Completion<Failure>) {
      isComplete = true
      let subscriber = subscriber
      if isPolite { self.subscriber = nil }
      subscriber?.receive(completion: event)
    }
  }
}
