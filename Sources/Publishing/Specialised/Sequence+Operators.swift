// SPDX-License-Identifier: Apache-2.0
// These operators compute their results once, when they are applied, and share them among all subscribers.

extension Publishers.Sequence {
  @inlinable
  public func map<T>(_ transform: (Output) -> T) -> Publishers.Sequence<[T], Failure> {
    Publishers.Sequence(sequence: sequence.map(transform))
  }

  @inlinable
  public func compactMap<T>(_ transform: (Output) -> T?) -> Publishers.Sequence<[T], Failure> {
    Publishers.Sequence(sequence: sequence.compactMap(transform))
  }

  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Sequence<[T], Failure> where Output == T? {
    map { $0 ?? output }
  }

  @inlinable
  public func scan<T>(_ initialResult: T, _ next: (T, Output) -> T) -> Publishers.Sequence<[T], Failure> {
    var result = initialResult
    return map { element in
      result = next(result, element)
      return result
    }
  }

  @inlinable
  public func filter(_ isIncluded: (Output) -> Bool) -> Publishers.Sequence<[Output], Failure> {
    Publishers.Sequence(sequence: sequence.filter(isIncluded))
  }

  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Publishers.Sequence<DropWhileSequence<Elements>, Failure> {
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
  public func prefix(while predicate: (Output) -> Bool) -> Publishers.Sequence<[Output], Failure> {
    Publishers.Sequence(sequence: sequence.prefix(while: predicate))
  }
}

// MARK: Operators with a single result

extension Publishers.Sequence {
  @inlinable public func ignoreOutput() -> Empty<Output, Failure> { Empty() }
  public func collect() -> Result<[Output], Failure>.Publisher { .init(Array(sequence)) }

  @inlinable
  public func reduce<T>(_ initialResult: T, _ next: (T, Output) -> T) -> Result<T, Failure>.Publisher {
    .init(sequence.reduce(initialResult, next))
  }

  @inlinable
  public func tryReduce<T>(_ initialResult: T, _ next: (T, Output) throws -> T) -> Result<T, any Error>.Publisher {
    Result { try sequence.reduce(initialResult, next) }.publisher
  }

  @inlinable
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(sequence.allSatisfy(predicate))
  }

  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    Result { try sequence.allSatisfy(predicate) }.publisher
  }

  @inlinable
  public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher {
    .init(sequence.contains(where: predicate))
  }

  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    Result { try sequence.contains(where: predicate) }.publisher
  }
}

extension Publishers.Sequence where Output: Equatable {
  @inlinable
  public func removeDuplicates() -> Publishers.Sequence<[Output], Failure> {
    var last: Output?
    return filter { element in
      defer { last = .some(element) }
      return last.map { $0 != element } ?? true
    }
  }

  @inlinable
  public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher { .init(sequence.contains(output)) }
}

extension Publishers.Sequence where Failure == Never {
  @inlinable
  public func setFailureType<E: Error>(to error: E.Type) -> Publishers.Sequence<Elements, E> {
    Publishers.Sequence(sequence: sequence)
  }

  @inlinable
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Output?.Publisher {
    sequence.min(by: areInIncreasingOrder).publisher
  }

  @inlinable
  public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Output?.Publisher {
    sequence.max(by: areInIncreasingOrder).publisher
  }

  @inlinable
  public func first(where predicate: (Output) -> Bool) -> Output?.Publisher {
    sequence.first(where: predicate).publisher
  }
}

extension Publishers.Sequence where Failure == Never, Output: Comparable {
  @inlinable public func min() -> Output?.Publisher { sequence.min().publisher }
  public func max() -> Output?.Publisher { sequence.max().publisher }
}
