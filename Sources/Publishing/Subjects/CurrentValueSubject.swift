// SPDX-License-Identifier: Apache-2.0
/// A subject that stores its last value and delivers it to each subscriber at the first demand.
///
/// A subject belongs to one isolation region. A debug build traps when two threads use it at the same time.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  @exclusivity(unchecked) @usableFromInline var subscriptions = SubscriptionList<Output, Failure>()
  @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) @usableFromInline var current: Output
  @usableFromInline let check = ThreadCheck()
  private var upstreams = Upstreams()

  /// Creates a subject with its first value.
  public init(_ value: Output) {
    current = value
    _ = upstreams.want()
  }

  deinit { upstreams.cancel() }

  /// The last value. Setting it publishes it. After the end, it can still be set but is no longer published.
  @inlinable
  public var value: Output {
    get { current }
    set {
      let isOutermost = check.enter()
      defer { check.leave(isOutermost) }
      current = newValue
      subscriptions.send(newValue)
    }
  }

  /// Accepts an upstream subscription and immediately requests everything from it.
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
    if completion == nil { value = input }
  }

  public func send(completion: Subscribers.Completion<Failure>) {
    let isOutermost = check.enter()
    defer { check.leave(isOutermost) }
    guard self.completion == nil else { return }
    self.completion = completion
    for subscription in subscriptions.takeAll() { subscription.finish(completion) }
  }
}

extension CurrentValueSubject: Broadcaster, UpstreamKeeper {
  @usableFromInline var subscriptionLabel: String { "CurrentValueSubject" }
  @usableFromInline var newest: Output? { .some(current) }

  @usableFromInline func forget(_ subscription: any Subscription) { upstreams.remove(subscription) }
}
