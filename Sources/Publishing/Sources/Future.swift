// SPDX-License-Identifier: Apache-2.0
/// A publisher of one result that becomes available later.
///
/// The work starts once, when the future is created, even without subscribers. Every subscriber receives the result,
/// including later ones. The result is delivered on the thread that calls the promise.
public final class Future<Output, Failure: Error>: Publisher, Broadcaster {
  /// Delivers the result. Only the first call has an effect.
  public typealias Promise = (Result<Output, Failure>) -> Void

  @usableFromInline var subscriptions = SubscriptionList<Output, Failure>()
  @usableFromInline var subscriptionLabel: String { "Future" }
  @usableFromInline var result: Result<Output, Failure>?

  /// Starts the work, which must call the given promise.
  @inlinable
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    attemptToFulfill { [self] result in fulfill(result) }
  }

  @usableFromInline
  func fulfill(_ result: Result<Output, Failure>) {
    guard self.result == nil else { return }
    self.result = result
    for subscription in subscriptions.list { settle(subscription) }
  }

  /// Delivers the result if there is one. A value waits for demand, an error does not.
  @inlinable
  func settle(_ subscription: SubjectSubscription<Output, Failure>) {
    switch result {
    case .success(let value): subscription.settle(value)
    case .failure(let error): subscription.finish(.failure(error))
    case nil: break
    }
  }

  @inlinable public func receive<S: Subscriber<Output, Failure>>(subscriber: S) { settle(add(subscriber)) }

  @usableFromInline
  func wanted(by subscription: SubjectSubscription<Output, Failure>) { settle(subscription) }
}
