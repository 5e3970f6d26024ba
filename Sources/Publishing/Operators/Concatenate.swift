// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes everything from one publisher and, once that has finished, from another.
  public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Prefix.Output == Suffix.Output, Prefix.Failure == Suffix.Failure {
    public typealias Output = Suffix.Output
    public typealias Failure = Suffix.Failure

    public let prefix: Prefix
    /// The second publisher; subscribed to when the first has finished.
    public let suffix: Suffix

    public init(prefix: Prefix, suffix: Suffix) {
      self.prefix = prefix
      self.suffix = suffix
    }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let chain = Chain<Output, Failure>("Concatenate", subscriber)
      let suffix = self.suffix
      chain.go(on: prefix) { completion in
        switch completion {
        case .finished: chain.go(on: suffix) { chain.end($0) }
        case .failure: chain.end(completion)
        }
      }
    }
  }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}

extension Publisher {
  /// Publishes some values first.
  public func prepend(_ elements: Output...) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
    prepend(elements)
  }

  /// Publishes the elements of a sequence first.
  public func prepend<S: Swift.Sequence<Output>>(
    _ elements: S
  ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Publishes everything from another publisher first.
  public func prepend<P: Publisher<Output, Failure>>(_ publisher: P) -> Publishers.Concatenate<P, Self> {
    Publishers.Concatenate(prefix: publisher, suffix: self)
  }

  /// Publishes some values last.
  public func append(_ elements: Output...) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
    append(elements)
  }

  /// Publishes the elements of a sequence last.
  public func append<S: Swift.Sequence<Output>>(
    _ elements: S
  ) -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Publishes everything from another publisher once this one has finished.
  public func append<P: Publisher<Output, Failure>>(_ publisher: P) -> Publishers.Concatenate<Self, P> {
    Publishers.Concatenate(prefix: self, suffix: publisher)
  }
}
