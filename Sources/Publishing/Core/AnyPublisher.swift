// SPDX-License-Identifier: Apache-2.0
/// A publisher that hides the type of another publisher.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  /// Subscribes to the hidden publisher. Created where the publisher's type is known, so that the call is specialised.
  @usableFromInline let attach: (AnySubscriber<Output, Failure>) -> Void

  /// Wraps a publisher. A publisher that is already erased is not wrapped again.
  @inlinable
  public init<P: Publisher<Output, Failure>>(_ publisher: P) {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      self = erased
    } else {
      attach = { publisher.receive(subscriber: $0) }
    }
  }

  @inlinable
  public func receive<S: Subscriber<Output, Failure>>(subscriber: S) { attach(AnySubscriber(subscriber)) }
}

extension AnyPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
  public var description: String { "AnyPublisher" }
  public var playgroundDescription: Any { description }
}

extension Publisher {
  /// Hides this publisher's type.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}
