// SPDX-License-Identifier: Apache-2.0
extension Result.Publisher where Success: Comparable {
  @inlinable public func min() -> Self { self }
  public func max() -> Self { self }
}

extension Result.Publisher where Success: Equatable {
  @inlinable public func contains(_ output: Success) -> Result<Bool, Failure>.Publisher { contains { $0 == output } }
  public func removeDuplicates() -> Self { self }
}

// MARK: Operators that leave the result as it is

extension Result.Publisher {
  @inlinable public func first() -> Self { self }
  public func last() -> Self { self }
  @inlinable public func min(by areInIncreasingOrder: (Success, Success) -> Bool) -> Self { self }
  public func max(by areInIncreasingOrder: (Success, Success) -> Bool) -> Self { self }
  @inlinable public func removeDuplicates(by predicate: (Success, Success) -> Bool) -> Self { self }
  public func replaceEmpty(with output: Success) -> Self { self }
  @inlinable public func retry(_ times: Int) -> Self { self }
}

// MARK: Operators that change the value or the failure

extension Result.Publisher {
  @inlinable
  public func map<T>(_ transform: (Success) -> T) -> Result<T, Failure>.Publisher { result.map(transform).publisher }
  @inlinable public func collect() -> Result<[Success], Failure>.Publisher { map { [$0] } }
  public func count() -> Result<Int, Failure>.Publisher { map { _ in 1 } }
  @inlinable
  public func allSatisfy(_ predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }
  @inlinable
  public func contains(where predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }

  @inlinable
  public func reduce<T>(_ initialResult: T, _ next: (T, Success) -> T) -> Result<T, Failure>.Publisher {
    map { next(initialResult, $0) }
  }

  @inlinable
  public func scan<T>(_ initialResult: T, _ next: (T, Success) -> T) -> Result<T, Failure>.Publisher {
    map { next(initialResult, $0) }
  }

  @inlinable
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
    result.mapError(transform).publisher
  }

  @inlinable
  public func replaceError(with output: Success) -> Result<Success, Never>.Publisher {
    switch result {
    case .success(let value): .init(value)
    case .failure: .init(output)
    }
  }
}

// MARK: Operators whose closure may throw

extension Result.Publisher {
  @inlinable
  public func tryMap<T>(_ transform: (Success) throws -> T) -> Result<T, any Error>.Publisher {
    Result<T, any Error> { try transform(result.get()) }.publisher
  }

  @inlinable
  public func tryAllSatisfy(_ predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  @inlinable
  public func tryContains(where predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    tryMap(predicate)
  }

  @inlinable
  public func tryReduce<T>(_ initialResult: T, _ next: (T, Success) throws -> T) -> Result<T, any Error>.Publisher {
    tryMap { try next(initialResult, $0) }
  }

  @inlinable
  public func tryScan<T>(_ initialResult: T, _ next: (T, Success) throws -> T) -> Result<T, any Error>.Publisher {
    tryMap { try next(initialResult, $0) }
  }
}

// With one value there is nothing to compare. The closure is called all the same, with the value twice: it may throw.

extension Result.Publisher {
  @inlinable
  public func tryMin(by order: (Success, Success) throws -> Bool) -> Result<Success, any Error>.Publisher {
    tryRemoveDuplicates(by: order)
  }

  @inlinable
  public func tryMax(by order: (Success, Success) throws -> Bool) -> Result<Success, any Error>.Publisher {
    tryRemoveDuplicates(by: order)
  }

  @inlinable
  public func tryRemoveDuplicates(by predicate: (Success, Success) throws -> Bool)
    -> Result<Success, any Error>.Publisher
  {
    tryMap {
      _ = try predicate($0, $0)
      return $0
    }
  }
}

extension Result.Publisher where Failure == Never {
  @inlinable
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher { .init(result.get()) }
}
