// SPDX-License-Identifier: Apache-2.0
import Combine
import Testing

@Suite("examples: operators") struct OperatorExamplesTests {
  let out = Output()

  @Test func `collect gathers all values, or a given number of them`() {
    let letters = ["A", "B", "C", "D", "E"].publisher
    #expect(printed(letters.collect()) == #"["A", "B", "C", "D", "E"] / finished"#)
    #expect(printed(letters.collect(2)) == #"["A", "B"] / ["C", "D"] / ["E"] / finished"#)
  }

  @Test func `operators transform, filter or replace each value`() {
    #expect(printed([1, 2, 3, 4, 5].publisher.scan(0) { $0 + $1 }) == "1 / 3 / 6 / 10 / 15 / finished")
    #expect(printed((1...10).publisher.filter { $0.isMultiple(of: 3) }) == "3 / 6 / 9 / finished")
    #expect(printed(["A", nil, "C"].publisher.replaceNil(with: "*_*").map { $0! }) == "A / *_* / C / finished")
    let repeated = ["aaa", "aaa", "bbbb", "ccc", "ccc", "bbbb"].publisher
    #expect(printed(repeated.removeDuplicates()) == "aaa / bbbb / ccc / bbbb / finished")
    #expect(printed((1...1000).publisher.ignoreOutput()) == "finished")
  }

  @Test func `reduce, min, first and count publish one value`() {
    #expect(printed([1, 2, 3, 4, 5].publisher.reduce(0) { $0 + $1 }) == "15 / finished")
    #expect(printed([5, 1, 3].publisher.min()) == "1 / finished")
    #expect(printed([5, 1, 3].publisher.first()) == "5 / finished")
    #expect(printed((1...10).publisher.count()) == "10 / finished")
  }

  @Test func `print logs each event`() {
    _ = [1, 2, 3].publisher.print("debug info", to: out).sink { _ in }
    #expect(
      out.lines == [
        "debug info: receive subscription: ([1, 2, 3])",
        "debug info: request unlimited",
        "debug info: receive value: (1)",
        "debug info: receive value: (2)",
        "debug info: receive value: (3)",
        "debug info: receive finished",
      ])
  }

  /// Older versions of Combine reported the request before the subscription, as tutorials of that time show. Here, as
  /// in newer versions, the subscription comes first.
  @Test func `handleEvents observes each event`() {
    _ = [1, 2, 3].publisher
      .handleEvents(
        receiveSubscription: { out.print("Receive subscription: \($0)") },
        receiveOutput: { out.print("Receive output: \($0)") },
        receiveCompletion: { out.print("Receive completion: \($0)") },
        receiveCancel: { out.print("Receive cancel") },
        receiveRequest: { out.print("Receive request: \($0)") }
      )
      .sink { _ in }
    #expect(
      out.lines == [
        "Receive subscription: [1, 2, 3]",
        "Receive request: unlimited",
        "Receive output: 1",
        "Receive output: 2",
        "Receive output: 3",
        "Receive completion: finished",
      ])
  }

  private func values<P: Publisher>(_ publisher: P) -> String {
    var values: [String] = []
    _ = publisher.sink(receiveCompletion: { _ in }, receiveValue: { values.append("\($0)") })
    return values.joined(separator: " ")
  }

  /// Uses every operator that the tutorials name without an example, on the values 1 to 5.
  @Test func `operators that the tutorials only name have the expected results`() {
    let numbers = (1...5).publisher.setFailureType(to: Error.self)
    #expect(values(numbers.tryScan(0) { $0 + $1 }) == "1 3 6 10 15")
    #expect(values(numbers.tryCompactMap { $0 > 3 ? $0 : nil }) == "4 5")
    #expect(values(Empty<Int, Error>().replaceEmpty(with: 0)) == "0")
    #expect(values(numbers.tryFilter { $0 < 3 }) == "1 2")
    #expect(values(numbers.tryRemoveDuplicates { $0 / 2 == $1 / 2 }) == "1 2 4")
    #expect(values(numbers.tryReduce(1) { $0 * $1 }) == "120")
    #expect(values(numbers.max()) == "5")
    #expect(values(numbers.tryMax { $0 > $1 }) == "1")
    #expect(values(numbers.tryMin { $0 > $1 }) == "5")
    #expect(values(numbers.allSatisfy { $0 > 0 }) == "true")
    #expect(values(numbers.tryAllSatisfy { $0 > 1 }) == "false")
    #expect(values(numbers.contains(3)) == "true")
    #expect(values(numbers.contains { $0 > 5 }) == "false")
    #expect(values(numbers.tryContains { $0 > 4 }) == "true")
    #expect(values(numbers.first { $0 > 2 }) == "3")
    #expect(values(numbers.tryFirst { $0 > 3 }) == "4")
    #expect(values(numbers.last()) == "5")
    #expect(values(numbers.last { $0 < 4 }) == "3")
    #expect(values(numbers.tryLast { $0 < 3 }) == "2")
    #expect(values(numbers.drop { $0 < 4 }) == "4 5")
    #expect(values(numbers.tryDrop { $0 < 5 }) == "5")
    #expect(values(numbers.drop(untilOutputFrom: Just(0).setFailureType(to: Error.self))) == "1 2 3 4 5")
    #expect(values(numbers.dropFirst(3)) == "4 5")
    #expect(values(numbers.prepend(0)) == "0 1 2 3 4 5")
    #expect(values(numbers.prefix(2)) == "1 2")
    #expect(values(numbers.prefix { $0 < 4 }) == "1 2 3")
    #expect(values(numbers.tryPrefix { $0 < 2 }) == "1")
    #expect(values(numbers.output(at: 2)) == "3")
    #expect(values(numbers.output(in: 1...2)) == "2 3")
    #expect(values(Fail<Int, Error>(error: CancellationError()).tryCatch { _ in Just(7) }) == "7")
    #expect(values(numbers.assertNoFailure()) == "1 2 3 4 5")
    #expect(values(numbers.breakpointOnError()) == "1 2 3 4 5")
    #expect(values(numbers.measureInterval(using: ImmediateScheduler.shared).count()) == "5")
    #expect(values(numbers.delay(for: 3, scheduler: ImmediateScheduler.shared)) == "1 2 3 4 5")
  }
}
