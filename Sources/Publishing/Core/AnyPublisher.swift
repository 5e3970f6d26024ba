/// A publisher of any kind, known by what it publishes alone.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
  @usableFromInline let box: PublisherBox<Output, Failure>

  /// Wraps a publisher; one that is erased already is taken as it is.
  @inlinable
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let erased = publisher as? AnyPublisher<Output, Failure> {
      box = erased.box
    } else {
      box = BoxedPublisher(publisher)
    }
  }

  @inlinable
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    box.receive(subscriber: subscriber)
  }
}

extension AnyPublisher: CustomStringConvertible, CustomPlaygroundDisplayConvertible {
  public var description: String { "AnyPublisher" }
  public var playgroundDescription: Any { description }
}

extension Publisher {
  /// Hides the publisher's type, so that only its output and failure show.
  @inlinable
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

@usableFromInline
class PublisherBox<Output, Failure: Error> {
  @inlinable
  init() {}

  @usableFromInline
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    preconditionFailure("every box holds a publisher")
  }
}

@usableFromInline
final class BoxedPublisher<P: Publisher>: PublisherBox<P.Output, P.Failure> {
  @usableFromInline let publisher: P

  @inlinable
  init(_ publisher: P) { self.publisher = publisher }

  @inlinable
  override func receive<S: Subscriber>(subscriber: S) where S.Input == P.Output, S.Failure == P.Failure {
    publisher.receive(subscriber: subscriber)
  }
}
