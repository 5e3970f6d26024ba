// SPDX-License-Identifier: Apache-2.0
extension Result.Publisher where Success: Comparable {
  public func min() -> Self { self }
  public func max() -> Self { self }
}

extension Result.Publisher where Success: Equatable {
  public func contains(_ output: Success) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(result.map { $0 == output })
  }

  public func removeDuplicates() -> Self { self }
}

// MARK: Operators on the value itself

extension Result.Publisher {
  public func map<T>(_ transform: (Success) -> T) -> Result<T, Failure>.Publisher { result.map(transform).publisher }

  public func tryMap<T>(_ transform: (Success) throws -> T) -> Result<T, any Error>.Publisher {
    result.tryMap(transform).publisher
  }

  public func collect() -> Result<[Success], Failure>.Publisher { result.map { [$0] }.publisher }
  public func count() -> Result<Int, Failure>.Publisher { result.map { _ in 1 }.publisher }
  public func ignoreOutput() -> Empty<Success, Failure> { Empty() }
  public func first() -> Self { self }
  public func last() -> Self { self }

  public func allSatisfy(_ predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher {
    result.map(predicate).publisher
  }

  public func tryAllSatisfy(_ predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    result.tryMap(predicate).publisher
  }

  public func contains(where predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher {
    result.map(predicate).publisher
  }

  public func tryContains(where predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    result.tryMap(predicate).publisher
  }

  public func min(by areInIncreasingOrder: (Success, Success) -> Bool) -> Self { self }

  public func tryMin(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    result.mapError { $0 as any Error }.publisher
  }

  public func max(by areInIncreasingOrder: (Success, Success) -> Bool) -> Self { self }

  public func tryMax(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    result.mapError { $0 as any Error }.publisher
  }

  public func removeDuplicates(by predicate: (Success, Success) -> Bool) -> Self { self }

  public func tryRemoveDuplicates(
    by predicate: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    result.mapError { $0 as any Error }.publisher
  }
}

// MARK: Reductions and error handling

extension Result.Publisher {
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) -> T
  ) -> Result<T, Failure>.Publisher {
    result.map { nextPartialResult(initialResult, $0) }.publisher
  }

  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    result.tryMap { try nextPartialResult(initialResult, $0) }.publisher
  }

  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) -> T
  ) -> Result<T, Failure>.Publisher {
    result.map { nextPartialResult(initialResult, $0) }.publisher
  }

  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    result.tryMap { try nextPartialResult(initialResult, $0) }.publisher
  }

  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
    result.mapError(transform).publisher
  }

  public func replaceError(with output: Success) -> Result<Success, Never>.Publisher {
    switch result {
    case .success(let value): Result<Success, Never>.Publisher(value)
    case .failure: Result<Success, Never>.Publisher(output)
    }
  }

  public func replaceEmpty(with output: Success) -> Self { self }
  public func retry(_ times: Int) -> Self { self }
}

extension Result.Publisher where Failure == Never {
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher {
    Result<Success, E>.Publisher(result.get())
  }
}

extension Result {
  fileprivate func tryMap<T>(_ transform: (Success) throws -> T) -> Result<T, any Error> {
    switch self {
    case .success(let value): Result<T, any Error> { try transform(value) }
    case .failure(let error): .failure(error)
    }
  }
}
