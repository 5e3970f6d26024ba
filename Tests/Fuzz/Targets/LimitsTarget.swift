// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import MainLoop

@testable import GeopublicistService

/// Fuzzes rates, budgets, needs and the choice of a level: all must be bounded and empty once every client has left.
func fuzzLimits(_ source: ByteSource) {
  let (burst, rate) = (source.integer(UInt32.self), UInt32(source.byte()))
  var bucket = TokenBucket(burst: burst, at: .origin)
  var budget = UpdateBudget<BootClock>(
    maxUpdates: source.integer(), duration: .milliseconds(source.integer(UInt32.self)))
  var schedule = SourceSchedule()
  let clients = (0..<8).map { _ in Marker() }
  var needs: [ObjectIdentifier: SourceSchedule.Need] = [:]
  var choice = LevelChoice()
  var now = MonotonicInstant.origin
  while !source.isEmpty {
    now = now + .seconds(source.byte())
    switch source.number(below: 6) {
    case 0: _ = bucket.take(burst: burst, perSecond: rate, at: now)
    case 1:
      _ = bucket.take(burst: burst, perSecond: rate, at: MonotonicInstant(microseconds: source.integer(Int64.self)))
      bucket.charge(Double(source.byte()), burst: burst)
    case 2:
      budget.started(at: BootInstant(sinceOrigin: now.sinceOrigin))
      claim(budget.countDelivery() == budget.hasSentAll, "the last delivery is recognised")
      _ = (budget.deadline, budget.isComplete(at: BootInstant(microseconds: source.integer(UInt64.self))))
    case 3, 4:
      let client = ObjectIdentifier(clients[source.number(below: clients.count)])
      let level = source.pick([nil] + AccuracyLevel.allCases)
      let from = MonotonicInstant(microseconds: source.flag() ? 0 : source.integer(UInt64.self))
      let need = level.map {
        SourceSchedule.Need($0, from: from, firstTry: source.flag() ? .microseconds(source.integer(UInt64.self)) : nil)
      }
      needs[client] = need
      schedule.set(need, for: client)
    default:
      choice.need(schedule.update(at: now).level)
      if source.flag() { choice.raise() }
      let available = source.pick([nil] + AccuracyLevel.allCases)
      let ceiling = source.pick(AccuracyLevel.allCases)
      let level = choice.level(available: available, ceiling: ceiling)
      claim((level == nil) == (choice.needed == nil), "the source is used exactly when a client needs it")
      claim(level.map { $0 <= max(ceiling, choice.needed ?? $0) } ?? true, "the level is never finer than permitted")
      _ = choice.isWaiting(
        SourceStatus(state: .waiting, reason: .noFix, availableAccuracy: available), ceiling: ceiling)
    }
    let (level, again) = schedule.update(at: now)
    claim(again.map { $0 > now } ?? true, "the next time is in the future")
    claim(
      level.map { level in needs.values.contains { $0.level == level } } ?? true, "the level is one that a client needs"
    )
    let due = needs.values.filter { $0.from <= now && $0.firstTry == nil }.map(\.level).max()
    claim(due == nil || level ?? .none >= due ?? .none, "the level is the finest that is needed now")
  }
  for client in clients { schedule.set(nil, for: ObjectIdentifier(client)) }
  claim(schedule.update(at: now).level == nil && !schedule.isNeeded, "nothing is left")
}

/// Represents a client's object.
private final class Marker {}
