// SPDX-License-Identifier: Apache-2.0
import Combine
import Foundation
import Testing

/// `RunLoop.main` in a program that serves only the main queue, as a test run does.
@MainActor @Suite struct MainRunLoopTests {
  @Test func `RunLoop.main runs work on the main queue, immediately and delayed`() async {
    var values: [Int] = []
    let isOnMainQueue = Just(1).receive(on: RunLoop.main).map { _ in MainQueue.isCurrent }.values
    for await isCurrent in isOnMainQueue { #expect(isCurrent) }
    let begin = Date()
    let delayed = Just(2).delay(for: 0.05, scheduler: RunLoop.main).sink { values.append($0) }
    await wait { values == [2] }
    #expect(values == [2] && Date().timeIntervalSince(begin) >= 0.05)
    delayed.cancel()
  }

  @Test func `repeated work on RunLoop.main and its timers end when they are cancelled`() async {
    var (runs, ticks) = (0, 0)
    let loop = RunLoop.main
    let first = loop.now.advanced(by: 0.01)
    let work = loop.schedule(after: first, interval: 0.01, tolerance: 0, options: nil) { runs += 1 }
    let timer = Timer.publish(every: 0.01, on: .main, in: .common).autoconnect().sink { _ in ticks += 1 }
    await wait { runs >= 2 && ticks >= 2 }
    #expect(runs >= 2 && ticks >= 2)
    work.cancel()
    timer.cancel()
    let (lastRun, lastTick) = (runs, ticks)
    // As long as ten intervals.
    try? await Task.sleep(nanoseconds: 100_000_000)
    #expect(runs == lastRun && ticks == lastTick)
  }

  @Test func `an interval that is no length of time does not end the program`() async {
    for interval in [0, -1, Double.nan, Double.infinity] {
      let loop = RunLoop.main
      loop.schedule(after: loop.now, interval: .seconds(interval), tolerance: 0, options: nil) {}.cancel()
      Timer.publish(every: interval, tolerance: interval, on: .main, in: .common).connect().cancel()
    }
  }
}
