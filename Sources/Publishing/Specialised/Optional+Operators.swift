// SPDX-License-Identifier: Apache-2.0
extension Optional.Publisher where Wrapped: Comparable {
  public func min() -> Self { self }
  public func max() -> Self { self }
}

extension Optional.Publisher where Wrapped: Equatable {
  public func contains(_ output: Wrapped) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(self.output.map { $0 == output })
  }

  public func removeDuplicates() -> Self { self }
}

// MARK: Operators on the value itself

extension Optional.Publisher {
  public func map<T>(_ transform: (Wrapped) -> T) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map(transform))
  }

  public func compactMap<T>(_ transform: (Wrapped) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.flatMap(transform))
  }

  public func filter(_ isIncluded: (Wrapped) -> Bool) -> Self {
    Self(output.flatMap { isIncluded($0) ? .some($0) : nil })
  }

  public func collect() -> Optional<[Wrapped]>.Publisher { Optional<[Wrapped]>.Publisher(output.map { [$0] } ?? []) }
  public func count() -> Optional<Int>.Publisher { Optional<Int>.Publisher(output.map { _ in 1 }) }
  public func ignoreOutput() -> Empty<Wrapped, Never> { Empty() }

  public func allSatisfy(_ predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate))
  }

  public func contains(where predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate))
  }

  public func min(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Self { self }
  public func max(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Self { self }
  public func removeDuplicates(by predicate: (Wrapped, Wrapped) -> Bool) -> Self { self }
}

// MARK: Operators by position

extension Optional.Publisher {
  public func first() -> Self { self }
  public func first(where predicate: (Wrapped) -> Bool) -> Self { filter(predicate) }
  public func last() -> Self { self }
  public func last(where predicate: (Wrapped) -> Bool) -> Self { filter(predicate) }

  public func dropFirst(_ count: Int = 1) -> Self {
    precondition(count >= 0, "count must not be negative")
    return Self(count > 0 ? nil : output)
  }

  public func drop(while predicate: (Wrapped) -> Bool) -> Self { filter { !predicate($0) } }

  public func output(at index: Int) -> Self {
    precondition(index >= 0, "index must not be negative")
    return Self(index == 0 ? output : nil)
  }

  public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher where R.Bound == Int {
    let positions = range.relative(to: 0..<Int.max)
    precondition(positions.lowerBound >= 0, "positions must not be negative")
    return Self(positions.contains(0) ? output : nil)
  }

  public func prefix(_ maxLength: Int) -> Self {
    precondition(maxLength >= 0, "length must not be negative")
    return Self(maxLength > 0 ? output : nil)
  }

  public func prefix(while predicate: (Wrapped) -> Bool) -> Self { filter(predicate) }
}

// MARK: Reductions and error handling

extension Optional.Publisher {
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T
  ) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map { nextPartialResult(initialResult, $0) })
  }

  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T
  ) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map { nextPartialResult(initialResult, $0) })
  }

  public func replaceError(with output: Wrapped) -> Self { self }
  public func replaceEmpty(with output: Wrapped) -> Just<Wrapped> { Just(self.output ?? output) }
  public func retry(_ times: Int) -> Self { self }
}
