// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport

/// The expected state of an operator: its downstream's trace, and whether it has ended.
struct Outcome: Equatable {
  var trace: [String] = []
  var isOver = false

  mutating func end(_ entry: String) {
    trace.append(entry)
    isOver = true
  }
}

/// merge and flatMap under limited demand: each side may send one value ahead, and these wait in order of arrival.
struct MergingModel: OperatorModel {
  var outcome = Outcome()
  /// The number of sides that may still send; flatMap's outer publisher counts as one.
  var open: Int
  private var demand = 0
  private var kept: [(side: Int, value: String)] = []
  private var isUnlimited = false

  init(open: Int) { self.open = open }

  func accepts(_ side: Int) -> Bool { !outcome.isOver && (isUnlimited || !kept.contains { $0.side == side }) }

  mutating func send(_ value: String, from side: Int) {
    kept.append((side, value))
    flush()
  }

  mutating func request(_ count: Int) {
    demand += count
    flush()
  }

  mutating func requestUnlimited() {
    isUnlimited = true
    request(1_000_000)
  }

  mutating func finishOne() {
    open -= 1
    flush()
  }

  private mutating func flush() {
    guard !outcome.isOver else { return }
    while demand > 0, !kept.isEmpty {
      demand -= 1
      outcome.trace.append(kept.removeFirst().value)
    }
    if open == 0, kept.isEmpty { outcome.end("end") }
  }
}

/// zip of two: a queue for each side, a pair as soon as both have one, the end when a finished side has nothing left.
struct ZipModel: OperatorModel {
  var outcome = Outcome()
  private var demand = 0
  private var queues: [[String]] = [[], []]
  private var sent = [0, 0]
  private var finished = [false, false]

  func accepts(_ side: Int) -> Bool { !outcome.isOver && !finished[side] && sent[side] < demand }

  func isFinished(_ side: Int) -> Bool { finished[side] }

  mutating func send(_ value: String, from side: Int) {
    sent[side] += 1
    queues[side].append(value)
    if !queues[0].isEmpty, !queues[1].isEmpty {
      outcome.trace.append(queues[0].removeFirst() + queues[1].removeFirst())
    }
    endIfNothingCanCome()
  }

  mutating func request(_ count: Int) { demand += count }

  mutating func finish(_ side: Int) {
    finished[side] = true
    endIfNothingCanCome()
  }

  private mutating func endIfNothingCanCome() {
    guard !outcome.isOver else { return }
    if (0...1).contains(where: { finished[$0] && queues[$0].isEmpty }) { outcome.end("end") }
  }
}

/// buffer: a queue of limited length that drops values from one end or the other when full.
struct BufferModel: OperatorModel {
  enum Drop: CaseIterable { case newest, oldest }

  var outcome = Outcome()
  let size: Int
  let drop: Drop
  /// Requests only as many values as fit.
  let keepsFull: Bool
  private var demand = 0
  private var kept: [String] = []
  private(set) var isFinished = false

  init(size: Int, drop: Drop, keepsFull: Bool) {
    (self.size, self.drop, self.keepsFull) = (size, drop, keepsFull)
  }

  var accepts: Bool { !outcome.isOver && !isFinished && (!keepsFull || kept.count < size) }

  mutating func send(_ value: String) {
    if demand == 0, kept.count == size {
      if drop == .newest { return }
      kept.removeFirst()
    }
    kept.append(value)
    flush()
  }

  mutating func request(_ count: Int) {
    demand += count
    flush()
  }

  mutating func finish() {
    isFinished = true
    flush()
  }

  private mutating func flush() {
    guard !outcome.isOver else { return }
    while demand > 0, !kept.isEmpty {
      demand -= 1
      outcome.trace.append(kept.removeFirst())
    }
    if isFinished, kept.isEmpty { outcome.end("end") }
  }
}
