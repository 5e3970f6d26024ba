// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of tuples of the latest values of two publishers, whenever one of them publishes and all have. It ends
  /// when all have ended, when one ends without a value, or when one fails.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher
  where A.Failure == B.Failure {
    /// What it publishes.
    public typealias Output = (A.Output, B.Output)
    /// What it can fail with.
    public typealias Failure = A.Failure

    /// The publisher of the first values.
    public let a: A
    /// The publisher of the second values.
    public let b: B

    /// Combines publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let rule = Latest<A.Output, B.Output, Void, Void>(width: 2, c: (), d: ())
      let picked = Mapping({ (all: (A.Output, B.Output, Void, Void)) in (all.0, all.1) }, subscriber)
      let gather = Gather("CombineLatest", rule, width: 2, Outlet(picked))
      gather.subscribe(LatestSlot1.self, to: a)
      gather.subscribe(LatestSlot2.self, to: b)
    }
  }

  /// A publisher of tuples of the latest values of three publishers, whenever one of them publishes and all have. It
  /// ends when all have ended, when one ends without a value, or when one fails.
  public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure {
    /// What it publishes.
    public typealias Output = (A.Output, B.Output, C.Output)
    /// What it can fail with.
    public typealias Failure = A.Failure

    /// The publisher of the first values.
    public let a: A
    /// The publisher of the second values.
    public let b: B
    /// The publisher of the third values.
    public let c: C

    /// Combines publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let rule = Latest<A.Output, B.Output, C.Output, Void>(width: 3, d: ())
      let picked = Mapping({ (all: (A.Output, B.Output, C.Output, Void)) in (all.0, all.1, all.2) }, subscriber)
      let gather = Gather("CombineLatest", rule, width: 3, Outlet(picked))
      gather.subscribe(LatestSlot1.self, to: a)
      gather.subscribe(LatestSlot2.self, to: b)
      gather.subscribe(LatestSlot3.self, to: c)
    }
  }

  /// A publisher of tuples of the latest values of four publishers, whenever one of them publishes and all have. It
  /// ends when all have ended, when one ends without a value, or when one fails.
  public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
    /// What it publishes.
    public typealias Output = (A.Output, B.Output, C.Output, D.Output)
    /// What it can fail with.
    public typealias Failure = A.Failure

    /// The publisher of the first values.
    public let a: A
    /// The publisher of the second values.
    public let b: B
    /// The publisher of the third values.
    public let c: C
    /// The publisher of the fourth values.
    public let d: D

    /// Combines publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let rule = Latest<A.Output, B.Output, C.Output, D.Output>(width: 4)
      let gather = Gather("CombineLatest", rule, width: 4, Outlet(subscriber))
      gather.subscribe(LatestSlot1.self, to: a)
      gather.subscribe(LatestSlot2.self, to: b)
      gather.subscribe(LatestSlot3.self, to: c)
      gather.subscribe(LatestSlot4.self, to: d)
    }
  }
}

extension Publishers.CombineLatest: Equatable where A: Equatable, B: Equatable {}
extension Publishers.CombineLatest3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.CombineLatest4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publisher {
  /// Publishes tuples of the latest values of this and another publisher.
  @inlinable
  public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
  where Failure == P.Failure {
    Publishers.CombineLatest(self, other)
  }

  /// Publishes tuples of the latest values of this and another publisher, transformed with a closure.
  @inlinable
  public func combineLatest<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T>
  where Failure == P.Failure {
    Publishers.CombineLatest(self, other).map { transform($0.0, $0.1) }
  }

  /// Publishes tuples of the latest values of this and two other publishers.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher>(
    _ publisher1: P, _ publisher2: Q
  ) -> Publishers.CombineLatest3<Self, P, Q>
  where Failure == P.Failure, P.Failure == Q.Failure {
    Publishers.CombineLatest3(self, publisher1, publisher2)
  }

  /// Publishes tuples of the latest values of this and two other publishers, transformed with a closure.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest3<Self, P, Q>, T>
  where Failure == P.Failure, P.Failure == Q.Failure {
    Publishers.CombineLatest3(self, publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  /// Publishes tuples of the latest values of this and three other publishers.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.CombineLatest4<Self, P, Q, R>
  where Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
    Publishers.CombineLatest4(self, publisher1, publisher2, publisher3)
  }

  /// Publishes tuples of the latest values of this and three other publishers, transformed with a closure.
  @inlinable
  public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.CombineLatest4<Self, P, Q, R>, T>
  where Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
    Publishers.CombineLatest4(self, publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}
