// SPDX-License-Identifier: Apache-2.0
extension Optional {
  /// A publisher of the value, if there is one.
  public var publisher: Publisher { Publisher(self) }

  /// A publisher of a value, if there is one.
  public struct Publisher: Publishing.Publisher {
    /// What it publishes.
    public typealias Output = Wrapped
    /// It cannot fail.
    public typealias Failure = Never

    /// The value, if there is one.
    public let output: Wrapped?

    /// Publishes the value, if there is one, and finishes.
    public init(_ output: Wrapped?) { self.output = output }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
      if let output {
        subscriber.receive(subscription: Once("Optional", output, subscriber))
      } else {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .finished)
      }
    }
  }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
