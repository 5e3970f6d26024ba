// SPDX-License-Identifier: Apache-2.0
/// A publisher that fails immediately.
public struct Fail<Output, Failure: Error>: Publisher {
  public let error: Failure

  public init(error: Failure) { self.error = error }

  /// Creates the publisher with the type of its values spelled out.
  public init(outputType: Output.Type, failure: Failure) { error = failure }

  @inlinable
  public func receive<S: Subscriber<Output, Failure>>(subscriber: S) { subscriber.receiveEmpty(.failure(error)) }
}

extension Fail: Equatable where Failure: Equatable {}
