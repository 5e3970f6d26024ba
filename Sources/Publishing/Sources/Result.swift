// SPDX-License-Identifier: Apache-2.0
extension Result {
  /// A publisher of the success, or one that fails with the failure.
  public var publisher: Publisher { Publisher(self) }

  /// A publisher of the success, or one that fails with the failure.
  public struct Publisher: Publishing.Publisher {
    /// What it publishes.
    public typealias Output = Success

    /// The result.
    public let result: Result<Success, Failure>

    /// Publishes a result.
    public init(_ result: Result<Success, Failure>) { self.result = result }

    /// Publishes a value and finishes.
    public init(_ output: Success) { self.init(.success(output)) }

    /// Fails.
    public init(_ failure: Failure) { self.init(.failure(failure)) }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
      switch result {
      case .success(let output):
        subscriber.receive(subscription: Once("Once", output, subscriber))
      case .failure(let error):
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
      }
    }
  }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
