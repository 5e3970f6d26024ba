// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing

extension OperatorCase {
  static let mapping: [OperatorCase] = [
    OperatorCase("map", [2, 4, 6], .passesThrough) { up, _ in up.map { $0 * 2 } },
    OperatorCase("map of map", [3, 5, 7], .passesThrough) { up, _ in up.map { $0 * 2 }.map { $0 + 1 } },
    OperatorCase("map(keyPath)", [-1, -2, -3], .passesThrough) { up, _ in up.map(\.negated) },
    OperatorCase("tryMap", [2, 4, 6]) { up, _ in up.tryMap { $0 * 2 }.typed() },
    OperatorCase("mapError", [1, 2, 3], endOnFailure: .failure(.other), .passesThrough) { up, _ in
      up.mapError { _ in .other }
    },
    OperatorCase("replaceNil", [1, 9, 3], .passesThrough) { up, _ in
      up.map { $0 == 2 ? nil : $0 }.replaceNil(with: 9)
    },
    OperatorCase("eraseToAnyPublisher", [1, 2, 3], .passesThrough) { up, _ in
      up.eraseToAnyPublisher().eraseToAnyPublisher()
    },
    OperatorCase("Deferred", [1, 2, 3], .passesThrough) { up, _ in Deferred { up } },
  ]

  static let filtering: [OperatorCase] = [
    OperatorCase("compactMap", [1, 3]) { up, _ in up.compactMap { $0 == 2 ? nil : $0 } },
    OperatorCase("tryCompactMap", [1, 3]) { up, _ in up.tryCompactMap { $0 == 2 ? nil : $0 }.typed() },
    OperatorCase("filter", [1, 3]) { up, _ in up.filter { $0 != 2 } },
    OperatorCase("filter of filter", [1]) { up, _ in up.filter { $0 != 2 }.filter { $0 != 3 } },
    OperatorCase("tryFilter", [1, 3]) { up, _ in up.tryFilter { $0 != 2 }.typed() },
    OperatorCase("removeDuplicates", [1, 2, 3]) { up, _ in up.removeDuplicates() },
    OperatorCase("removeDuplicates(by:)", [1, 3]) { up, _ in up.removeDuplicates { $0 == 1 && $1 == 2 } },
    OperatorCase("tryRemoveDuplicates", [1, 3]) { up, _ in
      up.tryRemoveDuplicates { $0 == 1 && $1 == 2 }.typed()
    },
    OperatorCase("replaceEmpty", [1, 2, 3], .holdsEnd) { up, _ in up.replaceEmpty(with: 9) },
    OperatorCase("ignoreOutput", [], asks: "unlimited") { up, _ in
      up.ignoreOutput().map(absurd)
    },
  ]

  static let scanning: [OperatorCase] = [
    OperatorCase("scan", [1, 3, 6]) { up, _ in up.scan(0, +) },
    OperatorCase("tryScan", [1, 3, 6]) { up, _ in up.tryScan(0) { $0 + $1 }.typed() },
    OperatorCase("collect(2)", [3, 3], onFailure: [3], asks: "max(4)") { up, _ in
      up.collect(2).map { $0.reduce(0, +) }
    },
    OperatorCase("measureInterval", [0, 0, 0]) { up, scheduler in
      up.measureInterval(using: scheduler).map { _ in 0 }
    },
  ]

  static let throwing: [OperatorCase] = [
    .thrower("tryMap throwing", [1]) { $0.tryMap { try refusingTwo($0, $0) } },
    .thrower("tryCompactMap throwing", [1]) { $0.tryCompactMap { try refusingTwo($0, $0) } },
    .thrower("tryFilter throwing", [1]) { $0.tryFilter { try refusingTwo($0, true) } },
    .thrower("tryRemoveDuplicates throwing", [1]) { $0.tryRemoveDuplicates { try refusingTwo($1, false) } },
    .thrower("tryScan throwing", [1]) { $0.tryScan(0) { try refusingTwo($1, $1) } },
    .thrower("tryDrop(while:) throwing", []) { $0.tryDrop { try refusingTwo($0, true) } },
    .thrower("tryPrefix(while:) throwing", [1]) { $0.tryPrefix { try refusingTwo($0, true) } },
    .thrower("tryReduce throwing", [], asks: "unlimited") { $0.tryReduce(0) { try refusingTwo($1, $1) } },
    .thrower("tryMin throwing", [], asks: "unlimited") { $0.tryMin { try refusingTwo(max($0, $1), true) } },
    .thrower("tryMax throwing", [], asks: "unlimited") { $0.tryMax { try refusingTwo(max($0, $1), true) } },
    .thrower("tryFirst(where:) throwing", [], asks: "unlimited") { $0.tryFirst { try refusingTwo($0, false) } },
    .thrower("tryLast(where:) throwing", [], asks: "unlimited") { $0.tryLast { try refusingTwo($0, true) } },
    .thrower("tryContains(where:) throwing", [], asks: "unlimited") {
      $0.tryContains { try refusingTwo($0, false) }.map { $0 ? 1 : 0 }
    },
    .thrower("tryAllSatisfy throwing", [], asks: "unlimited") {
      $0.tryAllSatisfy { try refusingTwo($0, true) }.map { $0 ? 1 : 0 }
    },
  ]
}

private func absurd(_ never: Never) -> Int {}

extension Int {
  fileprivate var negated: Int { -self }
}
