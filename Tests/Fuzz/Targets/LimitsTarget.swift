// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel

@testable import GeopublicistService

/// Rates, budgets, demand and the choice of a level: bounded, and nothing is left when everybody has gone.
func fuzzLimits(_ source: ByteSource) {
  let (burst, rate) = (source.integer(UInt32.self), UInt32(source.byte()))
  var bucket = TokenBucket(burst: burst, at: 0)
  var budget = UpdateBudget(maxUpdates: source.integer(), duration: source.integer())
  var demand = Demand()
  var listeners: [AccuracyLevel] = []
  var choice = LevelChoice()
  var (now, taken): (Int64, Double) = (0, 0)
  while !source.isEmpty {
    now += Int64(source.byte()) * 10_000
    switch source.number(below: 6) {
    case 0: if bucket.take(burst: burst, perSecond: rate, at: now) { taken += 1 }
    case 1: if bucket.take(burst: burst, perSecond: rate, at: source.integer()) { taken += 1 }
    case 2:
      budget.started(at: UInt64(now))
      claim(budget.countDelivery() == budget.hasSentAll, "the last one is said to be the last")
      _ = (budget.deadline, budget.isComplete(at: source.integer()))
    case 3:
      let level = source.pick(AccuracyLevel.allCases)
      demand.move(from: nil, to: level)
      listeners.append(level)
    case 4 where !listeners.isEmpty:
      let old = listeners.remove(at: source.number(below: listeners.count))
      let new = source.pick([nil] + AccuracyLevel.allCases)
      demand.move(from: old, to: new)
      if let new { listeners.append(new) }
    default:
      choice.need(demand.level)
      if source.flag() { choice.raise() }
      let available = source.pick([nil] + AccuracyLevel.allCases)
      claim((choice.level(available: available) == nil) == (demand.level == nil), "asked for when somebody listens")
      _ = choice.isWaiting(UpstreamStatus(state: .waiting, reason: .noFix, availableAccuracy: available))
    }
    claim(demand.level == listeners.max(), "the finest that is needed")
  }
  for listener in listeners { demand.move(from: listener, to: nil) }
  claim(demand.level == nil, "nobody is left")
}
