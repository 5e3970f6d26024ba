// SPDX-License-Identifier: Apache-2.0
extension Result {
  /// A publisher of the success, or one that fails with the failure.
  public var publisher: Publisher { Publisher(self) }

  /// A publisher of a success, or one that fails with a failure.
  public struct Publisher: Publishing.Publisher {
    public typealias Output = Success

    public let result: Result<Success, Failure>

    public init(_ result: Result<Success, Failure>) { self.result = result }
    public init(_ output: Success) { self.init(.success(output)) }
    public init(_ failure: Failure) { self.init(.failure(failure)) }

    @inlinable
    public func receive<S: Subscriber<Success, Failure>>(subscriber: S) {
      switch result {
      case .success(let output): subscriber.receive(subscription: Once("Once", output, subscriber))
      case .failure(let error): subscriber.receiveEmpty(.failure(error))
      }
    }
  }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}
