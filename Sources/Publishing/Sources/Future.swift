// SPDX-License-Identifier: Apache-2.0
/// A publisher of one result that comes later.
///
/// The work starts when the future is created, once, with or without subscribers. Every subscriber gets the result,
/// even one that subscribes after it; the result is delivered on the thread that calls the promise.
public final class Future<Output, Failure: Error>: Publisher, Broadcaster {
  /// Delivers the result; only the first call counts.
  public typealias Promise = (Result<Output, Failure>) -> Void

  @usableFromInline var subscriptions = SubscriptionList<Output, Failure>()
  @usableFromInline var subscriptionLabel: String { "Future" }
  private var result: Result<Output, Failure>?

  /// Starts the work, which must call the promise it is given.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    attemptToFulfill { [self] result in fulfill(result) }
  }

  private func fulfill(_ result: Result<Output, Failure>) {
    guard self.result == nil else { return }
    self.result = result
    for subscription in subscriptions.list { settle(subscription) }
  }

  /// Delivers the result if there is one: a value waits for demand, an error does not.
  private func settle(_ subscription: SubjectSubscription<Output, Failure>) {
    switch result {
    case .success(let value): subscription.settle(value)
    case .failure(let error): subscription.finish(.failure(error))
    case nil: break
    }
  }

  public func receive<S: Subscriber<Output, Failure>>(subscriber: S) { settle(add(subscriber)) }

  @usableFromInline
  func wanted(by subscription: SubjectSubscription<Output, Failure>) { settle(subscription) }
}
