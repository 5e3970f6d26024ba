// SPDX-License-Identifier: Apache-2.0
import GeopublicistTestSupport
import Testing

@testable import GeopublicistLocationModel

@Suite struct SourceScheduleTests {
  typealias Need = SourceSchedule.Need

  private final class Object {}
  private let one = Object()
  private let two = Object()
  static let second = Duration.seconds(1)

  @Test func `the source is used at the finest level that is needed`() {
    var schedule = SourceSchedule()
    #expect(schedule.update(at: 0) == (nil, nil))
    schedule.set(Need(.city), for: ObjectIdentifier(one))
    schedule.set(Need(.exact), for: ObjectIdentifier(two))
    #expect(schedule.update(at: 1) == (.exact, nil))
    schedule.set(Need(.street), for: ObjectIdentifier(two))
    #expect(schedule.update(at: 2) == (.street, nil))
    schedule.set(nil, for: ObjectIdentifier(two))
    schedule.set(nil, for: ObjectIdentifier(one))
    #expect(schedule.update(at: 3) == (nil, nil))
    #expect(!schedule.isResting)
  }

  @Test func `the source is released only some time after the last client has left`() {
    var schedule = SourceSchedule(linger: 2 * Self.second)
    schedule.set(Need(.exact), for: ObjectIdentifier(one))
    #expect(schedule.update(at: 0) == (.exact, nil))
    schedule.set(nil, for: ObjectIdentifier(one))
    #expect(schedule.update(at: 1 * Self.second) == (.exact, 3 * Self.second))
    schedule.set(Need(.exact), for: ObjectIdentifier(one))
    #expect(schedule.update(at: 2 * Self.second) == (.exact, nil))
    schedule.set(nil, for: ObjectIdentifier(one))
    #expect(schedule.update(at: 3 * Self.second).level == .exact)
    #expect(schedule.update(at: 5 * Self.second) == (nil, nil))
  }

  @Test func `the source is released if the next location is due in over a minute, and used again 15 s before it`() {
    var schedule = SourceSchedule()
    schedule.set(Need(.exact), for: ObjectIdentifier(one))
    #expect(schedule.update(at: 0) == (.exact, nil))
    schedule.set(Need(.exact, from: 60 * Self.second), for: ObjectIdentifier(one))
    #expect(schedule.update(at: 0) == (.exact, nil), "a rest of a minute is not worthwhile")
    schedule.set(Need(.exact, from: 600 * Self.second), for: ObjectIdentifier(one))
    #expect(schedule.update(at: 0) == (nil, 585 * Self.second))
    #expect(schedule.isResting)
    #expect(schedule.update(at: 584 * Self.second) == (nil, 585 * Self.second))
    #expect(schedule.update(at: 585 * Self.second) == (.exact, nil))
    #expect(!schedule.isResting)
  }

  /// Regression: a source that was silent because nothing moved did not measure for a region's check while another
  /// client used it, so that the region was lost.
  @Test func `a source that is held already is asked when a check begins`() {
    var schedule = SourceSchedule()
    schedule.set(Need(.exact), for: ObjectIdentifier(one))
    schedule.set(.check(.exact, from: 100 * Self.second), for: ObjectIdentifier(two))
    #expect(schedule.update(at: 0).level == .exact && !schedule.mustAsk)
    #expect(schedule.update(at: 100 * Self.second).level == .exact && schedule.mustAsk)
    #expect(schedule.update(at: 101 * Self.second).level == .exact && !schedule.mustAsk)
    schedule.set(nil, for: ObjectIdentifier(one))
    schedule.set(.check(.exact, from: 300 * Self.second), for: ObjectIdentifier(two))
    #expect(schedule.update(at: 102 * Self.second).level == nil)
    #expect(schedule.update(at: 300 * Self.second).level == .exact && !schedule.mustAsk)
  }

  @Test func `a source is kept for a few seconds, but not acquired, while a location waits to be sent`() {
    var schedule = SourceSchedule()
    var need = Need(.exact, from: 1_800 * Self.second, firstTry: 30 * Self.second)
    need.dueAt = 1 * Self.second
    schedule.set(need, for: ObjectIdentifier(one))
    #expect(schedule.update(at: 1 * Self.second) == (nil, 1_800 * Self.second))
    schedule.set(Need(.exact), for: ObjectIdentifier(two))
    #expect(schedule.update(at: 2 * Self.second).level == .exact)
    schedule.set(nil, for: ObjectIdentifier(two))
    #expect(schedule.update(at: 3 * Self.second) == (.exact, 6 * Self.second))
    #expect(schedule.update(at: 6 * Self.second).level == nil)
  }

  @Test func `while no location is due, a call uses the source only at the level of that call`() {
    var schedule = SourceSchedule()
    schedule.set(Need(.exact, from: 600 * Self.second), for: ObjectIdentifier(one))
    #expect(schedule.update(at: 0).level == nil)
    schedule.set(Need(.city), for: ObjectIdentifier(two))
    #expect(schedule.update(at: 1) == (.city, 585 * Self.second))
    schedule.set(nil, for: ObjectIdentifier(two))
    #expect(schedule.update(at: 2).level == nil)
    #expect(schedule.isResting)
  }

  @Test func `a source that does not answer is tried again after 2 and 10 minutes, then every 30 minutes`() {
    var schedule = SourceSchedule(linger: 2 * Self.second)
    schedule.set(Need(.exact, from: 100 * Self.second, firstTry: 30 * Self.second), for: ObjectIdentifier(one))
    var (now, tries): (MonotonicInstant, [Double]) = (0, [])
    while tries.count < 20, let again = schedule.update(at: now).again {
      tries.append((again - now).seconds)
      now = again
    }
    let cycle: [Double] = [60, 1_800, 120, 1_800, 60, 1_800, 60, 1_800]
    #expect(tries == Array(([100, 30, 120, 60, 600] + cycle + cycle).prefix(20)), "the attempts follow the schedule")
  }

  /// A source that sends a location each second while it is used, the first one after a delay.
  @Test(arguments: [0, 3, 14] as [UInt64], [65, 90, 600, 1_800] as [UInt64])
  func `a pause of the source delays no delivery by more than a second`(firstFix: UInt64, interval: UInt64) {
    let configuration = DeliveryRule.Configuration(timeThreshold: .seconds(interval))
    var (rule, continuous) = (DeliveryRule(configuration), DeliveryRule(configuration))
    var schedule = SourceSchedule(linger: 2 * Self.second)
    let object = Object()
    var (rested, followed, held): ([UInt64], [UInt64], UInt64) = ([], [], 0)
    var heldSince: UInt64?
    for second in 0..<UInt64(4 * 3_600) {
      let now = MonotonicInstant.seconds(second)
      schedule.set(Need(.exact, from: rule.mayDeliverFrom), for: ObjectIdentifier(object))
      heldSince = schedule.update(at: now).level == nil ? nil : heldSince ?? second
      let location = Location(latitude: 52, longitude: 13, timestamp: Timestamp(seconds: second))
      if second >= firstFix, continuous.sends(location, at: now) {
        followed.append(second)
      }
      guard let since = heldSince else { continue }
      held += 1
      if second >= since + firstFix, rule.sends(location, at: now) {
        rested.append(second)
      }
    }
    #expect(rested.count == followed.count)
    #expect(zip(rested, followed).allSatisfy { $0 <= $1 + 1 }, "\(rested) instead of \(followed)")
    // The warm-up and the time for which the source is kept, in each interval of more than a minute.
    #expect(held <= (4 * 3_600 / interval + 1) * (15 + 2 + 1 + firstFix))
  }

  @Test(arguments: [1, 7, 42] as [UInt64])
  func `whenever a location is due, the source is in use`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var schedule = SourceSchedule(linger: Self.second)
    let objects = (0..<8).map { _ in Object() }
    var needs: [Int: Need] = [:]
    var (now, again) = (MonotonicInstant.origin, MonotonicInstant?.none)
    for _ in 0..<2_000 {
      let index = Int.random(in: 0..<8, using: &random)
      let level: AccuracyLevel = [.city, .street, .exact][Int.random(in: 0..<3, using: &random)]
      needs[index] =
        Bool.random(using: &random)
        ? nil : Need(level, from: now + .seconds(Int.random(in: 0...900, using: &random)))
      schedule.set(needs[index], for: ObjectIdentifier(objects[index]))
      let level2: AccuracyLevel?
      (level2, again) = schedule.update(at: now)
      let due = needs.values.filter { $0.from <= now + SourceSchedule.warmUp }.map(\.level).max()
      #expect(due == nil || level2.map { $0 >= due ?? .none } == true)
      now = min(again ?? .max, now + .seconds(Int.random(in: 0...300, using: &random)))
    }
    withExtendedLifetime(objects) {}
  }
}
