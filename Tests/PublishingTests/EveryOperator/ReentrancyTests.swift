// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

/// Reentrant calls: values during the subscription, requests and cancels while a value is received, sends during a
/// cancel.
@Suite("every operator, with nested calls") struct ReentrancyTests {
  let scheduler = TestScheduler()
  let probe = Probe<Int, TestError>()

  /// Makes the upstream send 1, 2, 3 and the end at the first request, as a sequence does.
  private func answerRequests() {
    var isServing = false
    probe.onRequest = { link in
      // The first request runs to the end; nested ones only raise the demand.
      guard !isServing else { return }
      isServing = true
      Self.serve(link)
      isServing = false
    }
  }

  private static func serve(_ link: Probe<Int, TestError>.Link) {
    while !link.isCancelled, link.outstanding > .none, link.sent < 3 {
      link.send(link.sent + 1)
    }
    if !link.isCancelled, link.sent == 3, !link.isComplete { link.send(completion: .finished) }
  }

  private func expectAll(_ operation: OperatorCase, _ recorder: Recorder<Int, TestError>) {
    scheduler.run()
    #expect(recorder.completion == operation.end)
    #expect(recorder.breaches == [])
    if !operation.traits.contains(.lossy) { #expect(recorder.values == operation.output) }
  }

  private func send(_ values: ClosedRange<Int>, to send: (Int) -> Void) {
    for value in values {
      send(value)
      scheduler.advance(by: 2)
    }
  }

  @Test(arguments: OperatorCase.all)
  func `a source may send values synchronously when it receives unlimited demand`(operation: OperatorCase) {
    answerRequests()
    let recorder = operation.build(probe, scheduler).record()
    expectAll(operation, recorder)
  }

  @Test(arguments: OperatorCase.all)
  func `a source may send values synchronously when receive(_:) returns demand`(operation: OperatorCase) {
    answerRequests()
    let recorder = operation.build(probe, scheduler).record(asking: .max(1)) { _ in .max(1) }
    expectAll(operation, recorder)
  }

  @Test(arguments: OperatorCase.all)
  func `a source may send synchronously when it receives a request while it sends`(operation: OperatorCase) {
    answerRequests()
    let recorder = Recorder<Int, TestError>(asking: .max(1))
    recorder.onValue = { [unowned recorder] _ in
      recorder.request(.max(1))
      return .none
    }
    operation.build(probe, scheduler).subscribe(recorder)
    expectAll(operation, recorder)
  }

  @Test(arguments: OperatorCase.all)
  func `a subscriber that cancels in receive(subscription:) receives nothing`(operation: OperatorCase) {
    let recorder = Recorder<Int, TestError>()
    recorder.onSubscription = { [unowned recorder] in recorder.cancel() }
    operation.build(probe, scheduler).subscribe(recorder)
    scheduler.run()
    #expect(probe.links.isEmpty || probe.cancels == 1)
    guard operation.traits.isDisjoint(with: .passesThrough) else { return }
    for value in 1...3 { probe.send(value) }
    probe.finish()
    scheduler.run()
    #expect(recorder.breaches == [])
    #expect(recorder.values == [])
  }

  @Test(arguments: OperatorCase.all)
  func `a source may finish during the call of subscribe without any demand`(operation: OperatorCase) {
    probe.onSubscribe = { $0.send(completion: .finished) }
    let recorder = operation.build(probe, scheduler).record(asking: .none)
    scheduler.run()
    if recorder.completion == nil { recorder.request(.unlimited) }
    scheduler.run()
    #expect(recorder.completion == .finished)
    #expect(recorder.breaches == [])
    #expect(recorder.subscriptions == 1)
  }

  @Test(arguments: OperatorCase.all)
  func `a source may fail during the call of subscribe`(operation: OperatorCase) {
    probe.onSubscribe = { $0.send(completion: .failure(.oops)) }
    let recorder = operation.build(probe, scheduler).record()
    scheduler.run()
    #expect(recorder.completion != nil)
    #expect(recorder.breaches == [])
    #expect(recorder.subscriptions == 1)
  }

  @Test(arguments: OperatorCase.strict)
  func `values that a source sends while it is cancelled are not delivered`(operation: OperatorCase) {
    probe.onCancel = {
      guard $0.cancels == 1 else { return }
      $0.send(9)
      $0.send(completion: .failure(.other))
    }
    let recorder = operation.build(probe, scheduler).record()
    scheduler.advance()
    probe.send(1)
    scheduler.advance(by: 2)
    recorder.cancel()
    scheduler.run()
    #expect(recorder.breaches == [])
    #expect(probe.cancels == 1)
  }

  @Test(arguments: OperatorCase.all)
  func `values that a source sends while an operator cancels it early are not delivered`(
    operation: OperatorCase
  ) {
    guard operation.traits.contains(.early) else { return }
    probe.onCancel = {
      guard $0.cancels == 1 else { return }
      $0.send(9)
      $0.send(completion: .failure(.oops))
    }
    let recorder = operation.build(probe, scheduler).record()
    for value in 1...3 { probe.send(value) }
    #expect(recorder.values == operation.output)
    #expect(recorder.completion == operation.end)
    #expect(recorder.breaches == [])
    #expect(probe.cancels == 1)
  }

  @Test(arguments: OperatorCase.strict)
  func `values that a subscriber causes while it receives one are handled like values that arrive later`(
    operation: OperatorCase
  ) {
    var sent = 0
    func sendNext() {
      guard sent < 3 else { return }
      sent += 1
      send(sent...sent) { probe.send($0) }
    }
    let recorder = Recorder<Int, TestError>()
    recorder.onValue = { _ in
      if !probe.links.isEmpty { sendNext() }
      return .none
    }
    operation.build(probe, scheduler).subscribe(recorder)
    scheduler.advance()
    while sent < 3 { sendNext() }
    probe.finish()
    scheduler.run()
    #expect(recorder.values == operation.output)
    #expect(recorder.completion == operation.end)
    #expect(recorder.breaches == [])
  }

  @Test(arguments: OperatorCase.strict)
  func `a subscriber may cancel in its completion`(operation: OperatorCase) {
    let recorder = Recorder<Int, TestError>()
    recorder.onCompletion = { [unowned recorder] in recorder.cancel() }
    operation.build(probe, scheduler).subscribe(recorder)
    scheduler.advance()
    send(1...3) { probe.send($0) }
    probe.finish()
    scheduler.run()
    #expect(recorder.values == operation.output)
    #expect(recorder.completion == operation.end)
    #expect(recorder.breaches == [])
    #expect(probe.cancels == (operation.traits.contains(.early) ? 1 : 0))
  }

  @Test(arguments: OperatorCase.all)
  func `two subscriptions to one operator have separate states`(operation: OperatorCase) {
    guard operation.traits.isDisjoint(with: .shares) else { return }
    let publisher = operation.build(probe, scheduler)
    let first = publisher.record()
    scheduler.advance()
    probe.send(1)
    scheduler.advance(by: 2)
    let firstLink = probe.links.last
    let second = publisher.record()
    scheduler.advance()
    send(1...3) { probe.send($0) }
    probe.finish()
    scheduler.advance(by: 2)
    #expect(second.values == operation.output)
    #expect(second.completion == operation.end)
    send(2...3) { firstLink?.send($0) }
    firstLink?.send(completion: .finished)
    scheduler.advance(by: 2)
    #expect(first.completion == operation.end)
    if operation.name != "measureInterval" { #expect(first.values == operation.output) }
  }
}
