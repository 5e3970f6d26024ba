// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of everything that two publishers publish, as it comes. It ends when all have ended, or when one
  /// fails.
  public struct Merge<A: Publisher, B: Publisher>: Publisher
  where B.Output == A.Output, B.Failure == A.Failure {
    /// What it publishes.
    public typealias Output = A.Output
    /// What it can fail with.
    public typealias Failure = A.Failure

    /// The publisher subscribed to first.
    public let a: A
    /// The publisher subscribed to second.
    public let b: B

    /// Merges publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("Merge", open: 2, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      merger.subscribe(to: a)
      merger.subscribe(to: b)
    }
  }

  /// A publisher of everything that three publishers publish, as it comes. It ends when all have ended, or when one
  /// fails.
  public struct Merge3<A: Publisher, B: Publisher, C: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure
  {
    /// What it publishes.
    public typealias Output = A.Output
    /// What it can fail with.
    public typealias Failure = A.Failure

    /// The publisher subscribed to first.
    public let a: A
    /// The publisher subscribed to second.
    public let b: B
    /// The publisher subscribed to third.
    public let c: C

    /// Merges publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C) {
      self.a = a
      self.b = b
      self.c = c
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("Merge", open: 3, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      merger.subscribe(to: a)
      merger.subscribe(to: b)
      merger.subscribe(to: c)
    }
  }

  /// A publisher of everything that four publishers publish, as it comes. It ends when all have ended, or when one
  /// fails.
  public struct Merge4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure
  {
    /// What it publishes.
    public typealias Output = A.Output
    /// What it can fail with.
    public typealias Failure = A.Failure

    /// The publisher subscribed to first.
    public let a: A
    /// The publisher subscribed to second.
    public let b: B
    /// The publisher subscribed to third.
    public let c: C
    /// The publisher subscribed to fourth.
    public let d: D

    /// Merges publishers; they are subscribed to in this order.
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
      let merger = Merger("Merge", open: 4, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      merger.subscribe(to: a)
      merger.subscribe(to: b)
      merger.subscribe(to: c)
      merger.subscribe(to: d)
    }
  }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Merge3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Merge4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publisher {
  /// Publishes what this and another publisher publish, as it comes.
  @inlinable
  public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge(self, other)
  }

  /// Publishes what this and two other publishers publish, as it comes.
  @inlinable
  public func merge<B: Publisher, C: Publisher>(
    with b: B, _ c: C
  ) -> Publishers.Merge3<Self, B, C>
  where
    B.Output == Output, B.Failure == Failure,
    C.Output == Output, C.Failure == Failure
  {
    Publishers.Merge3(self, b, c)
  }

  /// Publishes what this and three other publishers publish, as it comes.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.Merge4<Self, B, C, D>
  where
    B.Output == Output, B.Failure == Failure,
    C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure
  {
    Publishers.Merge4(self, b, c, d)
  }
}
