// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport

/// Virtual time in milliseconds, in which things happen later, at random.
class SimulatedTime {
  var random: SeededGenerator
  var now: Int64 = 0
  private var events: [(time: Int64, action: () -> Void)] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

  func after(_ milliseconds: Int64, _ action: @escaping () -> Void) { events.append((now + milliseconds, action)) }

  /// Does all that is due in each millisecond, and then checks.
  func run(until end: Int64, _ check: () -> Void) {
    while now < end {
      now += 1
      while let index = events.indices.filter({ events[$0].time <= now }).min(by: { events[$0].time < events[$1].time })
      {
        events.remove(at: index).action()
      }
      check()
    }
  }

  /// Does something for 20 seconds, in bursts with a pause now and then.
  func repeatedly(_ step: @escaping () -> Void) {
    step()
    after(number(0...3) == 0 ? number(300...2_000) : number(1...30)) { [self] in
      if now < 20_000 { repeatedly(step) }
    }
  }
}
