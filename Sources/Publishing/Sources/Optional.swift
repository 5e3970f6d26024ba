// SPDX-License-Identifier: Apache-2.0
extension Optional {
  /// A publisher of the value, if there is one.
  public var publisher: Publisher { Publisher(self) }

  /// A publisher of a value, if there is one.
  public struct Publisher: Publishing.Publisher {
    public typealias Output = Wrapped
    public typealias Failure = Never

    public let output: Wrapped?

    public init(_ output: Wrapped?) { self.output = output }

    @inlinable
    public func receive<S: Subscriber<Wrapped, Never>>(subscriber: S) {
      guard let output else { return subscriber.receiveEmpty() }
      subscriber.receive(subscription: Once("Optional", output, subscriber))
    }
  }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}
