// SPDX-License-Identifier: Apache-2.0
extension Result.Publisher where Success: Comparable {
  /// The value itself.
  public func min() -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value itself.
  public func max() -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher where Success: Equatable {
  /// Whether the value is the one looked for.
  public func contains(_ output: Success) -> Result<Bool, Failure>.Publisher {
    Result<Bool, Failure>.Publisher(result.map { $0 == output })
  }

  /// The value itself, since there is no other.
  public func removeDuplicates() -> Result<Success, Failure>.Publisher {
    self
  }
}

// MARK: Of the value itself

extension Result.Publisher {
  /// The value transformed.
  public func map<T>(_ transform: (Success) -> T) -> Result<T, Failure>.Publisher {
    result.map(transform).publisher
  }

  /// The value transformed, or the error that is thrown.
  public func tryMap<T>(_ transform: (Success) throws -> T) -> Result<T, any Error>.Publisher {
    result.tryMap(transform).publisher
  }

  /// The value as the only one of an array.
  public func collect() -> Result<[Success], Failure>.Publisher {
    result.map { [$0] }.publisher
  }

  /// One.
  public func count() -> Result<Int, Failure>.Publisher {
    result.map { _ in 1 }.publisher
  }

  /// Nothing but the end, which is a normal one even if the result is a failure.
  public func ignoreOutput() -> Empty<Success, Failure> {
    Empty()
  }

  /// The value itself.
  public func first() -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value itself.
  public func last() -> Result<Success, Failure>.Publisher {
    self
  }

  /// Whether a condition holds for the value.
  public func allSatisfy(_ predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher {
    result.map(predicate).publisher
  }

  /// Whether a condition holds for the value, or the error that is thrown.
  public func tryAllSatisfy(_ predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    result.tryMap(predicate).publisher
  }

  /// Whether a condition holds for the value.
  public func contains(where predicate: (Success) -> Bool) -> Result<Bool, Failure>.Publisher {
    result.map(predicate).publisher
  }

  /// Whether a condition holds for the value, or the error that is thrown.
  public func tryContains(where predicate: (Success) throws -> Bool) -> Result<Bool, any Error>.Publisher {
    result.tryMap(predicate).publisher
  }

  /// The value itself.
  public func min(by areInIncreasingOrder: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value itself.
  public func tryMin(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    result.mapError { $0 as any Error }.publisher
  }

  /// The value itself.
  public func max(by areInIncreasingOrder: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value itself.
  public func tryMax(
    by areInIncreasingOrder: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    result.mapError { $0 as any Error }.publisher
  }

  /// The value itself, since there is no other.
  public func removeDuplicates(by predicate: (Success, Success) -> Bool) -> Result<Success, Failure>.Publisher {
    self
  }

  /// The value itself, since there is no other.
  public func tryRemoveDuplicates(
    by predicate: (Success, Success) throws -> Bool
  ) -> Result<Success, any Error>.Publisher {
    result.mapError { $0 as any Error }.publisher
  }
}

// MARK: Of the value and a start, and of errors

extension Result.Publisher {
  /// The start combined with the value.
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) -> T
  ) -> Result<T, Failure>.Publisher {
    result.map { nextPartialResult(initialResult, $0) }.publisher
  }

  /// The start combined with the value, or the error that is thrown.
  public func tryReduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    result.tryMap { try nextPartialResult(initialResult, $0) }.publisher
  }

  /// The start combined with the value.
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) -> T
  ) -> Result<T, Failure>.Publisher {
    result.map { nextPartialResult(initialResult, $0) }.publisher
  }

  /// The start combined with the value, or the error that is thrown.
  public func tryScan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Success) throws -> T
  ) -> Result<T, any Error>.Publisher {
    result.tryMap { try nextPartialResult(initialResult, $0) }.publisher
  }

  /// The value, or another error.
  public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
    result.mapError(transform).publisher
  }

  /// The value, or the one given instead of the error.
  public func replaceError(with output: Success) -> Result<Success, Never>.Publisher {
    switch result {
    case .success(let value): Result<Success, Never>.Publisher(value)
    case .failure: Result<Success, Never>.Publisher(output)
    }
  }

  /// The value itself, since there is one.
  public func replaceEmpty(with output: Success) -> Result<Success, Failure>.Publisher {
    self
  }

  /// The result itself, since it would be the same again.
  public func retry(_ times: Int) -> Result<Success, Failure>.Publisher {
    self
  }
}

extension Result.Publisher where Failure == Never {
  /// The value, from a publisher that could fail as far as its type tells.
  public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher {
    Result<Success, E>.Publisher(result.get())
  }
}

extension Result {
  /// The value transformed, or the error that there is or that is thrown.
  fileprivate func tryMap<T>(_ transform: (Success) throws -> T) -> Result<T, any Error> {
    switch self {
    case .success(let value): Result<T, any Error> { try transform(value) }
    case .failure(let error): .failure(error)
    }
  }
}
