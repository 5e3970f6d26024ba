// SPDX-License-Identifier: Apache-2.0
import Publishing

/// The expected deliveries of zip, combineLatest or merge after a log of events.
struct CombiningReference {
  enum Rule: CaseIterable { case zip, combineLatest, merge }

  /// The delivered values, each as the list of its components, and then `end` or `fail`.
  private(set) var delivered: [String] = []
  private(set) var isOver = false
  /// The deliveries of merge without a failure, in order.
  private(set) var order: [String] = []
  private(set) var demand = Subscribers.Demand.none
  private let rule: Rule
  private var queues: [[Int]]
  private var latest: [Int?]
  private var arrived: [Int] = []
  private var hasEnded: [Bool]

  init(_ rule: Rule, sides: Int) {
    self.rule = rule
    queues = Array(repeating: [], count: sides)
    latest = Array(repeating: nil, count: sides)
    hasEnded = Array(repeating: false, count: sides)
  }

  mutating func take(_ event: OperatorEvent) {
    guard !isOver else { return }
    switch event {
    case .request(let more):
      demand += more
      settle()
    case .returned(let more):
      demand += more
      settle()
      finishIfOver()
    case .value(let side, let value):
      queues[side].append(value)
      latest[side] = value
      arrived.append(value)
      if rule == .merge { order.append("\(value)") }
      settle()
    // The subscriber may still be receiving the value; the end follows when it returns.
    case .end(let side):
      hasEnded[side] = true
      finishIfOver()
    case .failure: over("fail")
    case .cancel: isOver = true
    }
  }

  private mutating func settle() {
    switch rule {
    case .merge:
      while demand > .none, !arrived.isEmpty { deliver([arrived.removeFirst()]) }
    case .zip:
      while demand > .none, queues.allSatisfy({ !$0.isEmpty }) {
        deliver(queues.indices.map { queues[$0].removeFirst() })
      }
    case .combineLatest:
      let values = latest.compactMap(\.self)
      if demand > .none, !arrived.isEmpty, values.count == latest.count { deliver(values) }
      // Without demand a value is not delivered later, but the next tuple contains it.
      arrived = []
    }
  }

  private mutating func deliver(_ values: [Int]) {
    if demand != .unlimited { demand -= 1 }
    delivered.append(values.map(String.init).joined(separator: ","))
  }

  private mutating func finishIfOver() {
    let isSpent =
      switch rule {
      case .merge: hasEnded.allSatisfy(\.self) && arrived.isEmpty
      case .zip: hasEnded.indices.contains { hasEnded[$0] && queues[$0].isEmpty }
      case .combineLatest:
        hasEnded.allSatisfy(\.self) || hasEnded.indices.contains { hasEnded[$0] && latest[$0] == nil }
      }
    if isSpent { over("end") }
  }

  private mutating func over(_ entry: String) {
    delivered.append(entry)
    isOver = true
  }
}
