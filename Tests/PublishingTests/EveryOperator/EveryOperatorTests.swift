// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Rules that every operator must follow towards its upstream and its downstream.
@Suite("every operator") struct EveryOperatorTests {
  let scheduler = TestScheduler()
  let probe = Probe<Int, TestError>()

  private func pause() { scheduler.advance(by: 2) }

  private func sendAll() {
    for value in 1...3 {
      probe.send(value)
      pause()
    }
  }

  private func finish() {
    probe.finish()
    pause()
  }

  /// Fails, and fails again for each new attempt that the operator makes.
  private func failForGood() {
    var attempts = 0
    while attempts < probe.links.count {
      attempts = probe.links.count
      probe.fail(.oops)
      pause()
    }
  }

  private func record(
    _ operation: OperatorCase, asking demand: Subscribers.Demand = .unlimited
  ) -> Recorder<Int, TestError> {
    let recorder = operation.build(probe, scheduler).record(probe.trace, asking: demand)
    scheduler.advance()
    return recorder
  }

  @Test(arguments: OperatorCase.all)
  func `with unlimited demand, all values and the completion are delivered`(operation: OperatorCase) {
    let recorder = record(operation)
    sendAll()
    finish()
    #expect(recorder.values == operation.output)
    #expect(recorder.completion == operation.end)
    #expect(recorder.subscriptions == 1)
    #expect(probe.cancels == (operation.traits.contains(.early) ? 1 : 0))
    if operation.traits.contains(.early) {
      #expect(probe.trace.entries.suffix(operation.traits.contains(.holdsEnd) ? 3 : 2).first == "up:cancel")
      #expect(probe.trace.entries.last == operation.end.traced)
    }
    if !operation.traits.contains(.passesThrough) { #expect(recorder.breaches == []) }
  }

  @Test(arguments: OperatorCase.all)
  func `with unlimited demand, values and a failure are delivered`(operation: OperatorCase) {
    let recorder = record(operation)
    sendAll()
    failForGood()
    #expect(recorder.values == operation.outputOnFailure)
    #expect(recorder.completion == operation.endOnFailure)
    if !operation.traits.contains(.passesThrough) { #expect(recorder.breaches == []) }
  }

  @Test(arguments: OperatorCase.all)
  func `with limited demand, no operator delivers more values than were requested or loses any`(
    operation: OperatorCase
  ) {
    let recorder = record(operation, asking: .max(1))
    for value in 1...3 {
      for _ in 0..<6 {
        let accepted = probe.offer(value)
        pause()
        if accepted { break }
        recorder.request(.max(1))
        pause()
      }
    }
    if recorder.completion == nil { probe.finish() }
    pause()
    for _ in 0..<6 where recorder.completion == nil {
      recorder.request(.max(1))
      pause()
    }
    #expect(recorder.completion == operation.end)
    #expect(recorder.breaches == [])
    if !operation.traits.contains(.lossy) { #expect(recorder.values == operation.output) }
  }

  @Test(arguments: OperatorCase.all)
  func `without demand, only a completion that waits for no value is delivered`(operation: OperatorCase) {
    let recorder = record(operation, asking: .none)
    if let asks = operation.asks, asks == "max(2)" { #expect(probe.requested == .none) }
    for value in 1...3 {
      probe.offer(value)
      pause()
    }
    #expect(recorder.values == [])
    if recorder.completion == nil { probe.finish() }
    pause()
    if operation.traits.contains(.holdsEnd) {
      if recorder.completion == nil { recorder.request(.unlimited) }
      probe.finish()
      pause()
    }
    #expect(recorder.completion != nil)
    #expect(recorder.subscriptions == 1)
    if operation.traits.isDisjoint(with: .passesThrough) { #expect(recorder.breaches == []) }
  }

  @Test(arguments: OperatorCase.all)
  func `each operator requests its subscriber's demand or the documented demand`(operation: OperatorCase) {
    guard let asks = operation.asks else { return }
    _ = record(operation, asking: .max(2))
    #expect(probe.trace.entries.filter { $0.hasPrefix("up:") } == ["up:sub", "up:\(asks)"])
  }

  @Test(arguments: OperatorCase.all)
  func `a subscriber that cancels before the first value receives nothing, and upstream is cancelled once`(
    operation: OperatorCase
  ) {
    let recorder = record(operation, asking: .max(2))
    recorder.cancel()
    scheduler.advance()
    #expect(probe.cancels == 1)
    guard operation.traits.isDisjoint(with: .passesThrough) else { return }
    let asked = probe.trace.text
    recorder.cancel()
    recorder.request(.max(5))
    sendAll()
    finish()
    #expect(recorder.breaches == [])
    #expect(probe.trace.text == asked)
  }

  @Test(arguments: OperatorCase.strict)
  func `a subscriber that cancels while it receives a value receives no more`(operation: OperatorCase) {
    let recorder = Recorder<Int, TestError>()
    recorder.onValue = { [unowned recorder] _ in
      recorder.cancel()
      return .max(1)
    }
    operation.build(probe, scheduler).subscribe(recorder)
    scheduler.advance()
    sendAll()
    finish()
    #expect(recorder.values == Array(operation.output.prefix(1)))
    #expect(recorder.breaches == [])
    #expect(probe.cancels <= 1)
  }

  @Test(arguments: OperatorCase.strict)
  func `after the completion, cancel and request do not reach upstream`(operation: OperatorCase) {
    let recorder = record(operation)
    sendAll()
    finish()
    let asked = probe.trace.text
    recorder.cancel()
    recorder.request(.max(1))
    pause()
    #expect(probe.trace.text == asked)
    #expect(recorder.breaches == [])
  }

  @Test(arguments: OperatorCase.all)
  func `a second subscription from upstream is cancelled and not passed on`(operation: OperatorCase) {
    let recorder = record(operation, asking: .max(2))
    let second = Trace()
    probe.send(subscription: NotedSubscription(second))
    scheduler.advance()
    #expect(second.text == "up:cancel")
    if operation.traits.isDisjoint(with: .passesThrough) { #expect(recorder.subscriptions == 1) }
  }

  @Test(arguments: OperatorCase.strict, [false, true])
  func `after a completion, nothing that upstream sends is delivered`(operation: OperatorCase, fails: Bool) {
    let recorder = record(operation)
    if fails { failForGood() } else { finish() }
    let values = recorder.values
    sendAll()
    probe.fail(.other)
    finish()
    #expect(recorder.values == values)
    #expect(recorder.breaches == [])
    if !fails { #expect(probe.cancels <= 1) }
  }
}
