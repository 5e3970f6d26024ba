// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@testable import GeopublicistService

@Suite("The level that GeoClue is asked for")
struct LevelChoiceTests {
  private func status(
    _ state: SourceState, _ reason: SourceReason = .none, available: AccuracyLevel? = .exact
  ) -> SourceStatus {
    SourceStatus(state: state, reason: reason, availableAccuracy: available)
  }

  @Test func `a client at city level is served by a GPS receiver when there is nothing coarser`() {
    var choice = LevelChoice()
    choice.need(.city)
    #expect(choice.level(available: .exact, ceiling: .exact) == .city)
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact))
    choice.raise()
    #expect(choice.level(available: .exact, ceiling: .exact) == .exact)
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact) == false)
  }

  @Test func `no finer source is awaited while fixes arrive or none exists`() {
    var choice = LevelChoice()
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact) == false)
    choice.need(.city)
    #expect(choice.isWaiting(status(.running), ceiling: .exact) == false)
    #expect(choice.isWaiting(status(.waiting, .noAgent), ceiling: .exact) == false)
    #expect(choice.isWaiting(status(.waiting, .noFix, available: .city), ceiling: .exact) == false)
    #expect(choice.isWaiting(status(.waiting, .noFix, available: nil), ceiling: .exact) == false)
    choice.need(.exact)
    #expect(choice.isWaiting(status(.waiting, .noFix), ceiling: .exact) == false)
  }

  @Test func `a user whose agent permits the city alone gets nothing from a receiver`() {
    var choice = LevelChoice()
    choice.need(.city)
    #expect(!choice.isWaiting(status(.waiting, .noFix), ceiling: .city))
    choice.raise()
    #expect(choice.level(available: .exact, ceiling: .city) == .city, "the permission has ended meanwhile")
    #expect(choice.level(available: .exact, ceiling: .street) == .street)
  }

  @Test func `a different demand starts again`() {
    var choice = LevelChoice()
    choice.need(.city)
    choice.raise()
    choice.need(.street)
    #expect(choice.level(available: .exact, ceiling: .exact) == .street)
    choice.need(nil)
    choice.raise()
    #expect(choice.level(available: .exact, ceiling: .exact) == nil)
  }
}
