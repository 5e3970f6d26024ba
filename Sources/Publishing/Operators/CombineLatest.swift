// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes tuples of the latest values of two publishers whenever one of them publishes, once each has published.
  /// Ends when all have ended, when one ends without a value, or when one fails.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    public init(_ a: A, _ b: B) { (self.a, self.b) = (a, b) }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let gather = Gather<Output, Failure>("CombineLatest", isInStep: false, subscriber)
      let (a, b) = (gather.side(a), gather.side(b))
      gather.start {
        guard let a = a.take(), let b = b.take() else { return nil }
        return (a, b)
      }
    }
  }

  /// Like ``CombineLatest``, but of three publishers.
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C

    public init(_ a: A, _ b: B, _ c: C) { (self.a, self.b, self.c) = (a, b, c) }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let gather = Gather<Output, Failure>("CombineLatest", isInStep: false, subscriber)
      let (a, b, c) = (gather.side(a), gather.side(b), gather.side(c))
      gather.start {
        guard let a = a.take(), let b = b.take(), let c = c.take() else { return nil }
        return (a, b, c)
      }
    }
  }

  /// Like ``CombineLatest``, but of four publishers.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C
    public let d: D

    public init(_ a: A, _ b: B, _ c: C, _ d: D) { (self.a, self.b, self.c, self.d) = (a, b, c, d) }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let gather = Gather<Output, Failure>("CombineLatest", isInStep: false, subscriber)
      let (a, b, c, d) = (gather.side(a), gather.side(b), gather.side(c), gather.side(d))
      gather.start {
        guard let a = a.take(), let b = b.take(), let c = c.take(), let d = d.take() else { return nil }
        return (a, b, c, d)
      }
    }
  }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

// The requirements on the other publishers follow from the returned type.

extension Publisher {
  /// Publishes tuples of the latest values of this and other publishers.
  public func combineLatest<P>(_ other: P) -> Publishers.CombineLatest<Self, P> { .init(self, other) }

  public func combineLatest<P, T>(
    _ other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> {
    combineLatest(other).map { transform($0.0, $0.1) }
  }

  public func combineLatest<P, Q>(_ publisher1: P, _ publisher2: Q) -> Publishers.CombineLatest3<Self, P, Q> {
    .init(self, publisher1, publisher2)
  }

  public func combineLatest<P, Q, T>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T> {
    combineLatest(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  public func combineLatest<P, Q, R>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.CombineLatest4<Self, P, Q, R> {
    .init(self, publisher1, publisher2, publisher3)
  }

  public func combineLatest<P, Q, R, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T> {
    combineLatest(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}
