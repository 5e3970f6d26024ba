// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Synchronous sources must not nest calls, because ten thousand values would overflow the stack.
@Suite("no recursion") struct DepthTests {
  static let count = 10_000
  private typealias Numbers = Publishers.Sequence<Range<Int>, Never>

  private var numbers: AnyPublisher<Int, Never> { (0..<Self.count).publisher.eraseToAnyPublisher() }

  /// Requests one value at a time, while it receives the previous one.
  private func pull<P: Publisher>(_ publisher: P) -> Recorder<P.Output, P.Failure> {
    let recorder = Recorder<P.Output, P.Failure>(asking: .max(1))
    recorder.onValue = { [unowned recorder] _ in
      recorder.request(.max(1))
      return .none
    }
    publisher.subscribe(recorder)
    return recorder
  }

  private func expectAll<P: Publisher>(_ publisher: P, _ count: Int = count) {
    let pulled = pull(publisher)
    #expect(pulled.values.count == count)
    #expect(pulled.completion?.traced == "end")
    #expect(pulled.breaches == [])
    let returned = publisher.record(asking: .max(1)) { _ in .max(1) }
    #expect(returned.values.count == count)
    #expect(returned.completion?.traced == "end")
    #expect(returned.breaches == [])
  }

  @Test func `a long sequence through map, filter, removeDuplicates, compactMap and scan does not recurse`() {
    expectAll(numbers.map { $0 }.filter { _ in true }.removeDuplicates().compactMap { $0 }.scan(0, +))
  }

  @Test func `operators that drop many values do not recurse`() {
    expectAll(numbers.filter { $0 == Self.count - 1 }, 1)
    expectAll(numbers.dropFirst(Self.count - 1), 1)
    expectAll(numbers.drop { $0 < Self.count - 1 }, 1)
    expectAll(numbers.compactMap { $0 == Self.count - 1 ? $0 : nil }, 1)
    expectAll(numbers.map { _ in 1 }.removeDuplicates(), 1)
    expectAll(numbers.output(at: Self.count - 1), 1)
  }

  @Test func `collect does not recurse over a long sequence`() {
    expectAll(numbers.collect(2), Self.count / 2)
  }

  @Test func `append and prepend do not recurse over a long sequence`() {
    expectAll(numbers.append(numbers), Self.count * 2)
    expectAll(numbers.prepend(numbers), Self.count * 2)
  }

  @Test func `merge does not recurse over a long sequence`() {
    expectAll(numbers.merge(with: numbers), Self.count * 2)
  }

  @Test func `zip does not recurse over a long sequence`() {
    expectAll(numbers.zip(numbers))
  }

  @Test func `flatMap does not recurse over a long sequence`() {
    expectAll(numbers.flatMap { Just($0) })
    expectAll(numbers.flatMap(maxPublishers: .max(1)) { Just($0) })
    expectAll(Just(0).eraseToAnyPublisher().flatMap { _ in (0..<Self.count).publisher })
  }

  @Test func `catch and replaceError do not recurse over a long sequence`() {
    expectAll(numbers.setFailureType(to: TestError.self).catch { _ in Just(0) })
    expectAll(numbers.setFailureType(to: TestError.self).replaceError(with: 0))
  }

  @Test func `buffer does not recurse over a long sequence`() {
    expectAll(numbers.buffer(size: Self.count, prefetch: .byRequest, whenFull: .dropOldest))
    expectAll(numbers.buffer(size: 4, prefetch: .keepFull, whenFull: .dropOldest))
  }

  @Test func `receive(on:), delay and measureInterval do not recurse over a long sequence`() {
    expectAll(numbers.receive(on: ImmediateScheduler.shared))
    expectAll(numbers.delay(for: 1, scheduler: ImmediateScheduler.shared))
    expectAll(numbers.measureInterval(using: ImmediateScheduler.shared))
  }

  @Test func `handleEvents and breakpoint do not recurse over a long sequence`() {
    expectAll(numbers.handleEvents(receiveOutput: { _ in }))
    expectAll(numbers.breakpoint())
  }

  @Test func `switchToLatest does not recurse over a long sequence`() {
    let recorder = numbers.map { Just($0) }.switchToLatest().record()
    #expect(recorder.values.count == Self.count)
    #expect(recorder.completion == .finished)
  }

  @Test func `chains and merges of many publishers do not recurse`() {
    let chained = (0..<200).reduce(Empty<Int, Never>().eraseToAnyPublisher()) { chain, number in
      chain.append(number).eraseToAnyPublisher()
    }
    #expect(chained.record().values == Array(0..<200))
    let merged = Publishers.MergeMany((0..<1000).map { Just($0) }).record()
    #expect(merged.values == Array(0..<1000))
    #expect(merged.completion == .finished)
  }
}
