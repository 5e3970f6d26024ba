// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import Publishing
import Testing

/// Random chains of operators beside the same operations on arrays, under random demand.
@Suite("random chains") struct RandomChainTests {
  typealias Chain = AnyPublisher<Int, Never>

  /// An operator, and the same operation on an array.
  struct Link {
    let name: String
    let publisher: (Chain) -> Chain
    let array: ([Int]) -> [Int]

    init<P: Publisher>(
      _ name: String, _ publisher: @escaping (Chain) -> P, _ array: @escaping ([Int]) -> [Int]
    ) where P.Output == Int, P.Failure == Never {
      self.name = name
      self.publisher = { publisher($0).eraseToAnyPublisher() }
      self.array = array
    }
  }

  @Test func `a random chain of operators yields the same values as the corresponding array operations`() {
    for seed in 0..<1500 {
      var random = SeededGenerator(seed: seed)
      let links = (0..<Int.random(in: 1...6, using: &random)).map { _ in link(&random) }
      let input = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...6, using: &random) }
      let chain = links.reduce(input.publisher.eraseToAnyPublisher()) { $1.publisher($0) }
      let expected = links.reduce(input) { $1.array($0) }
      let recorder = Recorder<Int, Never>()
      let mode = subscribe(recorder, to: chain, &random)
      guard recorder.values == expected, recorder.completion == .finished, recorder.breaches == [] else {
        Issue.record(
          """
          seed \(seed), \(mode): \(input) \(links.map(\.name))
          expected \(expected), got \(recorder.values) \(recorder.completion?.traced ?? "no end") \(recorder.breaches)
          """)
        return
      }
    }
  }

  /// Pulls all values, in one of four ways.
  private func subscribe(
    _ sink: Recorder<Int, Never>, to chain: Chain, _ random: inout SeededGenerator
  ) -> String {
    let numbers = (0..<64).map { _ in Int.random(in: 1...3, using: &random) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      chain.subscribe(sink)
      sink.request(.unlimited)
      return "unlimited"
    case 1:
      chain.subscribe(sink)
      for number in numbers where sink.completion == nil { sink.request(.max(number)) }
      for _ in 0..<10_000 where sink.completion == nil { sink.request(.max(5)) }
      return "from outside"
    case 2:
      sink.onValue = { [unowned sink] _ in .max(numbers[sink.values.count % 64]) }
      chain.subscribe(sink)
      sink.request(.max(1))
      return "returned"
    default:
      sink.onValue = { [unowned sink] _ in
        sink.request(.max(numbers[sink.values.count % 64]))
        return .none
      }
      chain.subscribe(sink)
      sink.request(.max(2))
      return "from inside"
    }
  }

  private func link(_ random: inout SeededGenerator) -> Link {
    let k = Int.random(in: 0...4, using: &random)
    let family = Int.random(in: 0..<3, using: &random)
    return family == 0 ? stepping(k, &random) : family == 1 ? counting(k, &random) : combining(k, &random)
  }

  private func stepping(_ k: Int, _ random: inout SeededGenerator) -> Link {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: Link("map", { $0.map { $0 + k } }, { $0.map { $0 + k } })
    case 1: Link("filter", { $0.filter { $0 % 3 != k % 3 } }, { $0.filter { $0 % 3 != k % 3 } })
    case 2: Link("drop(while: < \(k))", { $0.drop { $0 < k } }, { Array($0.drop { $0 < k }) })
    case 3: Link("prefix(while: > \(k))", { $0.prefix { $0 > k } }, { Array($0.prefix { $0 > k }) })
    case 4:
      Link(
        "scan", { $0.scan(k, +) },
        {
          var sum = k
          return $0.map {
            sum += $0
            return sum
          }
        })
    case 5:
      Link(
        "removeDuplicates", { $0.removeDuplicates() },
        {
          $0.enumerated().reduce(into: [Int]()) { result, next in
            if result.last != next.element { result.append(next.element) }
          }
        })
    case 6: Link("compactMap", { $0.compactMap { $0 == k ? nil : $0 } }, { $0.compactMap { $0 == k ? nil : $0 } })
    default: Link("handleEvents", { $0.handleEvents(receiveOutput: { _ in }) }, { $0 })
    }
  }

  private func counting(_ k: Int, _ random: inout SeededGenerator) -> Link {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: Link("dropFirst(\(k))", { $0.dropFirst(k) }, { Array($0.dropFirst(k)) })
    case 1: Link("prefix(\(k + 1))", { $0.prefix(k + 1) }, { Array($0.prefix(k + 1)) })
    case 2: Link("output(in: 1...\(k + 1))", { $0.output(in: 1...k + 1) }, { Array($0.dropFirst().prefix(k + 1)) })
    case 3: Link("first", { $0.first() }, { Array($0.prefix(1)) })
    case 4: Link("last", { $0.last() }, { Array($0.suffix(1)) })
    case 5: Link("count", { $0.count() }, { [$0.count] })
    case 6: Link("reduce", { $0.reduce(k, +) }, { [$0.reduce(k, +)] })
    case 7: Link("max", { $0.max() }, { $0.max().map { [$0] } ?? [] })
    default: Link("replaceEmpty", { $0.replaceEmpty(with: k) }, { $0.isEmpty ? [k] : $0 })
    }
  }

  private func combining(_ k: Int, _ random: inout SeededGenerator) -> Link {
    switch Int.random(in: 0..<9, using: &random) {
    case 0: Link("append", { $0.append(k, k + 1) }, { $0 + [k, k + 1] })
    case 1: Link("prepend", { $0.prepend(k, k + 1) }, { [k, k + 1] + $0 })
    case 2:
      Link(
        "flatMap one by one", { $0.flatMap(maxPublishers: .max(1)) { [$0, k].publisher } }, { $0.flatMap { [$0, k] } })
    case 3:
      Link("collect(\(k + 1))", { $0.collect(k + 1).flatMap(maxPublishers: .max(1)) { $0.publisher } }, { $0 })
    case 4:
      Link("zip", { $0.zip((0..<6).publisher) { $0 + $1 } }, { zip($0, 0..<6).map { $0 + $1 } })
    case 5:
      Link("buffer", { $0.buffer(size: k + 1, prefetch: .keepFull, whenFull: .dropNewest) }, { $0 })
    case 6: Link("merge with nothing", { $0.merge(with: Empty()) }, { $0 })
    case 7:
      Link("switchToLatest", { chain in Just(chain).switchToLatest() }, { $0 })
    default:
      Link(
        "catch", { $0.setFailureType(to: TestError.self).append(Fail(error: .oops)).catch { _ in Just(k) } },
        { $0 + [k] })
    }
  }
}
