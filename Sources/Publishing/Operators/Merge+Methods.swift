// SPDX-License-Identifier: Apache-2.0
// Each method merges this publisher with others. Consecutive merges become one operator.

extension Publisher {
  /// Publishes everything from this and other publishers.
  @inlinable
  public func merge<B: Publisher<Output, Failure>>(with b: B) -> Publishers.Merge<Self, B> {
    Publishers.Merge(self, b)
  }

  @inlinable
  public func merge<B: Publisher<Output, Failure>, C: Publisher<Output, Failure>>(
    with b: B, _ c: C
  ) -> Publishers.Merge3<Self, B, C> {
    Publishers.Merge3(self, b, c)
  }

  @inlinable
  public func merge<B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.Merge4<Self, B, C, D> {
    Publishers.Merge4(self, b, c, d)
  }

  @inlinable
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E) -> Publishers.Merge5<Self, B, C, D, E> {
    Publishers.Merge5(self, b, c, d, e)
  }

  @inlinable
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>, F: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> Publishers.Merge6<Self, B, C, D, E, F> {
    Publishers.Merge6(self, b, c, d, e, f)
  }

  @inlinable
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<Self, B, C, D, E, F, G> {
    Publishers.Merge7(self, b, c, d, e, f, g)
  }

  @inlinable
  public func merge<
    B: Publisher<Output, Failure>, C: Publisher<Output, Failure>, D: Publisher<Output, Failure>,
    E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>,
    H: Publisher<Output, Failure>
  >(with b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Publishers.Merge8<Self, B, C, D, E, F, G, H> {
    Publishers.Merge8(self, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge {
  @inlinable
  public func merge<C: Publisher<Output, Failure>>(with c: C) -> Publishers.Merge3<A, B, C> {
    Publishers.Merge3(a, b, c)
  }

  @inlinable
  public func merge<C: Publisher<Output, Failure>, D: Publisher<Output, Failure>>(
    with c: C, _ d: D
  ) -> Publishers.Merge4<A, B, C, D> {
    Publishers.Merge4(a, b, c, d)
  }

  @inlinable
  public func merge<C: Publisher<Output, Failure>, D: Publisher<Output, Failure>, E: Publisher<Output, Failure>>(
    with c: C, _ d: D, _ e: E
  ) -> Publishers.Merge5<A, B, C, D, E> {
    Publishers.Merge5(a, b, c, d, e)
  }

  @inlinable
  public func merge<
    C: Publisher<Output, Failure>, D: Publisher<Output, Failure>, E: Publisher<Output, Failure>,
    F: Publisher<Output, Failure>
  >(with c: C, _ d: D, _ e: E, _ f: F) -> Publishers.Merge6<A, B, C, D, E, F> {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  @inlinable
  public func merge<
    C: Publisher<Output, Failure>, D: Publisher<Output, Failure>, E: Publisher<Output, Failure>,
    F: Publisher<Output, Failure>, G: Publisher<Output, Failure>
  >(with c: C, _ d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  @inlinable
  public func merge<
    C: Publisher<Output, Failure>, D: Publisher<Output, Failure>, E: Publisher<Output, Failure>,
    F: Publisher<Output, Failure>, G: Publisher<Output, Failure>, H: Publisher<Output, Failure>
  >(with c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge3 {
  @inlinable
  public func merge<D: Publisher<Output, Failure>>(with d: D) -> Publishers.Merge4<A, B, C, D> {
    Publishers.Merge4(a, b, c, d)
  }

  @inlinable
  public func merge<D: Publisher<Output, Failure>, E: Publisher<Output, Failure>>(
    with d: D, _ e: E
  ) -> Publishers.Merge5<A, B, C, D, E> {
    Publishers.Merge5(a, b, c, d, e)
  }

  @inlinable
  public func merge<D: Publisher<Output, Failure>, E: Publisher<Output, Failure>, F: Publisher<Output, Failure>>(
    with d: D, _ e: E, _ f: F
  ) -> Publishers.Merge6<A, B, C, D, E, F> {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  @inlinable
  public func merge<
    D: Publisher<Output, Failure>, E: Publisher<Output, Failure>, F: Publisher<Output, Failure>,
    G: Publisher<Output, Failure>
  >(with d: D, _ e: E, _ f: F, _ g: G) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  @inlinable
  public func merge<
    D: Publisher<Output, Failure>, E: Publisher<Output, Failure>, F: Publisher<Output, Failure>,
    G: Publisher<Output, Failure>, H: Publisher<Output, Failure>
  >(with d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge4 {
  @inlinable
  public func merge<E: Publisher<Output, Failure>>(with e: E) -> Publishers.Merge5<A, B, C, D, E> {
    Publishers.Merge5(a, b, c, d, e)
  }

  @inlinable
  public func merge<E: Publisher<Output, Failure>, F: Publisher<Output, Failure>>(
    with e: E, _ f: F
  ) -> Publishers.Merge6<A, B, C, D, E, F> {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  @inlinable
  public func merge<E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>>(
    with e: E, _ f: F, _ g: G
  ) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  @inlinable
  public func merge<
    E: Publisher<Output, Failure>, F: Publisher<Output, Failure>, G: Publisher<Output, Failure>,
    H: Publisher<Output, Failure>
  >(with e: E, _ f: F, _ g: G, _ h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge5 {
  @inlinable
  public func merge<F: Publisher<Output, Failure>>(with f: F) -> Publishers.Merge6<A, B, C, D, E, F> {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  @inlinable
  public func merge<F: Publisher<Output, Failure>, G: Publisher<Output, Failure>>(
    with f: F, _ g: G
  ) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  @inlinable
  public func merge<F: Publisher<Output, Failure>, G: Publisher<Output, Failure>, H: Publisher<Output, Failure>>(
    with f: F, _ g: G, _ h: H
  ) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge6 {
  @inlinable
  public func merge<G: Publisher<Output, Failure>>(with g: G) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  @inlinable
  public func merge<G: Publisher<Output, Failure>, H: Publisher<Output, Failure>>(
    with g: G, _ h: H
  ) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge7 {
  @inlinable
  public func merge<H: Publisher<Output, Failure>>(with h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}
