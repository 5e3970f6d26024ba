// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Where the operator of a simple publisher is again a simple publisher: the types, and that they hold the right value.
@Suite("API: overloads of simple publishers") struct OverloadsTests {
  typealias Answer<T> = Result<T, Never>.Publisher
  private func absurd(_ never: Never) -> TestError {}
  typealias TryAnswer<T> = Result<T, any Error>.Publisher
  let one = Just(1)

  @Test func `Just: overloads that stay Just`() {
    let map: Just<String> = one.map { "\($0)" }
    let collect: Just<[Int]> = one.collect()
    let count: Just<Int> = one.count()
    let first: Just<Int> = one.first()
    let last: Just<Int> = one.last()
    let empty: Just<Int> = one.replaceEmpty(with: 2)
    let error: Just<Int> = one.replaceError(with: 2)
    let retry: Just<Int> = one.retry(2)
    let duplicates: Just<Int> = one.removeDuplicates()
    let duplicatesBy: Just<Int> = one.removeDuplicates(by: ==)
    let min: Just<Int> = one.min()
    let max: Just<Int> = one.max()
    let minBy: Just<Int> = one.min(by: <)
    let maxBy: Just<Int> = one.max(by: <)
    let contains: Just<Bool> = one.contains(1)
    let containsWhere: Just<Bool> = one.contains { $0 > 1 }
    let all: Just<Bool> = one.allSatisfy { $0 > 0 }
    #expect(map.output == "1")
    #expect(collect.output == [1])
    #expect([count, first, last, empty, error, retry].allSatisfy { $0.output == 1 })
    #expect([duplicates, duplicatesBy, min, max, minBy, maxBy].allSatisfy { $0.output == 1 })
    #expect(contains.output)
    #expect(!containsWhere.output)
    #expect(all.output)
  }

  @Test func `Just: overloads that may leave nothing`() {
    let compact: Optional<Int>.Publisher = one.compactMap { $0 > 1 ? $0 : nil }
    let filter: Optional<Int>.Publisher = one.filter { $0 > 0 }
    let dropFirst: Optional<Int>.Publisher = one.dropFirst()
    let dropWhile: Optional<Int>.Publisher = one.drop { $0 > 1 }
    let firstWhere: Optional<Int>.Publisher = one.first { $0 > 1 }
    let lastWhere: Optional<Int>.Publisher = one.last { $0 > 0 }
    let outputAt: Optional<Int>.Publisher = one.output(at: 0)
    let outputIn: Optional<Int>.Publisher = one.output(in: 1..<2)
    let prefix: Optional<Int>.Publisher = one.prefix(1)
    let prefixWhile: Optional<Int>.Publisher = one.prefix { $0 > 1 }
    #expect([compact, dropFirst, firstWhere, outputIn, prefixWhile].allSatisfy { $0.output == nil })
    #expect([filter, dropWhile, lastWhere, outputAt, prefix].allSatisfy { $0.output == 1 })
  }

  @Test func `Just: overloads that are results, sequences or empty`() {
    let tryMap: TryAnswer<String> = one.tryMap { "\($0)" }
    let tryAll: TryAnswer<Bool> = one.tryAllSatisfy { $0 > 0 }
    let tryContains: TryAnswer<Bool> = one.tryContains { $0 > 0 }
    let mapError: Result<Int, TestError>.Publisher = one.mapError(absurd)
    let failure: Result<Int, TestError>.Publisher = one.setFailureType(to: TestError.self)
    let scan: Answer<Int> = one.scan(1, +)
    let reduce: Answer<Int> = one.reduce(1, +)
    let tryScan: TryAnswer<Int> = one.tryScan(1) { $0 + $1 }
    let tryReduce: TryAnswer<Int> = one.tryReduce(1) { $0 + $1 }
    let tryDuplicates: TryAnswer<Int> = one.tryRemoveDuplicates(by: ==)
    let ignore: Empty<Int, Never> = one.ignoreOutput()
    let prepend: Publishers.Sequence<[Int], Never> = one.prepend(0)
    let prependAll: Publishers.Sequence<[Int], Never> = one.prepend([0])
    let append: Publishers.Sequence<[Int], Never> = one.append(2)
    let appendAll: Publishers.Sequence<[Int], Never> = one.append([2])
    #expect((try? tryMap.result.get()) == "1")
    #expect((try? tryAll.result.get()) == true)
    #expect((try? tryContains.result.get()) == true)
    #expect(mapError.result == .success(1))
    #expect(failure.result == .success(1))
    #expect([scan, reduce].allSatisfy { $0.result == .success(2) })
    #expect([tryScan, tryReduce].allSatisfy { (try? $0.result.get()) == 2 })
    #expect((try? tryDuplicates.result.get()) == 1)
    #expect(ignore.completeImmediately)
    #expect(prepend == prependAll)
    #expect(append == appendAll)
    #expect(prepend.sequence == [0, 1])
    #expect(append.sequence == [1, 2])
  }

  @Test func `Optional.Publisher: overloads`() {
    let some = Optional(2).publisher
    let none = Int?.none.publisher
    let map: Optional<String>.Publisher = some.map { "\($0)" }
    let compact: Optional<Int>.Publisher = some.compactMap { $0 > 2 ? $0 : nil }
    let all: Optional<Bool>.Publisher = some.allSatisfy { $0 > 2 }
    let contains: Optional<Bool>.Publisher = some.contains(2)
    let dropFirst: Optional<Int>.Publisher = some.dropFirst(1)
    let dropWhile: Optional<Int>.Publisher = some.drop { $0 > 1 }
    let first: Optional<Int>.Publisher = some.first()
    let filter: Optional<Int>.Publisher = some.filter { $0 > 2 }
    let min: Optional<Int>.Publisher = some.min()
    let reduce: Optional<Int>.Publisher = some.reduce(1, +)
    let empty: Just<Int> = none.replaceEmpty(with: 3)
    let error: Optional<Int>.Publisher = some.replaceError(with: 3)
    let scan: Optional<Int>.Publisher = some.scan(1, +)
    #expect(map.output == "2")
    #expect(all.output == false)
    #expect(contains.output == true)
    #expect([compact, dropFirst, dropWhile, filter].allSatisfy { $0.output == nil })
    #expect([first, min, error].allSatisfy { $0.output == 2 })
    #expect([reduce, scan].allSatisfy { $0.output == 3 })
    #expect(empty.output == 3)
  }

  @Test func `Result.Publisher: overloads`() {
    let two = Result<Int, TestError>.success(2).publisher
    let bad = Result<Int, TestError>.failure(.oops).publisher
    let map: Result<String, TestError>.Publisher = two.map { "\($0)" }
    let tryMap: TryAnswer<Int> = two.tryMap { $0 + 1 }
    let all: Result<Bool, TestError>.Publisher = two.allSatisfy { $0 > 2 }
    let tryAll: TryAnswer<Bool> = two.tryAllSatisfy { $0 > 2 }
    let collect: Result<[Int], TestError>.Publisher = two.collect()
    let contains: Result<Bool, TestError>.Publisher = two.contains(2)
    let count: Result<Int, TestError>.Publisher = two.count()
    let first: Result<Int, TestError>.Publisher = two.first()
    let last: Result<Int, TestError>.Publisher = bad.last()
    let mapError: Result<Int, Never>.Publisher = Result<Int, Never>.success(1).publisher
    let duplicates: Result<Int, TestError>.Publisher = two.removeDuplicates()
    let empty: Result<Int, TestError>.Publisher = two.replaceEmpty(with: 3)
    let error: Result<Int, Never>.Publisher = bad.replaceError(with: 3)
    let retry: Result<Int, TestError>.Publisher = two.retry(1)
    let scan: Result<Int, TestError>.Publisher = two.scan(1, +)
    let reduce: Result<Int, TestError>.Publisher = two.reduce(1, +)
    let typed: Result<Int, TestError>.Publisher = mapError.setFailureType(to: TestError.self)
    #expect(map.result == .success("2"))
    #expect((try? tryMap.result.get()) == 3)
    #expect(all.result == .success(false))
    #expect((try? tryAll.result.get()) == false)
    #expect(collect.result == .success([2]))
    #expect(contains.result == .success(true))
    #expect(count.result == .success(1))
    #expect([first, duplicates, empty, retry].allSatisfy { $0.result == .success(2) })
    #expect(last.result == .failure(.oops))
    #expect(error.result == .success(3))
    #expect(scan.result == reduce.result)
    #expect(typed.result == .success(1))
  }

  typealias Numbers = Publishers.Sequence<[Int], Never>

  @Test func `Publishers.Sequence: overloads that stay sequences`() {
    let numbers = [1, 2, 3].publisher
    let map: Publishers.Sequence<[String], Never> = numbers.map { "\($0)" }
    let compact: Numbers = numbers.compactMap { $0 > 1 ? $0 : nil }
    let filter: Numbers = numbers.filter { $0 > 1 }
    let dropWhile: Publishers.Sequence<DropWhileSequence<[Int]>, Never> = numbers.drop { $0 < 2 }
    let dropFirst: Publishers.Sequence<DropFirstSequence<[Int]>, Never> = numbers.dropFirst()
    let prefix: Publishers.Sequence<PrefixSequence<[Int]>, Never> = numbers.prefix(2)
    let prefixWhile: Numbers = numbers.prefix { $0 < 3 }
    let output: Numbers = numbers.output(in: 1..<3)
    let scan: Numbers = numbers.scan(0, +)
    let replaceNil: Numbers = [1, nil].publisher.replaceNil(with: 2)
    let duplicates: Numbers = [1, 1].publisher.removeDuplicates()
    let typed: Publishers.Sequence<[Int], TestError> = numbers.setFailureType(to: TestError.self)
    #expect(map.sequence == ["1", "2", "3"])
    #expect([compact, filter, output].allSatisfy { $0.sequence == [2, 3] })
    #expect(Array(dropWhile.sequence) == Array(dropFirst.sequence))
    #expect(Array(prefix.sequence) == prefixWhile.sequence)
    #expect(scan.sequence == [1, 3, 6])
    #expect(replaceNil.sequence == [1, 2])
    #expect(duplicates.sequence == [1])
    #expect(typed.sequence == [1, 2, 3])
  }

  @Test func `Publishers.Sequence: append and prepend`() {
    let numbers = [2].publisher
    let chains: [Numbers] = [
      numbers.prepend(1).append(3), numbers.prepend([1]).append([3]),
      numbers.prepend([1].publisher).append([3].publisher),
    ]
    #expect(chains.allSatisfy { $0.sequence == [1, 2, 3] })
  }

  @Test func `Publishers.Sequence: overloads that are answers`() {
    let numbers = [1, 2, 3].publisher
    let all: Answer<Bool> = numbers.allSatisfy { $0 > 0 }
    let tryAll: TryAnswer<Bool> = numbers.tryAllSatisfy { $0 > 0 }
    let collect: Answer<[Int]> = numbers.collect()
    let containsWhere: Answer<Bool> = numbers.contains { $0 > 2 }
    let tryContains: TryAnswer<Bool> = numbers.tryContains { $0 > 2 }
    let contains: Answer<Bool> = numbers.contains(3)
    let reduce: Answer<Int> = numbers.reduce(0, +)
    let tryReduce: TryAnswer<Int> = numbers.tryReduce(0) { $0 + $1 }
    let min: Optional<Int>.Publisher = numbers.min()
    let max: Optional<Int>.Publisher = numbers.max()
    let minBy: Optional<Int>.Publisher = numbers.min(by: >)
    let maxBy: Optional<Int>.Publisher = numbers.max(by: >)
    let first: Optional<Int>.Publisher = numbers.first()
    let firstWhere: Optional<Int>.Publisher = numbers.first { $0 > 1 }
    let last: Optional<Int>.Publisher = numbers.last()
    let lastWhere: Optional<Int>.Publisher = numbers.last { $0 < 3 }
    let outputAt: Optional<Int>.Publisher = numbers.output(at: 1)
    let count: Just<Int> = numbers.count()
    let ignore: Empty<Int, Never> = numbers.ignoreOutput()
    #expect([all, containsWhere, contains].allSatisfy { $0.result == .success(true) })
    #expect([tryAll, tryContains].allSatisfy { (try? $0.result.get()) == true })
    #expect(collect.result == .success([1, 2, 3]))
    #expect(reduce.result == .success(6))
    #expect((try? tryReduce.result.get()) == 6)
    #expect([min, maxBy, first].allSatisfy { $0.output == 1 })
    #expect([max, minBy, last].allSatisfy { $0.output == 3 })
    #expect([firstWhere, lastWhere, outputAt].allSatisfy { $0.output == 2 })
    #expect(count.output == 3)
    #expect(ignore.completeImmediately)
  }

  @Test func `AnyPublisher, Empty and Fail are made by their short forms`() {
    let any = AnyPublisher<Int, Never>(Just(1))
    #expect(any.record().values == [1])
    #expect("\(any)" == "AnyPublisher")
    let fail = Fail<Int, TestError>(error: .oops)
    #expect(fail.record().completion == .failure(.oops))
    let empty: Empty<Int, TestError> = Empty()
    #expect(empty.record().completion == .finished)
  }
}
