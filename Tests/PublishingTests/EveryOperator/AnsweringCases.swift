// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing

extension OperatorCase {
  static let answering: [OperatorCase] = [
    .answer("collect()", [6]) { $0.collect().map { $0.reduce(0, +) } },
    .answer("reduce", [6]) { $0.reduce(0, +) },
    .answer("tryReduce", [6]) { $0.tryReduce(0) { $0 + $1 }.typed() },
    .answer("count", [3]) { $0.count() },
    .answer("min", [1]) { $0.min() },
    .answer("max", [3]) { $0.max() },
    .answer("min(by:)", [3]) { $0.min { $0 > $1 } },
    .answer("max(by:)", [1]) { $0.max { $0 > $1 } },
    .answer("tryMin", [1]) { $0.tryMin { $0 < $1 }.typed() },
    .answer("tryMax", [3]) { $0.tryMax { $0 < $1 }.typed() },
    .answer("last", [3]) { $0.last() },
    .answer("last(where:)", [2]) { $0.last { $0 < 3 } },
    .answer("tryLast(where:)", [2]) { $0.tryLast { $0 < 3 }.typed() },
    .answer("contains, absent", [0]) { $0.contains(9).map { $0 ? 1 : 0 } },
    .answer("contains(where:), absent", [0]) { $0.contains { $0 > 9 }.map { $0 ? 1 : 0 } },
    .answer("tryContains(where:), absent", [0]) { $0.tryContains { $0 > 9 }.map { $0 ? 1 : 0 }.typed() },
    .answer("allSatisfy, true", [1]) { $0.allSatisfy { $0 > 0 }.map { $0 ? 1 : 0 } },
    .answer("tryAllSatisfy, true", [1]) { $0.tryAllSatisfy { $0 > 0 }.map { $0 ? 1 : 0 }.typed() },
  ]

  static let earlyAnswering: [OperatorCase] = [
    .earlyAnswer("first", [1]) { $0.first() },
    .earlyAnswer("first(where:)", [2]) { $0.first { $0 > 1 } },
    .earlyAnswer("tryFirst(where:)", [2]) { $0.tryFirst { $0 > 1 }.typed() },
    .earlyAnswer("contains, present", [1]) { $0.contains(2).map { $0 ? 1 : 0 } },
    .earlyAnswer("contains(where:), present", [1]) { $0.contains { $0 > 1 }.map { $0 ? 1 : 0 } },
    .earlyAnswer("tryContains(where:), present", [1]) { $0.tryContains { $0 > 1 }.map { $0 ? 1 : 0 }.typed() },
    .earlyAnswer("allSatisfy, false", [0]) { $0.allSatisfy { $0 < 2 }.map { $0 ? 1 : 0 } },
    .earlyAnswer("tryAllSatisfy, false", [0]) { $0.tryAllSatisfy { $0 < 2 }.map { $0 ? 1 : 0 }.typed() },
  ]

  static let dropping: [OperatorCase] = [
    OperatorCase("dropFirst", [2, 3], asks: "max(3)") { up, _ in up.dropFirst() },
    OperatorCase("dropFirst(0)", [1, 2, 3]) { up, _ in up.dropFirst(0) },
    OperatorCase("drop(while:)", [2, 3]) { up, _ in up.drop { $0 < 2 } },
    OperatorCase("tryDrop(while:)", [2, 3]) { up, _ in up.tryDrop { $0 < 2 }.typed() },
    OperatorCase("drop(untilOutputFrom:)", [1, 2, 3]) { up, _ in
      up.drop(untilOutputFrom: Just(0).setFailureType(to: TestError.self))
    },
  ]

  static let taking: [OperatorCase] = [
    OperatorCase("prefix(2)", [1, 2], .early) { up, _ in up.prefix(2) },
    OperatorCase("prefix(9)", [1, 2, 3]) { up, _ in up.prefix(9) },
    OperatorCase("prefix(while:)", [1, 2], .early) { up, _ in up.prefix { $0 < 3 } },
    OperatorCase("tryPrefix(while:)", [1, 2], .early) { up, _ in up.tryPrefix { $0 < 3 }.typed() },
    OperatorCase("prefix(untilOutputFrom:)", [1, 2, 3]) { up, _ in
      up.prefix(untilOutputFrom: Empty<Int, TestError>(completeImmediately: false))
    },
    OperatorCase("output(at:)", [2], asks: nil, .early) { up, _ in up.output(at: 1) },
    OperatorCase("output(in:)", [2, 3], asks: nil, .early) { up, _ in up.output(in: 1...2) },
    OperatorCase("output(in:), open", [2, 3], asks: nil) { up, _ in up.output(in: 1...) },
  ]
}
