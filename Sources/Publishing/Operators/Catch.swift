// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher that goes on with another publisher when its upstream fails.
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// What it can fail with.
    public typealias Failure = NewPublisher.Failure

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What makes the other publisher of the error.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let chain = Chain("Catch", Outlet(subscriber))
      let handler = self.handler
      chain.go(on: upstream) { completion in
        switch completion {
        case .finished: chain.end(.finished)
        case .failure(let error): chain.go(on: handler(error)) { chain.end($0) }
        }
      }
    }
  }

  /// A publisher that goes on with another publisher when its upstream fails, or fails with what the closure throws.
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    /// What it publishes.
    public typealias Output = Upstream.Output
    /// It fails with whatever is thrown.
    public typealias Failure = any Error

    /// The publisher that the operator is applied to.
    public let upstream: Upstream
    /// What makes the other publisher of the error.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Applies the operator to `upstream`.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      let chain = Chain("TryCatch", Outlet(subscriber))
      let handler = self.handler
      chain.go(on: upstream) { completion in
        switch completion {
        case .finished: chain.end(.finished)
        case .failure(let error):
          do { chain.go(on: try handler(error)) { chain.end($0.erased) } } catch { chain.end(.failure(error)) }
        }
      }
    }
  }
}

extension Publisher {
  /// Goes on with another publisher when this one fails.
  @inlinable
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
  where Output == P.Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Goes on with another publisher when this one fails, or fails with what the closure throws.
  @inlinable
  public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P) -> Publishers.TryCatch<Self, P>
  where Output == P.Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}
