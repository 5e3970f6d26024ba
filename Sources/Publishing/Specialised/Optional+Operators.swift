// SPDX-License-Identifier: Apache-2.0
extension Optional.Publisher where Wrapped: Comparable {
  @inlinable public func min() -> Self { self }
  public func max() -> Self { self }
}

extension Optional.Publisher where Wrapped: Equatable {
  @inlinable public func contains(_ output: Wrapped) -> Bool?.Publisher { contains { $0 == output } }
  public func removeDuplicates() -> Self { self }
}

// MARK: Operators that keep or remove the value

extension Optional.Publisher {
  @inlinable
  public func filter(_ isIncluded: (Wrapped) -> Bool) -> Self {
    Self(output.flatMap { isIncluded($0) ? .some($0) : nil })
  }

  @inlinable public func first(where predicate: (Wrapped) -> Bool) -> Self { filter(predicate) }
  public func last(where predicate: (Wrapped) -> Bool) -> Self { filter(predicate) }
  @inlinable public func prefix(while predicate: (Wrapped) -> Bool) -> Self { filter(predicate) }
  public func drop(while predicate: (Wrapped) -> Bool) -> Self { filter { !predicate($0) } }

  @inlinable
  public func dropFirst(_ count: Int = 1) -> Self {
    precondition(count >= 0, "count must not be negative")
    return Self(count > 0 ? nil : output)
  }

  @inlinable
  public func output(at index: Int) -> Self {
    precondition(index >= 0, "index must not be negative")
    return Self(index == 0 ? output : nil)
  }

  @inlinable
  public func output<R: RangeExpression<Int>>(in range: R) -> Self { Self(positions(range).contains(0) ? output : nil) }

  @inlinable
  public func prefix(_ maxLength: Int) -> Self {
    precondition(maxLength >= 0, "length must not be negative")
    return output(in: ..<maxLength)
  }

  @inlinable public func min(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Self { self }
  public func max(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Self { self }
  @inlinable public func removeDuplicates(by predicate: (Wrapped, Wrapped) -> Bool) -> Self { self }
  public func first() -> Self { self }
  @inlinable public func last() -> Self { self }
  public func replaceError(with output: Wrapped) -> Self { self }
  @inlinable public func retry(_ times: Int) -> Self { self }
}

// MARK: Operators that change the value

extension Optional.Publisher {
  @inlinable public func map<T>(_ transform: (Wrapped) -> T) -> T?.Publisher { .init(output.map(transform)) }
  public func compactMap<T>(_ transform: (Wrapped) -> T?) -> T?.Publisher { .init(output.flatMap(transform)) }
  @inlinable public func collect() -> [Wrapped]?.Publisher { .init(output.map { [$0] } ?? []) }
  public func count() -> Int?.Publisher { map { _ in 1 } }
  @inlinable public func ignoreOutput() -> Empty<Wrapped, Never> { Empty() }
  public func allSatisfy(_ predicate: (Wrapped) -> Bool) -> Bool?.Publisher { map(predicate) }
  @inlinable public func contains(where predicate: (Wrapped) -> Bool) -> Bool?.Publisher { map(predicate) }
  public func reduce<T>(_ initialResult: T, _ next: (T, Wrapped) -> T) -> T?.Publisher {
    map { next(initialResult, $0) }
  }
  @inlinable
  public func scan<T>(_ initialResult: T, _ next: (T, Wrapped) -> T) -> T?.Publisher { map { next(initialResult, $0) } }
  @inlinable public func replaceEmpty(with output: Wrapped) -> Just<Wrapped> { Just(self.output ?? output) }
}
