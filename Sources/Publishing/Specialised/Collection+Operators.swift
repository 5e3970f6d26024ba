// SPDX-License-Identifier: Apache-2.0
extension Publishers.Sequence where Elements: Collection, Failure == Never {
  /// The first element.
  @inlinable
  public func first() -> Optional<Elements.Element>.Publisher {
    sequence.first.publisher
  }

  /// The element at an index, if there is one.
  @inlinable
  public func output(at index: Elements.Index) -> Optional<Elements.Element>.Publisher {
    let isInside = index >= sequence.startIndex && index < sequence.endIndex
    return Optional<Elements.Element>.Publisher(isInside ? .some(sequence[index]) : nil)
  }

  /// The number of elements.
  @inlinable
  public func count() -> Just<Int> {
    Just(sequence.count)
  }
}

extension Publishers.Sequence where Elements: Collection {
  /// The elements at those of the indices that there are.
  @inlinable
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Elements.Element], Failure> {
    let inside = range.clamped(to: sequence.startIndex..<sequence.endIndex)
    return Publishers.Sequence(sequence: Array(sequence[inside]))
  }

  /// The number of elements.
  @inlinable
  public func count() -> Result<Int, Failure>.Publisher {
    Result<Int, Failure>.Publisher(sequence.count)
  }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
  /// The last element.
  @inlinable
  public func last() -> Optional<Elements.Element>.Publisher {
    sequence.last.publisher
  }

  /// The last element for which a condition holds.
  @inlinable
  public func last(where predicate: (Elements.Element) -> Bool) -> Optional<Elements.Element>.Publisher {
    sequence.last(where: predicate).publisher
  }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
  /// Some values and then these elements.
  @inlinable
  public func prepend(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: elements + sequence)
  }

  /// The elements of a sequence and then these.
  @inlinable
  public func prepend<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where S.Element == Elements.Element {
    var all = Elements()
    all.append(contentsOf: elements)
    all.append(contentsOf: sequence)
    return Publishers.Sequence(sequence: all)
  }

  /// The elements of another such publisher and then these.
  @inlinable
  public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: publisher.sequence + sequence)
  }

  /// These elements and then some values.
  @inlinable
  public func append(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: sequence + elements)
  }

  /// These elements and then those of a sequence.
  @inlinable
  public func append<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where S.Element == Elements.Element {
    Publishers.Sequence(sequence: sequence + elements)
  }

  /// These elements and then those of another such publisher.
  @inlinable
  public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: sequence + publisher.sequence)
  }
}
