// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct SourceScheduleTests {
  @Test func `the highest level that anything needs counts`() {
    var schedule = SourceSchedule()
    #expect(schedule.needed == nil)
    schedule.move(from: nil, to: .city)
    schedule.move(from: nil, to: .exact)
    schedule.move(from: nil, to: .city)
    #expect(schedule.needed == .exact)
    schedule.move(from: .exact, to: .street)
    #expect(schedule.needed == .street)
    schedule.move(from: .street, to: nil)
    schedule.move(from: .city, to: nil)
    #expect(schedule.needed == .city)
    schedule.move(from: .city, to: nil)
    #expect(schedule.needed == nil)
  }

  @Test func `D26: the source is kept for a moment after the last client has left`() {
    var schedule = SourceSchedule(linger: 2_000_000)
    schedule.move(from: nil, to: .exact)
    #expect(schedule.update(at: 0).level == .exact)
    schedule.move(from: .exact, to: nil)
    let (level, again) = schedule.update(at: 1_000_000)
    #expect(level == .exact && again == 1_000_000 + 2_000_000)
    schedule.move(from: nil, to: .exact)
    #expect(schedule.update(at: 1_500_000) == (.exact, nil))
    schedule.move(from: .exact, to: nil)
    #expect(schedule.update(at: 2_000_000).level == .exact)
    #expect(schedule.update(at: 2_000_000 + 2_000_000) == (nil, nil))
    #expect(schedule.update(at: 9_000_000) == (nil, nil))
  }
}
