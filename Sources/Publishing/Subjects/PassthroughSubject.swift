// SPDX-License-Identifier: Apache-2.0
/// A subject that stores nothing. It delivers each value to the subscribers with demand, in subscription order.
///
/// A subject belongs to one isolation region. A debug build traps when two threads use it at the same time.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  @exclusivity(unchecked) @usableFromInline var subscriptions = SubscriptionList<Output, Failure>()
  @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
  @usableFromInline let check = ThreadCheck()
  private var upstreams = Upstreams()

  public init() {}

  deinit { upstreams.cancel() }

  /// Accepts an upstream subscription and requests everything from it once a subscriber requests a value.
  public func send(subscription: any Subscription) {
    guard completion == nil else { return subscription.cancel() }
    if upstreams.add(subscription) { subscription.request(.unlimited) }
  }

  @inlinable
  public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
    let isOutermost = check.enter()
    defer { check.leave(isOutermost) }
    if let completion { subscriber.receiveEmpty(completion) } else { add(subscriber) }
  }

  @inlinable
  public func send(_ input: Output) {
    let isOutermost = check.enter()
    defer { check.leave(isOutermost) }
    subscriptions.send(input)
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    let isOutermost = check.enter()
    defer { check.leave(isOutermost) }
    guard self.completion == nil else { return }
    self.completion = completion
    for subscription in subscriptions.takeAll() { subscription.finish(completion) }
  }
}

extension PassthroughSubject: Broadcaster, UpstreamKeeper {
  @usableFromInline var subscriptionLabel: String { "PassthroughSubject" }

  @usableFromInline
  func wanted(by subscription: SubjectSubscription<Output, Failure>) {
    for upstream in upstreams.want() { upstream.request(.unlimited) }
  }

  @usableFromInline func forget(_ subscription: any Subscription) { upstreams.remove(subscription) }
}
