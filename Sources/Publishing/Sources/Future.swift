// SPDX-License-Identifier: Apache-2.0
/// A publisher of one result that comes later.
///
/// The work starts when the future is made, once, whether anybody subscribes or not. Every subscriber gets the result,
/// also those who come after it; it is delivered where the promise is called.
public final class Future<Output, Failure: Error>: Publisher {
  /// Gives the result; only the first call counts.
  public typealias Promise = (Result<Output, Failure>) -> Void

  private var result: Result<Output, Failure>?
  private var waiting: [FutureConduit<Output, Failure>] = []

  /// Starts the work, which has to call the promise it is given.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    attemptToFulfill { [self] result in fulfill(result) }
  }

  private func fulfill(_ result: Result<Output, Failure>) {
    guard self.result == nil else { return }
    self.result = result
    let waiting = self.waiting
    self.waiting = []
    for conduit in waiting { conduit.fulfill(result) }
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let conduit = FutureConduit(self, { subscriber.receive($0) }, { subscriber.receive(completion: $0) })
    if result == nil { waiting.append(conduit) }
    subscriber.receive(subscription: conduit)
    if let result { conduit.fulfill(result) }
  }

  fileprivate func remove(_ conduit: FutureConduit<Output, Failure>) {
    waiting.removeAll { $0 === conduit }
  }
}

/// One subscription to a future: a value waits for demand, an error does not.
private final class FutureConduit<Output, Failure: Error>: Conduit<Output, Failure> {
  private var future: Future<Output, Failure>?
  private var value: Output?

  init(_ future: Future<Output, Failure>, _ deliver: @escaping Deliver, _ conclude: @escaping Conclude) {
    self.future = future
    super.init(deliver, conclude)
  }

  func fulfill(_ result: Result<Output, Failure>) {
    switch result {
    case .success(let value):
      guard self.value == nil else { return }
      self.value = .some(value)
      if demand > .none { give(value) }
    case .failure(let error):
      finish(.failure(error))
    }
  }

  private func give(_ value: Output) {
    guard let deliver else { return }
    self.deliver = nil
    _ = deliver(value)
    finish(.finished)
  }

  override func request(_ demand: Subscribers.Demand) {
    demand.mustBePositive()
    self.demand += demand
    if let value { give(value) }
  }

  override func leave() {
    let future = self.future
    self.future = nil
    future?.remove(self)
  }

  override var description: String { "Future" }
}
