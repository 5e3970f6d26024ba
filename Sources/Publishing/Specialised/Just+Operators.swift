// SPDX-License-Identifier: Apache-2.0
extension Just where Output: Comparable {
  @inlinable public func min() -> Self { self }
  public func max() -> Self { self }
}

extension Just where Output: Equatable {
  @inlinable public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }
  public func removeDuplicates() -> Self { self }
}

// MARK: Operators that always leave one value

extension Just {
  @inlinable public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }
  public func collect() -> Just<[Output]> { Just<[Output]>([output]) }
  @inlinable public func count() -> Just<Int> { Just<Int>(1) }
  public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }
  @inlinable public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }
  public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Self { self }
  @inlinable public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Self { self }
  public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Self { self }
  @inlinable public func first() -> Self { self }
  public func last() -> Self { self }
  @inlinable public func replaceError(with output: Output) -> Self { self }
  public func replaceEmpty(with output: Output) -> Self { self }
  @inlinable public func retry(_ times: Int) -> Self { self }
}

// MARK: Operators that may leave nothing: those of an optional

extension Just {
  @inlinable var optional: Output?.Publisher { .init(output) }

  @inlinable public func ignoreOutput() -> Empty<Output, Never> { Empty() }
  public func compactMap<T>(_ transform: (Output) -> T?) -> T?.Publisher { optional.compactMap(transform) }
  @inlinable public func filter(_ isIncluded: (Output) -> Bool) -> Output?.Publisher { optional.filter(isIncluded) }
  public func first(where predicate: (Output) -> Bool) -> Output?.Publisher { filter(predicate) }
  @inlinable public func last(where predicate: (Output) -> Bool) -> Output?.Publisher { filter(predicate) }
  public func dropFirst(_ count: Int = 1) -> Output?.Publisher { optional.dropFirst(count) }
  @inlinable
  public func drop(while predicate: (Output) -> Bool) -> Output?.Publisher { optional.drop(while: predicate) }
  @inlinable public func output(at index: Int) -> Output?.Publisher { optional.output(at: index) }
  public func output<R: RangeExpression<Int>>(in range: R) -> Output?.Publisher { optional.output(in: range) }
  @inlinable public func prefix(_ maxLength: Int) -> Output?.Publisher { optional.prefix(maxLength) }
  public func prefix(while predicate: (Output) -> Bool) -> Output?.Publisher { filter(predicate) }
}

// MARK: Operators that may fail, and folds: those of a result

extension Just {
  @inlinable var success: Result<Output, Never>.Publisher { .init(output) }

  @inlinable
  public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
    success.tryMap(transform)
  }

  @inlinable
  public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    success.tryAllSatisfy(predicate)
  }

  @inlinable
  public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    success.tryContains(where: predicate)
  }

  @inlinable
  public func tryRemoveDuplicates(by predicate: (Output, Output) throws -> Bool) -> Result<Output, any Error>.Publisher
  {
    success.tryRemoveDuplicates(by: predicate)
  }

  @inlinable
  public func tryMin(by order: (Output, Output) throws -> Bool) -> Result<Output, any Error>.Publisher {
    success.tryMin(by: order)
  }

  @inlinable
  public func tryMax(by order: (Output, Output) throws -> Bool) -> Result<Output, any Error>.Publisher {
    success.tryMax(by: order)
  }

  @inlinable
  public func reduce<T>(_ initialResult: T, _ next: (T, Output) -> T) -> Result<T, Never>.Publisher {
    success.reduce(initialResult, next)
  }

  @inlinable
  public func tryReduce<T>(_ initialResult: T, _ next: (T, Output) throws -> T) -> Result<T, any Error>.Publisher {
    success.tryReduce(initialResult, next)
  }

  @inlinable
  public func scan<T>(_ initialResult: T, _ next: (T, Output) -> T) -> Result<T, Never>.Publisher {
    success.scan(initialResult, next)
  }

  @inlinable
  public func tryScan<T>(_ initialResult: T, _ next: (T, Output) throws -> T) -> Result<T, any Error>.Publisher {
    success.tryScan(initialResult, next)
  }

  @inlinable public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher { .init(output) }
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher { .init(output) }
}

// MARK: Operators that add values

extension Just {
  @inlinable public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }
  public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

  @inlinable
  public func prepend<S: Swift.Sequence<Output>>(_ elements: S) -> Publishers.Sequence<[Output], Never> {
    Publishers.Sequence(sequence: elements + [output])
  }

  @inlinable
  public func append<S: Swift.Sequence<Output>>(_ elements: S) -> Publishers.Sequence<[Output], Never> {
    Publishers.Sequence(sequence: [output] + elements)
  }
}
