// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import Publishing
import Testing

/// Random interleavings of send, request, finish, fail and cancel, the operator beside its model after every step.
@Suite("random interleavings") struct InterleavingTests {
  typealias Source = Probe<String, TestError>
  static let seeds = 0..<300
  static let steps = 60

  private func compare(
    _ recorder: Recorder<String, TestError>, _ outcome: Outcome, _ history: [String], seed: Int
  ) -> Bool {
    guard recorder.trace.entries == outcome.trace, recorder.breaches.isEmpty else {
      Issue.record(
        """
        seed \(seed): \(history.joined(separator: ", "))
        expected \(outcome.trace), got \(recorder.trace.entries) \(recorder.breaches)
        """)
      return false
    }
    return true
  }

  @Test func `merge keeps one value a side, in order, whatever the interleaving`() {
    for seed in Self.seeds { guard merge(seed: seed) else { return } }
  }

  private func merge(seed: Int) -> Bool {
    var random = SeededGenerator(seed: seed)
    let sides = (0..<3).map { Source(Trace(), "\($0)") }
    let first = Int.random(in: 0...2, using: &random)
    let recorder = sides[0].merge(with: sides[1], sides[2]).record(asking: .max(first))
    var model = MergingModel(open: 3, demand: first)
    var open = [true, true, true]
    var history = ["demand \(first)"]
    for step in 0..<Self.steps where !model.outcome.isOver {
      let side = Int.random(in: 0..<3, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<60 where open[side]:
        history.append("\(side) sends \(step)")
        let accepts = model.accepts(side)
        if accepts { model.send("\(step)", from: side) }
        guard sides[side].offer("\(step)") == accepts else {
          Issue.record("seed \(seed): side \(side) \(accepts ? "was not" : "was") asked: \(history)")
          return false
        }
      case 60..<92:
        let count = Int.random(in: 1...3, using: &random)
        history.append("request \(count)")
        model.request(count)
        recorder.request(.max(count))
      case 92..<97 where open[side]:
        history.append("\(side) ends")
        open[side] = false
        model.finishOne()
        sides[side].finish()
      case 97 where open[side]:
        history.append("\(side) fails")
        model.outcome.end("fail")
        sides[side].fail(.oops)
      case 99:
        history.append("request unlimited")
        model.requestUnlimited()
        recorder.request(.unlimited)
      case 98:
        history.append("cancel")
        model.outcome.isOver = true
        recorder.cancel()
      default: break
      }
      guard compare(recorder, model.outcome, history, seed: seed) else { return false }
    }
    guard model.outcome.isOver else { return true }
    for side in 0..<3 { sides[side].send("late") }
    return compare(recorder, model.outcome, history + ["late"], seed: seed)
  }

  @Test(arguments: [1, 2, 3])
  func `flatMap behaves as a merge whose sides come one by one`(limit: Int) {
    for seed in Self.seeds { guard flatMap(seed: seed, limit: limit) else { return } }
  }

  private func flatMap(seed: Int, limit: Int) -> Bool {
    var random = SeededGenerator(seed: seed)
    let outer = Probe<Source, TestError>(Trace(), "outer")
    let first = Int.random(in: 0...2, using: &random)
    let recorder = outer.flatMap(maxPublishers: .max(limit)) { $0 }.record(asking: .max(first))
    var model = MergingModel(open: 1, demand: first)
    var (children, isOpen, outerOpen): ([Source], [Bool], Bool) = ([], [], true)
    var history = ["demand \(first)"]
    for step in 0..<Self.steps where !model.outcome.isOver {
      let child = children.isEmpty ? nil : Int.random(in: 0..<children.count, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<20 where outerOpen:
        let fits = isOpen.count(where: { $0 }) < limit
        history.append("child \(children.count) comes, \(fits ? "fits" : "does not fit")")
        let source = Source(Trace(), "\(children.count)")
        if fits {
          model.open += 1
          children.append(source)
          isOpen.append(true)
        }
        guard outer.offer(source) == fits else {
          Issue.record("seed \(seed): the outer \(fits ? "was not" : "was") asked: \(history)")
          return false
        }
      case 20..<60:
        guard let child, isOpen[child] else { break }
        history.append("\(child) sends \(step)")
        let accepts = model.accepts(child)
        if accepts { model.send("\(step)", from: child) }
        guard children[child].offer("\(step)") == accepts else {
          Issue.record("seed \(seed): child \(child) \(accepts ? "was not" : "was") asked: \(history)")
          return false
        }
      case 60..<85:
        let count = Int.random(in: 1...3, using: &random)
        history.append("request \(count)")
        model.request(count)
        recorder.request(.max(count))
      case 85..<95:
        guard let child, isOpen[child] else { break }
        history.append("\(child) ends")
        isOpen[child] = false
        model.finishOne()
        children[child].finish()
      case 95..<97 where outerOpen:
        history.append("outer ends")
        outerOpen = false
        model.finishOne()
        outer.finish()
      case 97:
        guard let child, isOpen[child] else { break }
        history.append("\(child) fails")
        model.outcome.end("fail")
        children[child].fail(.oops)
      case 99:
        history.append("request unlimited")
        model.requestUnlimited()
        recorder.request(.unlimited)
      case 98:
        history.append("cancel")
        model.outcome.isOver = true
        recorder.cancel()
      default: break
      }
      guard compare(recorder, model.outcome, history, seed: seed) else { return false }
    }
    return true
  }

  @Test func `zip pairs by index and ends when nothing can come, whatever the interleaving`() {
    for seed in Self.seeds { guard zip(seed: seed) else { return } }
  }

  private func zip(seed: Int) -> Bool {
    var random = SeededGenerator(seed: seed)
    let sides = (0..<2).map { Source(Trace(), "\($0)") }
    let first = Int.random(in: 0...2, using: &random)
    let recorder = sides[0].zip(sides[1]).map { $0 + $1 }.record(asking: .max(first))
    var model = ZipModel(demand: first)
    var history = ["demand \(first)"]
    for step in 0..<Self.steps where !model.outcome.isOver {
      let side = Int.random(in: 0..<2, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<60:
        history.append("\(side) sends \(step)")
        let accepts = model.accepts(side)
        if accepts { model.send("\(step)-", from: side) }
        guard model.isFinished(side) || sides[side].offer("\(step)-") == accepts else {
          Issue.record("seed \(seed): side \(side) \(accepts ? "was not" : "was") asked: \(history)")
          return false
        }
      case 60..<93:
        let count = Int.random(in: 1...3, using: &random)
        history.append("request \(count)")
        model.request(count)
        recorder.request(.max(count))
      case 93..<97 where !model.isFinished(side):
        history.append("\(side) ends")
        model.finish(side)
        sides[side].finish()
      case 97 where !model.isFinished(side):
        history.append("\(side) fails")
        model.outcome.end("fail")
        sides[side].fail(.oops)
      case 99:
        history.append("request unlimited")
        model.request(1_000_000)
        recorder.request(.unlimited)
      case 98:
        history.append("cancel")
        model.outcome.isOver = true
        recorder.cancel()
      default: break
      }
      guard compare(recorder, model.outcome, history, seed: seed) else { return false }
    }
    return true
  }

  @Test(arguments: BufferModel.Drop.allCases, [true, false])
  func `buffer is a queue that drops from one end when full`(drop: BufferModel.Drop, keepsFull: Bool) {
    for seed in Self.seeds { guard buffer(seed: seed, drop: drop, keepsFull: keepsFull) else { return } }
  }

  private func buffer(seed: Int, drop: BufferModel.Drop, keepsFull: Bool) -> Bool {
    var random = SeededGenerator(seed: seed)
    let source = Source()
    let (size, first) = (Int.random(in: 1...4, using: &random), Int.random(in: 0...2, using: &random))
    let recorder =
      source
      .buffer(
        size: size, prefetch: keepsFull ? .keepFull : .byRequest, whenFull: drop == .newest ? .dropNewest : .dropOldest
      )
      .record(asking: .max(first))
    var model = BufferModel(size: size, drop: drop, keepsFull: keepsFull, demand: first)
    var finished = false
    var history = ["size \(size), demand \(first)"]
    for step in 0..<Self.steps where !model.outcome.isOver {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<65 where !finished:
        history.append("send \(step)")
        let accepts = model.accepts
        if accepts { model.send("\(step)") }
        guard source.offer("\(step)") == accepts else {
          Issue.record("seed \(seed): \(accepts ? "was not" : "was") asked: \(history)")
          return false
        }
      case 65..<95:
        let count = Int.random(in: 1...3, using: &random)
        history.append("request \(count)")
        model.request(count)
        recorder.request(.max(count))
      case 95..<97 where !finished:
        history.append("end")
        finished = true
        model.finish()
        source.finish()
      case 99:
        history.append("request unlimited")
        model.request(1_000_000)
        recorder.request(.unlimited)
      case 98:
        history.append("cancel")
        model.outcome.isOver = true
        recorder.cancel()
      default: break
      }
      guard compare(recorder, model.outcome, history, seed: seed) else { return false }
    }
    return true
  }
}
