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
  func `with unlimited demand, values and the completion are delivered`(operation: OperatorCase) {
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
  func `values and a failure pass with unlimited demand`(operation: OperatorCase) {
    let recorder = record(operation)
    sendAll()
    failForGood()
    #expect(recorder.values == operation.outputOnFailure)
    #expect(recorder.completion == operation.endOnFailure)
    if !operation.traits.contains(.passesThrough) { #expect(recorder.breaches == []) }
  }

  @Test(arguments: OperatorCase.all)
  func `limited demand: no more than requested passes, and no value of an obedient upstream is lost`(
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
  func `no demand: no value passes, but the end does unless a value waits before it`(operation: OperatorCase) {
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
  func `upstream receives downstream's demand, or the operator's own`(operation: OperatorCase) {
    guard let asks = operation.asks else { return }
    _ = record(operation, asking: .max(2))
    #expect(probe.trace.entries.filter { $0.hasPrefix("up:") } == ["up:sub", "up:\(asks)"])
  }

  @Test(arguments: OperatorCase.all)
  func `cancel before any value: upstream is cancelled once, and nothing passes or is requested`(
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
  func `cancel inside a value: no value follows`(operation: OperatorCase) {
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
  func `cancel after the end: upstream is not called again`(operation: OperatorCase) {
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
  func `nothing passes after the end or a failure, whatever upstream sends`(operation: OperatorCase, fails: Bool) {
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
