// SPDX-License-Identifier: Apache-2.0
// Each method merges this publisher with others. Consecutive merges become one operator. The requirements on the other
// publishers follow from the returned type.

extension Publisher {
  /// Publishes everything from this and other publishers.
  public func merge<B>(with b: B) -> Publishers.Merge<Self, B> { .init(self, b) }

  public func merge<B, C>(with b: B, _ c: C) -> Publishers.Merge3<Self, B, C> { .init(self, b, c) }

  public func merge<B, C, D>(with b: B, _ c: C, _ d: D) -> Publishers.Merge4<Self, B, C, D> { .init(self, b, c, d) }

  public func merge<B, C, D, E>(with b: B, _ c: C, _ d: D, _ e: E) -> Publishers.Merge5<Self, B, C, D, E> {
    Publishers.Merge5(self, b, c, d, e)
  }

  public func merge<B, C, D, E, F>(with b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Publishers.Merge6<Self, B, C, D, E, F>
  {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  public func merge<B, C, D, E, F, G>(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G)
    -> Publishers.Merge7<Self, B, C, D, E, F, G>
  {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  public func merge<B, C, D, E, F, G, H>(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H)
    -> Publishers.Merge8<Self, B, C, D, E, F, G, H>
  {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge {
  public func merge<C>(with c: C) -> Publishers.Merge3<A, B, C> { .init(a, b, c) }

  public func merge<C, D>(with c: C, _ d: D) -> Publishers.Merge4<A, B, C, D> { .init(a, b, c, d) }

  public func merge<C, D, E>(with c: C, _ d: D, _ e: E) -> Publishers.Merge5<A, B, C, D, E> { .init(a, b, c, d, e) }

  public func merge<C, D, E, F>(with c: C, _ d: D, _ e: E, _ f: F) -> Publishers.Merge6<A, B, C, D, E, F> {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  public func merge<C, D, E, F, G>(with c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<A, B, C, D, E, F, G>
  {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  public func merge<C, D, E, F, G, H>(with c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H)
    -> Publishers.Merge8<A, B, C, D, E, F, G, H>
  {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge3 {
  public func merge<D>(with d: D) -> Publishers.Merge4<A, B, C, D> { .init(a, b, c, d) }

  public func merge<D, E>(with d: D, _ e: E) -> Publishers.Merge5<A, B, C, D, E> { .init(a, b, c, d, e) }

  public func merge<D, E, F>(with d: D, _ e: E, _ f: F) -> Publishers.Merge6<A, B, C, D, E, F> {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  public func merge<D, E, F, G>(with d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  public func merge<D, E, F, G, H>(with d: D, _ e: E, _ f: F, _ g: G, _ h: H)
    -> Publishers.Merge8<A, B, C, D, E, F, G, H>
  {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge4 {
  public func merge<E>(with e: E) -> Publishers.Merge5<A, B, C, D, E> { .init(a, b, c, d, e) }

  public func merge<E, F>(with e: E, _ f: F) -> Publishers.Merge6<A, B, C, D, E, F> { .init(a, b, c, d, e, f) }

  public func merge<E, F, G>(with e: E, _ f: F, _ g: G) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  public func merge<E, F, G, H>(with e: E, _ f: F, _ g: G, _ h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge5 {
  public func merge<F>(with f: F) -> Publishers.Merge6<A, B, C, D, E, F> { .init(a, b, c, d, e, f) }

  public func merge<F, G>(with f: F, _ g: G) -> Publishers.Merge7<A, B, C, D, E, F, G> { .init(a, b, c, d, e, f, g) }

  public func merge<F, G, H>(with f: F, _ g: G, _ h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge6 {
  public func merge<G>(with g: G) -> Publishers.Merge7<A, B, C, D, E, F, G> { .init(a, b, c, d, e, f, g) }

  public func merge<G, H>(with g: G, _ h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge7 {
  public func merge<H>(with h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> { .init(a, b, c, d, e, f, g, h) }
}
