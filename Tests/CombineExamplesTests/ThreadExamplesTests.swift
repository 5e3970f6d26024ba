// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import GeopublicistCombineFoundation
import Testing

/// Where `receive(on:)` and `subscribe(on:)` let things happen. The layer has no locks, so the other thread gets its
/// work only when the first has finished with the chain.
@Suite("examples: threads") struct ThreadExamplesTests {
  let out = Output()

  @MainActor @Test func `values are received on a background queue`() async {
    let queue = DispatchQueue(label: "background")
    queue.suspend()
    let subscription = Just(1)
      .map { _ in out.print(MainQueue.isCurrent) }
      .receive(on: queue)
      .map { _ in out.print(MainQueue.isCurrent) }
      .sink { _ in out.print(MainQueue.isCurrent) }
    queue.resume()
    await wait { out.lines.count >= 3 }
    #expect(out.joined == "true / false / false")
    queue.sync {}
    subscription.cancel()
  }

  @MainActor @Test func `a subscription happens on a background queue`() async {
    let queue = DispatchQueue(label: "background")
    queue.suspend()
    let subscription = Just(1)
      .subscribe(on: queue)
      .map { _ in out.print(MainQueue.isCurrent) }
      .sink { _ in out.print(MainQueue.isCurrent) }
    queue.resume()
    await wait { out.lines.count >= 2 }
    #expect(out.joined == "false / false")
    queue.sync {}
    subscription.cancel()
  }

  @MainActor @Test func `work happens in the background and values arrive on the main queue`() async {
    let queue = DispatchQueue(label: "background")
    queue.suspend()
    let subscription = Just(1)
      .subscribe(on: queue)
      .map { _ in out.print(MainQueue.isCurrent) }
      .receive(on: DispatchQueue.main)
      .sink { _ in out.print(MainQueue.isCurrent) }
    queue.resume()
    for _ in 0..<4 { queue.sync {} }
    await wait { out.lines.count >= 2 }
    #expect(out.joined == "false / true")
    subscription.cancel()
  }

  @Test func `values are received on a run loop`() async {
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

  @MainActor @Test func `values are received on an operation queue`() async {
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

  @MainActor @Test func `the immediate scheduler runs at once`() {
    _ = Just(1).receive(on: ImmediateScheduler.shared).sink { _ in out.print(MainQueue.isCurrent) }
    #expect(out.joined == "true")
  }
}
