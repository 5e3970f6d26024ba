// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Operators of simple publishers that return simple publishers. Each line compares with a publisher of the
/// type that Combine returns, so that it does not compile if the type differs.
@Suite("API: overloads of simple publishers") struct OverloadsTests {
  typealias Answer<T> = Result<T, Never>.Publisher
  typealias Outcome<T> = Result<T, TestError>.Publisher
  typealias Numbers = Publishers.Sequence<[Int], Never>

  let one = Just(1)
  let numbers = [1, 2, 3].publisher

  private func absurd(_ never: Never) -> TestError {}

  /// The value of a publisher that can fail with any error.
  private func value<T>(_ publisher: Result<T, any Error>.Publisher) throws -> T { try publisher.result.get() }

  @Test func `operators of Just that preserve its single value return Just`() {
    #expect(one.map { "\($0)" } == Just("1"))
    #expect(one.collect() == Just([1]))
    #expect(one.contains(1) == Just(true))
    #expect(one.contains { $0 > 1 } == Just(false))
    #expect(one.allSatisfy { $0 > 0 } == Just(true))
    let same: [Just<Int>] = [
      one.count(), one.first(), one.last(), one.replaceEmpty(with: 2), one.replaceError(with: 2), one.retry(2),
      one.removeDuplicates(), one.removeDuplicates(by: ==), one.min(), one.max(), one.min(by: <), one.max(by: <),
    ]
    #expect(same.allSatisfy { $0 == one })
  }

  @Test func `operators of Just that may drop its value return Optional.Publisher`() {
    let nothing: [Int?.Publisher] = [
      one.compactMap { $0 > 1 ? $0 : nil }, one.dropFirst(), one.first { $0 > 1 }, one.output(in: 1..<2),
      one.prefix { $0 > 1 },
    ]
    #expect(nothing.allSatisfy { $0.output == nil })
    let same: [Int?.Publisher] = [
      one.filter { $0 > 0 }, one.drop { $0 > 1 }, one.last { $0 > 0 }, one.output(at: 0), one.prefix(1),
    ]
    #expect(same.allSatisfy { $0.output == 1 })
  }

  @Test func `tryMin, tryMax and tryRemoveDuplicates call their closure even for a single value`() throws {
    func throwing(_: Int, _: Int) throws -> Bool { throw TestError.oops }
    let result = Result<Int, TestError>.success(1).publisher
    #expect(one.tryMin(by: throwing).record().trace.text == "fail")
    #expect(one.tryMax(by: throwing).record().trace.text == "fail")
    #expect(one.tryRemoveDuplicates(by: throwing).record().trace.text == "fail")
    #expect(result.tryMin(by: throwing).record().trace.text == "fail")
    #expect(result.tryMax(by: throwing).record().trace.text == "fail")
    #expect(result.tryRemoveDuplicates(by: throwing).record().trace.text == "fail")
    #expect(try value(one.tryMin(by: <)) == 1)
  }

  @Test func `ignoreOutput passes on the failure of a Result.Publisher`() {
    #expect(Result<Int, TestError>.failure(.oops).publisher.ignoreOutput().record().trace.text == "fail")
  }

  @Test func `other operators of Just return Result.Publisher, a sequence or Empty`() throws {
    #expect(try value(one.tryMap { "\($0)" }) == "1")
    #expect(try value(one.tryAllSatisfy { $0 > 0 }))
    #expect(try value(one.tryContains { $0 > 0 }))
    #expect(try value(one.tryScan(1) { $0 + $1 }) == 2)
    #expect(try value(one.tryReduce(1) { $0 + $1 }) == 2)
    #expect(try value(one.tryRemoveDuplicates(by: ==)) == 1)
    #expect(one.mapError(absurd) == Outcome(1))
    #expect(one.setFailureType(to: TestError.self) == Outcome(1))
    #expect(one.scan(1, +) == Answer(2))
    #expect(one.reduce(1, +) == Answer(2))
    #expect(one.ignoreOutput() == Empty<Int, Never>())
    #expect(one.prepend(0) == Numbers(sequence: [0, 1]))
    #expect(one.prepend([0]) == Numbers(sequence: [0, 1]))
    #expect(one.append(2) == Numbers(sequence: [1, 2]))
    #expect(one.append([2]) == Numbers(sequence: [1, 2]))
  }

  @Test func `operators of Optional.Publisher return the same types as Combine's`() {
    let some = Optional(2).publisher
    #expect(some.map { "\($0)" } == String?.Publisher("2"))
    #expect(some.allSatisfy { $0 > 2 } == Bool?.Publisher(false))
    #expect(some.contains(2) == Bool?.Publisher(true))
    let nothing: [Int?.Publisher] = [
      some.compactMap { $0 > 2 ? $0 : nil }, some.dropFirst(1), some.drop { $0 > 1 }, some.filter { $0 > 2 },
    ]
    #expect(nothing.allSatisfy { $0.output == nil })
    #expect([some.first(), some.min(), some.replaceError(with: 3)].allSatisfy { $0 == some })
    #expect([some.reduce(1, +), some.scan(1, +)].allSatisfy { $0 == Int?.Publisher(3) })
    #expect(Int?.none.publisher.replaceEmpty(with: 3) == Just(3))
  }

  @Test func `operators of Result.Publisher return the same types as Combine's`() throws {
    let two = Outcome(2)
    let bad = Outcome<Int>(.oops)
    #expect(two.map { "\($0)" } == Outcome("2"))
    #expect(try value(two.tryMap { $0 + 1 }) == 3)
    #expect(two.allSatisfy { $0 > 2 } == Outcome(false))
    #expect(try value(two.tryAllSatisfy { $0 > 2 }) == false)
    #expect(two.collect() == Outcome([2]))
    #expect(two.contains(2) == Outcome(true))
    #expect(two.count() == Outcome(1))
    #expect([two.first(), two.removeDuplicates(), two.replaceEmpty(with: 3), two.retry(1)].allSatisfy { $0 == two })
    #expect(bad.last() == bad)
    #expect(bad.replaceError(with: 3) == Answer(3))
    #expect(Result<Int?, TestError>.Publisher(nil).replaceError(with: 3) == Answer<Int?>(nil))
    #expect([two.scan(1, +), two.reduce(1, +)].allSatisfy { $0 == Outcome(3) })
    #expect(Answer(1).setFailureType(to: TestError.self) == Outcome(1))
  }

  @Test func `operators of Publishers.Sequence that select or transform values return sequences`() {
    #expect(numbers.map { "\($0)" } == Publishers.Sequence(sequence: ["1", "2", "3"]))
    let dropWhile: Publishers.Sequence<DropWhileSequence<[Int]>, Never> = numbers.drop { $0 < 2 }
    let dropFirst: Publishers.Sequence<DropFirstSequence<[Int]>, Never> = numbers.dropFirst()
    let prefix: Publishers.Sequence<PrefixSequence<[Int]>, Never> = numbers.prefix(2)
    #expect(Array(dropWhile.sequence) == Array(dropFirst.sequence))
    #expect(numbers.prefix { $0 < 3 } == Numbers(sequence: Array(prefix.sequence)))
    let last: [Numbers] = [
      numbers.compactMap { $0 > 1 ? $0 : nil }, numbers.filter { $0 > 1 }, numbers.output(in: 1..<3),
    ]
    #expect(last.allSatisfy { $0.sequence == [2, 3] })
    #expect(numbers.scan(0, +) == Numbers(sequence: [1, 3, 6]))
    #expect([1, nil].publisher.replaceNil(with: 2) == Numbers(sequence: [1, 2]))
    #expect([1, 1].publisher.removeDuplicates() == Numbers(sequence: [1]))
    #expect(numbers.setFailureType(to: TestError.self) == Publishers.Sequence<[Int], TestError>(sequence: [1, 2, 3]))
    let two = [2].publisher
    let chains: [Numbers] = [
      two.prepend(1).append(3), two.prepend([1]).append([3]), two.prepend([1].publisher).append([3].publisher),
    ]
    #expect(chains.allSatisfy { $0 == numbers })
  }

  @Test func `operators of Publishers.Sequence with a single result return Just, an optional or a Result`() throws {
    let yes: [Answer<Bool>] = [
      numbers.allSatisfy { $0 > 0 }, numbers.contains { $0 > 2 }, numbers.contains(3),
    ]
    #expect(yes.allSatisfy { $0 == Answer(true) })
    #expect(try value(numbers.tryAllSatisfy { $0 > 0 }))
    #expect(try value(numbers.tryContains { $0 > 2 }))
    #expect(try value(numbers.tryReduce(0) { $0 + $1 }) == 6)
    #expect(numbers.collect() == Answer([1, 2, 3]))
    #expect(numbers.reduce(0, +) == Answer(6))
    let first: [Int?.Publisher] = [numbers.min(), numbers.max(by: >), numbers.first()]
    let second: [Int?.Publisher] = [numbers.first { $0 > 1 }, numbers.last { $0 < 3 }, numbers.output(at: 1)]
    let third: [Int?.Publisher] = [numbers.max(), numbers.min(by: >), numbers.last()]
    #expect([first, second, third].map { $0.map(\.output) } == [[1, 1, 1], [2, 2, 2], [3, 3, 3]])
    #expect(numbers.count() == Just(3))
    #expect(numbers.ignoreOutput() == Empty<Int, Never>())
  }
}
