// SPDX-License-Identifier: Apache-2.0
// These operators compute their results once, when they are applied, and share them among all subscribers.

extension Publishers.Sequence {
  @inlinable
  public func map<T>(_ transform: (Elements.Element) -> T) -> Publishers.Sequence<[T], Failure> {
    Publishers.Sequence(sequence: sequence.map(transform))
  }

  @inlinable
  public func compactMap<T>(_ transform: (Elements.Element) -> T?) -> Publishers.Sequence<[T], Failure> {
    Publishers.Sequence(sequence: sequence.compactMap(transform))
  }

  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Sequence<[T], Failure> where Elements.Element == T? {
    Publishers.Sequence(sequence: sequence.map { $0 ?? output })
  }

  @inlinable
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Elements.Element) -> T
  ) -> Publishers.Sequence<[T], Failure> {
    var result = initialResult
    return Publishers.Sequence(
      sequence: sequence.map { element in
        result = nextPartialResult(result, element)
        return result
      })
  }

  @inlinable
  public func filter(_ isIncluded: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
    Publishers.Sequence(sequence: sequence.filter(isIncluded))
  }

  @inlinable
  public func drop(
    while predicate: (Elements.Element) -> Bool
  ) -> Publishers.Sequence<DropWhileSequence<Elements>, Failure> {
    Publishers.Sequence(sequence: sequence.drop(while: predicate))
  }

  @inlinable
  public func dropFirst(_ count: Int = 1) -> Publishers.Sequence<DropFirstSequence<Elements>, Failure> {
    Publishers.Sequence(sequence: sequence.dropFirst(count))
  }

  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Sequence<PrefixSequence<Elements>, Failure> {
    Publishers.Sequence(sequence: sequence.prefix(maxLength))
  }

  @inlinable
  public func prefix(while predicate: (Elements.Element) -> Bool) -> Publishers.Sequence<[Elements.Element], Failure> {
    Publishers.Sequence(sequence: sequence.prefix(while: predicate))
  }
}

// MARK: Operators with a single result

extension Publishers.Sequence {
  @inlinable
  public func collect() -> Result<[Elements.Element], Failure>.Publisher {
    Result<[Elements.Element], Failure>.Publisher(Array(sequence))
  }

  @inlinable public func ignoreOutput() -> Empty<Elements.Element, Failure> { Empty() }

  @inlinable
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Elements.Element) -> T
  ) -> Result<T, Failure>.Publisher {
    Result<T, Failure>.Publisher(sequence.reduce(initialResult, nextPartialResult))
  }

  @inlinable
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Elements.Element) throws -> T
  ) -> Result<T, any Error>.Publisher {
    Result { try sequence.reduce(initialResult, nextPartialResult) }.publisher
  }

  @inlinable
  public func allSatisfy(_ predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(sequence.allSatisfy(predicate))
  }

  @inlinable
  public func tryAllSatisfy(
    _ predicate: (Elements.Element) throws -> Bool
  ) -> Result<Bool, any Error>.Publisher {
    Result { try sequence.allSatisfy(predicate) }.publisher
  }

  @inlinable
  public func contains(where predicate: (Elements.Element) -> Bool) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(sequence.contains(where: predicate))
  }

  @inlinable
  public func tryContains(
    where predicate: (Elements.Element) throws -> Bool
  ) -> Result<Bool, any Error>.Publisher {
    Result { try sequence.contains(where: predicate) }.publisher
  }
}

extension Publishers.Sequence where Elements.Element: Equatable {
  @inlinable
  public func removeDuplicates() -> Publishers.Sequence<[Elements.Element], Failure> {
    var last: Elements.Element?
    return Publishers.Sequence(
      sequence: sequence.filter { element in
        defer { last = .some(element) }
        return last.map { $0 != element } ?? true
      })
  }

  @inlinable
  public func contains(_ output: Elements.Element) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(sequence.contains(output))
  }
}

extension Publishers.Sequence where Failure == Never {
  @inlinable
  public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
    Publishers.Sequence(sequence: sequence)
  }

  @inlinable
  public func min(by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool)
    -> Optional<Elements.Element>.Publisher
  {
    sequence.min(by: areInIncreasingOrder).publisher
  }

  @inlinable
  public func max(by areInIncreasingOrder: (Elements.Element, Elements.Element) -> Bool)
    -> Optional<Elements.Element>.Publisher
  {
    sequence.max(by: areInIncreasingOrder).publisher
  }

  @inlinable
  public func first(where predicate: (Elements.Element) -> Bool) -> Optional<Elements.Element>.Publisher {
    sequence.first(where: predicate).publisher
  }
}

extension Publishers.Sequence where Failure == Never, Elements.Element: Comparable {
  @inlinable public func min() -> Optional<Elements.Element>.Publisher { sequence.min().publisher }
  @inlinable public func max() -> Optional<Elements.Element>.Publisher { sequence.max().publisher }
}
