// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import Testing

/// The threads on which `receive(on:)` and `subscribe(on:)` run their parts. Publishers have no locks, so the other
/// thread receives its work only after the first has finished with the chain.
@Suite("examples: threads") struct ThreadExamplesTests {
  let out = Output()

  /// Whether each step of a chain ran on the main queue. The chain begins while the background queue waits.
  @MainActor private func places(_ count: Int, _ chain: (DispatchQueue) -> AnyCancellable) async -> String {
    let queue = DispatchQueue(label: "background")
    queue.suspend()
    let subscription = chain(queue)
    queue.resume()
    for _ in 0..<4 { queue.sync {} }
    await wait { out.lines.count >= count }
    queue.sync {}
    subscription.cancel()
    return out.joined
  }

  private func note<Value>(_: Value) { out.print(MainQueue.isCurrent) }

  @MainActor @Test func `receive(on:) delivers values on a background queue`() async {
    let found = await places(3) { queue in
      Just(1).map(note).receive(on: queue).map(note).sink(receiveValue: note)
    }
    #expect(found == "true / false / false")
  }

  @MainActor @Test func `subscribe(on:) subscribes on a background queue`() async {
    let found = await places(2) { queue in Just(1).subscribe(on: queue).map(note).sink(receiveValue: note) }
    #expect(found == "false / false")
  }

  @MainActor @Test func `subscribe(on:) works on a background queue and receive(on:) delivers on the main queue`() async
  {
    let found = await places(2) { queue in
      Just(1).subscribe(on: queue).map(note).receive(on: DispatchQueue.main).sink(receiveValue: note)
    }
    #expect(found == "false / true")
  }

  @Test func `receive(on:) delivers values on a run loop`() async {
    await onRunLoop { loop in
      let home = Thread.current
      let subscription = Just("done").receive(on: loop)
        .sink(
          receiveCompletion: { _ in out.print("finished") }, receiveValue: { _ in out.print(Thread.current === home) })
      if out.lines.isEmpty { out.print("subscribed") }
      loop.run { out.lines.count >= 3 }
      subscription.cancel()
    }
    #expect(out.joined == "subscribed / true / finished")
  }

  @MainActor @Test func `receive(on:) delivers values on an operation queue`() async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let subscription = [1, 2].publisher.receive(on: queue)
      .sink(receiveCompletion: { _ in out.print("finished") }, receiveValue: { out.print($0) })
    queue.isSuspended = false
    await wait { out.lines.count >= 3 }
    #expect(out.joined == "1 / 2 / finished")
    await wait { queue.operationCount == 0 }
    subscription.cancel()
  }

  /// Regression: Dispatch aborts for such intervals.
  @MainActor @Test(arguments: [-1, 0, 1e12]) func `an operation queue accepts every interval`(seconds: Double) async {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let subscription = queue.schedule(after: queue.now, interval: .seconds(seconds)) { out.print("done") }
    await wait { !out.lines.isEmpty }
    subscription.cancel()
  }

  @MainActor @Test func `the immediate scheduler runs work before the call returns`() {
    _ = Just(1).receive(on: ImmediateScheduler.shared).sink { _ in out.print(MainQueue.isCurrent) }
    #expect(out.joined == "true")
  }
}
