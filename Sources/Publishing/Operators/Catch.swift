// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Continues with another publisher when upstream fails.
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Operator
  where Upstream.Output == NewPublisher.Output {
    public typealias Failure = NewPublisher.Failure

    public let upstream: Upstream
    public let handler: (Upstream.Failure) -> NewPublisher

    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, Failure>>(subscriber: S) {
      let chain = Chain<Upstream.Output, Failure>("Catch", subscriber)
      let handler = self.handler
      chain.go(on: upstream) { completion in
        switch completion {
        case .finished: chain.end(.finished)
        case .failure(let error): chain.go(on: handler(error)) { chain.end($0) }
        }
      }
    }
  }

  /// Like ``Catch``, with a closure that may throw.
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Operator
  where Upstream.Output == NewPublisher.Output {
    public typealias Failure = any Error

    public let upstream: Upstream
    public let handler: (Upstream.Failure) throws -> NewPublisher

    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) throws -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable
    public func receive<S: Subscriber<Upstream.Output, any Error>>(subscriber: S) {
      let chain = Chain<Upstream.Output, any Error>("TryCatch", subscriber)
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
  /// Continues with the publisher that `handler` returns when this one fails.
  public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
  where P.Output == Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

  /// Like ``catch(_:)``, but fails with the error that `handler` throws.
  public func tryCatch<P: Publisher>(_ handler: @escaping (Failure) throws -> P) -> Publishers.TryCatch<Self, P>
  where P.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}
