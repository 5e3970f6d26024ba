// SPDX-License-Identifier: Apache-2.0
extension Publishers {
  /// A publisher of tuples of the values of two publishers, the first of each, the second of each and so on. It ends
  /// when no tuple can follow, or when one fails.
  public struct Zip<A: Publisher, B: Publisher>: Publisher
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
      let gather = Gather("Zip", Pairs<A.Output, B.Output>(), width: 2, Outlet(subscriber))
      gather.subscribe(PairsSlot1.self, to: a)
      gather.subscribe(PairsSlot2.self, to: b)
    }
  }

  /// A publisher of tuples of the values of three publishers, the first of each, the second of each and so on. It ends
  /// when no tuple can follow, or when one fails.
  public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher
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
      let flattened = Mapping(
        { (pair: ((A.Output, B.Output), C.Output)) in (pair.0.0, pair.0.1, pair.1) }, subscriber)
      Zip(Zip(a, b), c).receive(subscriber: flattened)
    }
  }

  /// A publisher of tuples of the values of four publishers, the first of each, the second of each and so on. It ends
  /// when no tuple can follow, or when one fails.
  public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
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
      let flattened = Mapping(
        { (pair: ((A.Output, B.Output, C.Output), D.Output)) in (pair.0.0, pair.0.1, pair.0.2, pair.1) }, subscriber)
      Zip(Zip3(a, b, c), d).receive(subscriber: flattened)
    }
  }
}

extension Publishers.Zip: Equatable where A: Equatable, B: Equatable {}
extension Publishers.Zip3: Equatable where A: Equatable, B: Equatable, C: Equatable {}
extension Publishers.Zip4: Equatable where A: Equatable, B: Equatable, C: Equatable, D: Equatable {}

extension Publisher {
  /// Publishes tuples of the values, in step, of this and another publisher.
  @inlinable
  public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P>
  where Failure == P.Failure {
    Publishers.Zip(self, other)
  }

  /// Publishes tuples of the values, in step, of this and another publisher, transformed with a closure.
  @inlinable
  public func zip<P: Publisher, T>(
    _ other: P,
    _ transform: @escaping (Output, P.Output) -> T
  ) -> Publishers.Map<Publishers.Zip<Self, P>, T>
  where Failure == P.Failure {
    Publishers.Zip(self, other).map { transform($0.0, $0.1) }
  }

  /// Publishes tuples of the values, in step, of this and two other publishers.
  @inlinable
  public func zip<P: Publisher, Q: Publisher>(
    _ publisher1: P, _ publisher2: Q
  ) -> Publishers.Zip3<Self, P, Q>
  where Failure == P.Failure, P.Failure == Q.Failure {
    Publishers.Zip3(self, publisher1, publisher2)
  }

  /// Publishes tuples of the values, in step, of this and two other publishers, transformed with a closure.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, T>(
    _ publisher1: P, _ publisher2: Q,
    _ transform: @escaping (Output, P.Output, Q.Output) -> T
  ) -> Publishers.Map<Publishers.Zip3<Self, P, Q>, T>
  where Failure == P.Failure, P.Failure == Q.Failure {
    Publishers.Zip3(self, publisher1, publisher2).map { transform($0.0, $0.1, $0.2) }
  }

  /// Publishes tuples of the values, in step, of this and three other publishers.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, R: Publisher>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R
  ) -> Publishers.Zip4<Self, P, Q, R>
  where Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
    Publishers.Zip4(self, publisher1, publisher2, publisher3)
  }

  /// Publishes tuples of the values, in step, of this and three other publishers, transformed with a closure.
  @inlinable
  public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
    _ publisher1: P, _ publisher2: Q, _ publisher3: R,
    _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
  ) -> Publishers.Map<Publishers.Zip4<Self, P, Q, R>, T>
  where Failure == P.Failure, P.Failure == Q.Failure, Q.Failure == R.Failure {
    Publishers.Zip4(self, publisher1, publisher2, publisher3).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}

/// Keeps what one of two upstreams is ahead of the other; a tuple is ready when there is a value of each.
@usableFromInline
struct Pairs<A, B>: GatherRule {
  @usableFromInline var a = Queue<A>()
  @usableFromInline var b = Queue<B>()

  @inlinable
  init() {}

  @inlinable
  static var keepsTuples: Bool { true }

  @inlinable
  mutating func take() -> (A, B)? {
    guard !a.isEmpty, !b.isEmpty, let first = a.popFirst(), let second = b.popFirst() else { return nil }
    return (first, second)
  }

  @inlinable
  func isOver(_ ended: UInt8) -> Bool { (ended & 1 != 0 && a.isEmpty) || (ended & 2 != 0 && b.isEmpty) }
}

@usableFromInline
enum PairsSlot1<A, B>: GatherSlot {
  @inlinable
  static var index: Int { 0 }
  @inlinable
  static func put(_ value: A, into rule: inout Pairs<A, B>) { rule.a.append(value) }
}

@usableFromInline
enum PairsSlot2<A, B>: GatherSlot {
  @inlinable
  static var index: Int { 1 }
  @inlinable
  static func put(_ value: B, into rule: inout Pairs<A, B>) { rule.b.append(value) }
}
