// SPDX-License-Identifier: Apache-2.0
extension Optional.Publisher where Wrapped: Comparable {
  /// The value itself.
  public func min() -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value itself.
  public func max() -> Optional<Wrapped>.Publisher {
    self
  }
}

extension Optional.Publisher where Wrapped: Equatable {
  /// Whether the value is the one looked for; nothing if there is none.
  public func contains(_ output: Wrapped) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(self.output.map { $0 == output })
  }

  /// The value itself, since there is no other.
  public func removeDuplicates() -> Optional<Wrapped>.Publisher {
    self
  }
}

// MARK: Of the value itself

extension Optional.Publisher {
  /// The value transformed.
  public func map<T>(_ transform: (Wrapped) -> T) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map(transform))
  }

  /// The value transformed, unless that is `nil`.
  public func compactMap<T>(_ transform: (Wrapped) -> T?) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.flatMap(transform))
  }

  /// The value if it is let through.
  public func filter(_ isIncluded: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    Optional<Wrapped>.Publisher(output.flatMap { isIncluded($0) ? .some($0) : nil })
  }

  /// The value as the only one of an array, or an empty array.
  public func collect() -> Optional<[Wrapped]>.Publisher {
    Optional<[Wrapped]>.Publisher(output.map { [$0] } ?? [])
  }

  /// One; nothing if there is no value.
  public func count() -> Optional<Int>.Publisher {
    Optional<Int>.Publisher(output.map { _ in 1 })
  }

  /// Nothing but the end.
  public func ignoreOutput() -> Empty<Wrapped, Never> {
    Empty()
  }

  /// Whether a condition holds for the value; nothing if there is none.
  public func allSatisfy(_ predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate))
  }

  /// Whether a condition holds for the value; nothing if there is none.
  public func contains(where predicate: (Wrapped) -> Bool) -> Optional<Bool>.Publisher {
    Optional<Bool>.Publisher(output.map(predicate))
  }

  /// The value itself.
  public func min(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value itself.
  public func max(by areInIncreasingOrder: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value itself, since there is no other.
  public func removeDuplicates(by predicate: (Wrapped, Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    self
  }
}

// MARK: By position

extension Optional.Publisher {
  /// The value itself.
  public func first() -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value if a condition holds for it.
  public func first(where predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    filter(predicate)
  }

  /// The value itself.
  public func last() -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value if a condition holds for it.
  public func last(where predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    filter(predicate)
  }

  /// The value if none is dropped.
  public func dropFirst(_ count: Int = 1) -> Optional<Wrapped>.Publisher {
    precondition(count >= 0, "count must not be negative")
    return Optional<Wrapped>.Publisher(count > 0 ? nil : output)
  }

  /// The value if a condition does not hold for it.
  public func drop(while predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    filter { !predicate($0) }
  }

  /// The value if it is at the position.
  public func output(at index: Int) -> Optional<Wrapped>.Publisher {
    precondition(index >= 0, "index must not be negative")
    return Optional<Wrapped>.Publisher(index == 0 ? output : nil)
  }

  /// The value if it is at one of the positions.
  public func output<R: RangeExpression>(in range: R) -> Optional<Wrapped>.Publisher where R.Bound == Int {
    let positions = range.relative(to: 0..<Int.max)
    precondition(positions.lowerBound >= 0, "positions must not be negative")
    return Optional<Wrapped>.Publisher(positions.contains(0) ? output : nil)
  }

  /// The value if any is wanted.
  public func prefix(_ maxLength: Int) -> Optional<Wrapped>.Publisher {
    precondition(maxLength >= 0, "length must not be negative")
    return Optional<Wrapped>.Publisher(maxLength > 0 ? output : nil)
  }

  /// The value if a condition holds for it.
  public func prefix(while predicate: (Wrapped) -> Bool) -> Optional<Wrapped>.Publisher {
    filter(predicate)
  }
}

// MARK: Of the value and a start, and of errors

extension Optional.Publisher {
  /// The start combined with the value; nothing if there is none.
  public func reduce<T>(
    _ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T
  ) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map { nextPartialResult(initialResult, $0) })
  }

  /// The start combined with the value; nothing if there is none.
  public func scan<T>(
    _ initialResult: T, _ nextPartialResult: (T, Wrapped) -> T
  ) -> Optional<T>.Publisher {
    Optional<T>.Publisher(output.map { nextPartialResult(initialResult, $0) })
  }

  /// The value itself, since nothing fails.
  public func replaceError(with output: Wrapped) -> Optional<Wrapped>.Publisher {
    self
  }

  /// The value, or the one given if there is none.
  public func replaceEmpty(with output: Wrapped) -> Just<Wrapped> {
    Just(self.output ?? output)
  }

  /// The value itself, since nothing fails.
  public func retry(_ times: Int) -> Optional<Wrapped>.Publisher {
    self
  }
}
