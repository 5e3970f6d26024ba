// SPDX-License-Identifier: Apache-2.0
import Foundation
import Publishing
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSession {
  /// Publishes the answer to a request for an address, and finishes.
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher { dataTaskPublisher(for: URLRequest(url: url)) }

  /// Publishes the answer to a request, and finishes.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }

  /// Publishes the answer to a request, and finishes, or fails with the error of the transfer.
  ///
  /// The request is sent when a subscriber requests a value, once for each subscriber. A subscriber on the main thread
  /// receives the answer there, through `DispatchQueue.main`, because publishers take no locks. (Combine delivers every
  /// answer on a thread of the session, as this publisher does for subscribers on other threads.)
  ///
  /// Cancelling discards the answer. The transfer itself ends when its response has begun.
  public struct DataTaskPublisher: Publisher {
    public typealias Output = (data: Data, response: URLResponse)
    public typealias Failure = URLError

    /// The request that is sent for each subscriber.
    public let request: URLRequest
    /// The session that sends it.
    public let session: URLSession

    /// Creates a publisher of the answer to a request.
    public init(request: URLRequest, session: URLSession) { (self.request, self.session) = (request, session) }

    public func receive<S: Subscriber<Output, URLError>>(subscriber: S) {
      subscriber.receive(subscription: DataTaskSubscription(self) { subscriber.take($0, isLive: $1) })
    }
  }
}

extension Subscriber where Input == URLSession.DataTaskPublisher.Output, Failure == URLError {
  fileprivate func take(_ answer: Result<Input, URLError>, isLive: () -> Bool) {
    switch answer {
    case .success(let output):
      _ = receive(output)
      if isLive() { receive(completion: .finished) }
    case .failure(let error): receive(completion: .failure(error))
    }
  }
}

/// One request. It is cancelled and answered from different threads, so its state is behind a lock.
private final class DataTaskSubscription: Subscription, CustomStringConvertible, Sendable {
  typealias Answer = Result<URLSession.DataTaskPublisher.Output, URLError>

  /// Receives the answer, and a function that returns whether the subscriber has not cancelled.
  typealias Delivery = (Answer, () -> Bool) -> Void

  private enum State {
    case waiting(URLSession.DataTaskPublisher, Delivery)
    case running(URLSessionDataTask, of: URLSession, Delivery)
    case delivering
    case done
  }

  /// The closure belongs to the subscriber. It is called only in the subscriber's isolation, and by one thread.
  private struct Guarded: @unchecked Sendable { var state: State }

  private let guarded: Mutex<Guarded>

  init(_ publisher: URLSession.DataTaskPublisher, _ deliver: @escaping Delivery) {
    guarded = Mutex(Guarded(state: .waiting(publisher, deliver)))
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let isOnMainThread = Thread.isMainThread
    let task: URLSessionDataTask? = guarded.withLock { guarded in
      guard case .waiting(let publisher, let deliver) = guarded.state else { return nil }
      let task = publisher.session.dataTask(with: publisher.request) { [self] data, response, error in
        let answer: Answer =
          if let response, error == nil {
            .success((data ?? Data(), response))
          } else {
            .failure(error as? URLError ?? URLError(.unknown))
          }
        if isOnMainThread { DispatchQueue.main.async { self.settle(answer) } } else { settle(answer) }
      }
      guarded.state = .running(task, of: publisher.session, deliver)
      return task
    }
    task?.resume()
  }

  private func settle(_ answer: Answer) {
    guard case .running(_, _, let deliver) = change(to: .delivering) else { return }
    deliver(answer) {
      if case .delivering = change(to: .done) { true } else { false }
    }
  }

  func cancel() {
    if case .running(let task, let session, _) = change(to: .done) { Self.stop(task, of: session) }
  }

  /// Ends a transfer, at the earliest when its response has begun.
  ///
  /// Foundation for Linux (6.2) ends the process if a task ends before its cancellation has been handled. Before the
  /// response, a cancellation may have to wait for the cache. Tasks end on the session's queue, one after another if the
  /// program has not chosen another queue, and `suspend()` waits until the cancellation has been handled.
  private static func stop(_ task: URLSessionDataTask, of session: URLSession) {
    session.delegateQueue.addOperation {
      guard task.state == .running else { return }
      // The response itself is not set before the end of the transfer.
      guard task.countOfBytesExpectedToReceive != 0 else {
        return DispatchQueue.global().asyncAfter(deadline: .now() + 1) { stop(task, of: session) }
      }
      task.cancel()
      task.suspend()
    }
  }

  /// Returns the state before. One that has ended does not change.
  private func change(to state: State) -> State {
    let new = Guarded(state: state)
    let before = guarded.withLock { guarded in
      let before = guarded
      if case .done = before.state {} else { guarded = new }
      return before
    }
    return before.state
  }

  var description: String { "DataTaskPublisher" }
}
