// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing

/// The events of an operator with several upstreams, in the order of the calls, including nested ones.
enum OperatorEvent: Equatable {
  case request(Subscribers.Demand)
  case value(side: Int, Int)
  case end(side: Int)
  case failure(side: Int)
  /// The subscriber has returned from a value, with this additional demand.
  case returned(Subscribers.Demand)
  case cancel
}

/// The events of one run.
final class EventLog {
  private(set) var events: [OperatorEvent] = []
  func add(_ event: OperatorEvent) { events.append(event) }
}

extension Publisher where Output == Int, Failure == TestError {
  /// Logs what this publisher sends to an operator, before the operator receives it.
  func logged(_ log: EventLog, side: Int) -> AnyPublisher<Int, TestError> {
    AnyPublisher(LoggedSide(upstream: self, log: log, side: side))
  }
}

private struct LoggedSide<Upstream: Publisher<Int, TestError>>: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  let upstream: Upstream
  let log: EventLog
  let side: Int

  func receive<S: Subscriber<Int, TestError>>(subscriber: S) {
    upstream.subscribe(
      AnySubscriber(
        receiveSubscription: { subscriber.receive(subscription: $0) },
        receiveValue: {
          log.add(.value(side: side, $0))
          return subscriber.receive($0)
        },
        receiveCompletion: {
          log.add($0 == .finished ? .end(side: side) : .failure(side: side))
          subscriber.receive(completion: $0)
        }))
  }
}
