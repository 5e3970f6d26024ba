// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import Publishing
import Testing

/// A model of an operator, and the operator itself, which runs in step with it.
protocol OperatorModel {
  var outcome: Outcome { get set }
  mutating func request(_ count: Int)
  mutating func requestUnlimited()
}

extension OperatorModel {
  mutating func requestUnlimited() { request(1_000_000) }
}

/// One random run of an operator and its model.
struct Interleaving<Model: OperatorModel> {
  var model: Model
  private let recorder: Recorder<String, TestError>
  private let seed: Int
  private var random: SeededGenerator
  private var history: [String]
  private(set) var hasFailed = false

  init(_ seed: Int, _ model: Model, build: (Subscribers.Demand) -> Recorder<String, TestError>) {
    (self.seed, self.model, random) = (seed, model, SeededGenerator(seed: seed))
    let first = Int.random(in: 0...2, using: &random)
    history = ["demand \(first)"]
    self.model.request(first)
    recorder = build(.max(first))
  }

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  /// Performs random steps. Each is a request of the downstream, or the step that `own` selects for a random number
  /// below 98.
  mutating func go(requests: Range<Int>, own: (inout Self, _ step: Int, _ dice: Int) -> Void) {
    for step in 0..<60 where !model.outcome.isOver && !hasFailed {
      let dice = pick(100)
      switch dice {
      case requests:
        let count = 1 + pick(3)
        note("request \(count)") { $0.request(count) }
        recorder.request(.max(count))
      case 98:
        note("cancel") { $0.outcome.isOver = true }
        recorder.cancel()
      case 99:
        note("request unlimited") { $0.requestUnlimited() }
        recorder.request(.unlimited)
      default: own(&self, step, dice)
      }
      compare()
    }
  }

  /// Records a step and performs it in the model.
  mutating func note(_ entry: String, _ change: (inout Model) -> Void = { _ in }) {
    history.append(entry)
    change(&model)
  }

  /// Sends a value; there must be demand exactly if the model accepts it.
  mutating func send<Value>(
    _ value: Value, to source: Probe<Value, TestError>, _ name: String, _ accepts: Bool,
    _ change: (inout Model) -> Void
  ) {
    note("\(name) sends \(value)") { if accepts { change(&$0) } }
    if source.offer(value) != accepts { fail("\(name) \(accepts ? "was not" : "was") asked") }
  }

  mutating func fail(_ source: Probe<String, TestError>, _ name: String) {
    note("\(name) fails") { $0.outcome.end("fail") }
    source.fail(.oops)
  }

  mutating func compare() {
    guard recorder.trace.entries != model.outcome.trace || !recorder.breaches.isEmpty else { return }
    fail("expected \(model.outcome.trace), got \(recorder.trace.entries) \(recorder.breaches)")
  }

  private mutating func fail(_ message: String) {
    guard !hasFailed else { return }
    hasFailed = true
    Issue.record("seed \(seed): \(history.joined(separator: ", "))\n\(message)")
  }
}
