// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// Publishes tuples of the values of two publishers in step: the first of each, then the second of each, and so on.
  /// Ends when no further tuple is possible, or when one fails.
  public struct Zip<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    public typealias Output = (A.Output, B.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    public init(_ a: A, _ b: B) { (self.a, self.b) = (a, b) }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let gather = Gather<Output, Failure>("Zip", isInStep: true, subscriber)
      let (a, b) = (gather.side(a), gather.side(b))
      gather.start {
        guard let a = a.take(), let b = b.take() else { return nil }
        return (a, b)
      }
    }
  }

  /// Like ``Zip``, but of three publishers.
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure {
    public typealias Output = (A.Output, B.Output, C.Output)
    public typealias Failure = A.Failure

    public let a: A
    public let b: B
    public let c: C

    public init(_ a: A, _ b: B, _ c: C) { (self.a, self.b, self.c) = (a, b, c) }

    @inlinable
    public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
      let gather = Gather<Output, Failure>("Zip", isInStep: true, subscriber)
      let (a, b, c) = (gather.side(a), gather.side(b), gather.side(c))
      gather.start {
        guard let a = a.take(), let b = b.take(), let c = c.take() else { return nil }
        return (a, b, c)
      }
    }
  }

  /// Like ``Zip``, but of four publishers.
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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
      let gather = Gather<Output, Failure>("Zip", isInStep: true, subscriber)
      let (a, b, c, d) = (gather.side(a), gather.side(b), gather.side(c), gather.side(d))
      gather.start {
        guard let a = a.take(), let b = b.take(), let c = c.take(), let d = d.take() else { return nil }
        return (a, b, c, d)
      }
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

// The requirements on the other publishers follow from the returned type.

extension Publisher {
  /// Publishes tuples of the values of this and other publishers in step.
  public func zip<P>(_ other: P) -> Publishers.Zip<Self, P> { .init(self, other) }

  public func zip<P, T>(
    _ other: P, _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Zip<Self, P>, T> {
    zip(other).map { transform($0.0, $0.1) }
  }

  public func zip<P, Q>(_ publisher1: P, _ publisher2: Q) -> Publishers.Zip3<Self, P, Q> {
    .init(self, publisher1, publisher2)
  }

  public func zip<P, Q, T>(
    _ publisher1: P, _ publisher2: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T> {
    zip(publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  public func zip<P, Q, R>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.Zip4<Self, P, Q, R> {
    .init(self, publisher1, publisher2, publisher3)
  }

  public func zip<P, Q, R, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T> {
    zip(publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}
