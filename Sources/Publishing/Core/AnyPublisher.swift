// SPDX-License-Identifier: Apache-2.0
/// A publisher of any kind, known by what it publishes alone.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  /// Subscribes to what is wrapped; made where its type is known.
  @usableFromInline let attach: (AnySubscriber<Output, Failure>) -> Void

  /// Wraps a publisher; one that is erased already is taken as it is.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      attach = { publisher.receive(subscriber: $0) }
    }
  }

  /// Attaches a subscriber.
  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    attach(AnySubscriber(subscriber))
  }
}

extension AnyPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
  /// What `print()` shows.
  public var description: String { "AnyPublisher" }
  /// What a playground shows.
  public var playgroundDescription: Any { description }
}

extension Publisher {
  /// Hides the publisher's type, so that only its output and failure show.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}
