// SPDX-License-Identifier: Apache-2.0
extension Publishers.Sequence where Elements: Collection, Failure == Never {
  @inlinable public func first() -> Output?.Publisher { sequence.first.publisher }
  public func count() -> Just<Int> { Just(sequence.count) }

  @inlinable
  public func output(at index: Elements.Index) -> Output?.Publisher {
    let isInside = index >= sequence.startIndex && index < sequence.endIndex
    return Output?.Publisher(isInside ? .some(sequence[index]) : nil)
  }
}

extension Publishers.Sequence where Elements: Collection {
  @inlinable public func count() -> Result<Int, Failure>.Publisher { .init(sequence.count) }

  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Output], Failure> {
    let inside = range.clamped(to: sequence.startIndex..<sequence.endIndex)
    return Publishers.Sequence<[Output], Failure>(sequence: Array(sequence[inside]))
  }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
  @inlinable public func last() -> Output?.Publisher { sequence.last.publisher }
  public func last(where predicate: (Output) -> Bool) -> Output?.Publisher { sequence.last(where: predicate).publisher }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
  @inlinable public func prepend(_ elements: Output...) -> Self { Self(sequence: elements + sequence) }
  public func prepend(_ publisher: Self) -> Self { Self(sequence: publisher.sequence + sequence) }
  @inlinable
  public func prepend<S: Swift.Sequence<Output>>(_ elements: S) -> Self {
    Self(sequence: Elements(elements) + sequence)
  }
  @inlinable public func append(_ elements: Output...) -> Self { Self(sequence: sequence + elements) }
  public func append(_ publisher: Self) -> Self { Self(sequence: sequence + publisher.sequence) }
  @inlinable
  public func append<S: Swift.Sequence<Output>>(_ elements: S) -> Self { Self(sequence: sequence + elements) }
}
