// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of everything that five publishers publish, as it comes. It ends when all have ended, or when one
  /// fails.
  public struct Merge5<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure
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
    /// The publisher subscribed to fifth.
    public let e: E

    /// Merges publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("Merge", open: 5, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      merger.subscribe(to: a)
      merger.subscribe(to: b)
      merger.subscribe(to: c)
      merger.subscribe(to: d)
      merger.subscribe(to: e)
    }
  }

  /// A publisher of everything that six publishers publish, as it comes. It ends when all have ended, or when one
  /// fails.
  public struct Merge6<A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure
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
    /// The publisher subscribed to fifth.
    public let e: E
    /// The publisher subscribed to sixth.
    public let f: F

    /// Merges publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("Merge", open: 6, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      merger.subscribe(to: a)
      merger.subscribe(to: b)
      merger.subscribe(to: c)
      merger.subscribe(to: d)
      merger.subscribe(to: e)
      merger.subscribe(to: f)
    }
  }

  /// A publisher of everything that seven publishers publish, as it comes. It ends when all have ended, or when one
  /// fails.
  public struct Merge7<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher
  >: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure,
    G.Output == A.Output, G.Failure == A.Failure
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
    /// The publisher subscribed to fifth.
    public let e: E
    /// The publisher subscribed to sixth.
    public let f: F
    /// The publisher subscribed to seventh.
    public let g: G

    /// Merges publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
      self.g = g
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("Merge", open: 7, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      merger.subscribe(to: a)
      merger.subscribe(to: b)
      merger.subscribe(to: c)
      merger.subscribe(to: d)
      merger.subscribe(to: e)
      merger.subscribe(to: f)
      merger.subscribe(to: g)
    }
  }

  /// A publisher of everything that eight publishers publish, as it comes. It ends when all have ended, or when one
  /// fails.
  public struct Merge8<
    A: Publisher, B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher
  >: Publisher
  where
    B.Output == A.Output, B.Failure == A.Failure,
    C.Output == A.Output, C.Failure == A.Failure,
    D.Output == A.Output, D.Failure == A.Failure,
    E.Output == A.Output, E.Failure == A.Failure,
    F.Output == A.Output, F.Failure == A.Failure,
    G.Output == A.Output, G.Failure == A.Failure,
    H.Output == A.Output, H.Failure == A.Failure
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
    /// The publisher subscribed to fifth.
    public let e: E
    /// The publisher subscribed to sixth.
    public let f: F
    /// The publisher subscribed to seventh.
    public let g: G
    /// The publisher subscribed to eighth.
    public let h: H

    /// Merges publishers; they are subscribed to in this order.
    @inlinable
    public init(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) {
      self.a = a
      self.b = b
      self.c = c
      self.d = d
      self.e = e
      self.f = f
      self.g = g
      self.h = h
    }

    /// Attaches a subscriber.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let merger = Merger("Merge", open: 8, Outlet(subscriber))
      subscriber.receive(subscription: merger)
      merger.subscribe(to: a)
      merger.subscribe(to: b)
      merger.subscribe(to: c)
      merger.subscribe(to: d)
      merger.subscribe(to: e)
      merger.subscribe(to: f)
      merger.subscribe(to: g)
      merger.subscribe(to: h)
    }
  }
}

extension Publishers.Merge5: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable {}
extension Publishers.Merge6: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable {}
extension Publishers.Merge7: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable {}
extension Publishers.Merge8: Equatable
where A: Equatable, B: Equatable, C: Equatable, D: Equatable, E: Equatable, F: Equatable, G: Equatable, H: Equatable {}

extension Publisher {
  /// Publishes what this and four other publishers publish, as it comes.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E
  ) -> Publishers.Merge5<Self, B, C, D, E>
  where
    B.Output == Output, B.Failure == Failure,
    C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure,
    E.Output == Output, E.Failure == Failure
  {
    Publishers.Merge5(self, b, c, d, e)
  }

  /// Publishes what this and five other publishers publish, as it comes.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F
  ) -> Publishers.Merge6<Self, B, C, D, E, F>
  where
    B.Output == Output, B.Failure == Failure,
    C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure,
    E.Output == Output, E.Failure == Failure,
    F.Output == Output, F.Failure == Failure
  {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  /// Publishes what this and six other publishers publish, as it comes.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G
  ) -> Publishers.Merge7<Self, B, C, D, E, F, G>
  where
    B.Output == Output, B.Failure == Failure,
    C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure,
    E.Output == Output, E.Failure == Failure,
    F.Output == Output, F.Failure == Failure,
    G.Output == Output, G.Failure == Failure
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  /// Publishes what this and seven other publishers publish, as it comes.
  @inlinable
  public func merge<B: Publisher, C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
    with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H
  ) -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  where
    B.Output == Output, B.Failure == Failure,
    C.Output == Output, C.Failure == Failure,
    D.Output == Output, D.Failure == Failure,
    E.Output == Output, E.Failure == Failure,
    F.Output == Output, F.Failure == Failure,
    G.Output == Output, G.Failure == Failure,
    H.Output == Output, H.Failure == Failure
  {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}
