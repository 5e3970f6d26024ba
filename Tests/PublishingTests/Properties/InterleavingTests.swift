// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import GeopublicistTestSupport
import Publishing
import Testing

/// Random interleavings of send, request, finish, fail and cancel, the operator beside its model after every step.
@Suite("random interleavings") struct InterleavingTests {
  typealias Source = Probe<String, TestError>

  @Test func `in any interleaving, merge stores one value for each publisher and keeps their order`() {
    for seed in 0..<300 {
      let sides = (0..<3).map { Source(Trace(), "\($0)") }
      var open = [true, true, true]
      var run = Interleaving(seed, MergingModel(open: 3)) {
        sides[0].merge(with: sides[1], sides[2]).record(asking: $0)
      }
      run.go(requests: 60..<92) { run, step, dice in
        let side = run.pick(3)
        switch dice {
        case 0..<60 where open[side]:
          let accepts = run.model.accepts(side)
          run.send("\(step)", to: sides[side], "side \(side)", accepts) { $0.send("\(step)", from: side) }
        case 92..<97 where open[side]:
          open[side] = false
          run.note("\(side) ends") { $0.finishOne() }
          sides[side].finish()
        case 97 where open[side]: run.fail(sides[side], "\(side)")
        default: break
        }
      }
      if run.model.outcome.isOver {
        for side in sides { side.send("late") }
        run.note("late")
        run.compare()
      }
      if run.hasFailed { return }
    }
  }

  @Test(arguments: [1, 2, 3])
  func `in any interleaving, flatMap behaves like a merge of the publishers it has received`(limit: Int) {
    for seed in 0..<300 {
      let outer = Probe<Source, TestError>(Trace(), "outer")
      var (children, isOpen, outerOpen): ([Source], [Bool], Bool) = ([], [], true)
      var run = Interleaving(seed, MergingModel(open: 1)) { demand in
        outer.flatMap(maxPublishers: .max(limit)) { $0 }.record(asking: demand)
      }
      run.go(requests: 60..<85) { run, step, dice in
        let child = run.pick(max(1, children.count))
        let hasChild = !children.isEmpty && isOpen[child]
        switch dice {
        case 0..<20 where outerOpen:
          let fits = isOpen.count { $0 } < limit
          let source = Source(Trace(), "\(children.count)")
          if fits {
            children.append(source)
            isOpen.append(true)
          }
          run.send(source, to: outer, "outer", fits) { $0.open += 1 }
        case 20..<60 where hasChild:
          let accepts = run.model.accepts(child)
          run.send("\(step)", to: children[child], "child \(child)", accepts) { $0.send("\(step)", from: child) }
        case 85..<95 where hasChild:
          isOpen[child] = false
          run.note("\(child) ends") { $0.finishOne() }
          children[child].finish()
        case 95..<97 where outerOpen:
          outerOpen = false
          run.note("outer ends") { $0.finishOne() }
          outer.finish()
        case 97 where hasChild: run.fail(children[child], "\(child)")
        default: break
        }
      }
      if run.hasFailed { return }
    }
  }

  @Test func `in any interleaving, zip pairs values by index and ends when no pair is possible`() {
    for seed in 0..<300 {
      let sides = (0..<2).map { Source(Trace(), "\($0)") }
      var run = Interleaving(seed, ZipModel()) { sides[0].zip(sides[1]).map { $0 + $1 }.record(asking: $0) }
      run.go(requests: 60..<93) { run, step, dice in
        let side = run.pick(2)
        guard !run.model.isFinished(side) else { return }
        switch dice {
        case 0..<60:
          let accepts = run.model.accepts(side)
          run.send("\(step)-", to: sides[side], "side \(side)", accepts) { $0.send("\(step)-", from: side) }
        case 93..<97:
          run.note("\(side) ends") { $0.finish(side) }
          sides[side].finish()
        case 97: run.fail(sides[side], "\(side)")
        default: break
        }
      }
      if run.hasFailed { return }
    }
  }

  @Test(arguments: BufferModel.Drop.allCases, [true, false])
  func `in any interleaving, a full buffer drops its oldest or newest value`(drop: BufferModel.Drop, keepsFull: Bool) {
    for seed in 0..<300 {
      let source = Source()
      let size = 1 + seed % 4
      var run = Interleaving(seed, BufferModel(size: size, drop: drop, keepsFull: keepsFull)) { demand in
        source.buffer(
          size: size, prefetch: keepsFull ? .keepFull : .byRequest,
          whenFull: drop == .newest ? .dropNewest : .dropOldest
        ).record(asking: demand)
      }
      run.go(requests: 65..<95) { run, step, dice in
        guard !run.model.isFinished else { return }
        switch dice {
        case 0..<65:
          let accepts = run.model.accepts
          run.send("\(step)", to: source, "upstream", accepts) { $0.send("\(step)") }
        case 95..<97:
          run.note("end") { $0.finish() }
          source.finish()
        default: break
        }
      }
      if run.hasFailed { return }
    }
  }
}
