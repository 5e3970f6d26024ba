// SPDX-License-Identifier: Apache-2.0
extension Publishers.Sequence where Elements: Collection, Failure == Never {
  public func first() -> Optional<Elements.Element>.Publisher { sequence.first.publisher }

  public func output(at index: Elements.Index) -> Optional<Elements.Element>.Publisher {
    let isInside = index >= sequence.startIndex && index < sequence.endIndex
    return Optional<Elements.Element>.Publisher(isInside ? .some(sequence[index]) : nil)
  }

  public func count() -> Just<Int> { Just(sequence.count) }
}

extension Publishers.Sequence where Elements: Collection {
  public func output(in range: Range<Elements.Index>) -> Publishers.Sequence<[Elements.Element], Failure> {
    let inside = range.clamped(to: sequence.startIndex..<sequence.endIndex)
    return Publishers.Sequence(sequence: Array(sequence[inside]))
  }

  public func count() -> Result<Int, Failure>.Publisher { Result<Int, Failure>.Publisher(sequence.count) }
}

extension Publishers.Sequence where Elements: BidirectionalCollection, Failure == Never {
  public func last() -> Optional<Elements.Element>.Publisher { sequence.last.publisher }

  public func last(where predicate: (Elements.Element) -> Bool) -> Optional<Elements.Element>.Publisher {
    sequence.last(where: predicate).publisher
  }
}

extension Publishers.Sequence where Elements: RangeReplaceableCollection {
  public func prepend(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: elements + sequence)
  }

  public func prepend<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where S.Element == Elements.Element {
    var all = Elements()
    all.append(contentsOf: elements)
    all.append(contentsOf: sequence)
    return Publishers.Sequence(sequence: all)
  }

  public func prepend(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: publisher.sequence + sequence)
  }

  public func append(_ elements: Elements.Element...) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: sequence + elements)
  }

  public func append<S: Swift.Sequence>(_ elements: S) -> Publishers.Sequence<Elements, Failure>
  where S.Element == Elements.Element {
    Publishers.Sequence(sequence: sequence + elements)
  }

  public func append(_ publisher: Publishers.Sequence<Elements, Failure>) -> Publishers.Sequence<Elements, Failure> {
    Publishers.Sequence(sequence: sequence + publisher.sequence)
  }
}
