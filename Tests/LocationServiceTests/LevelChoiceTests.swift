import GeopublicistLocationModel
import Testing

@testable import GeopublicistService

@Suite("The level that GeoClue is asked for")
struct LevelChoiceTests {
  @Test("the highest level that anybody needs counts, and nobody's none")
  func demand() {
    var demand = Demand()
    #expect(demand.level == nil)
    demand.move(from: nil, to: .city)
    demand.move(from: nil, to: .exact)
    demand.move(from: nil, to: .city)
    #expect(demand.level == .exact)
    demand.move(from: .exact, to: .street)
    #expect(demand.level == .street)
    demand.move(from: .street, to: nil)
    demand.move(from: .city, to: nil)
    #expect(demand.level == .city)
    demand.move(from: .city, to: nil)
    #expect(demand.level == nil)
  }

  private func status(
    _ state: UpstreamState, _ reason: UpstreamReason = .none, available: AccuracyLevel? = .exact
  ) -> UpstreamStatus {
    UpstreamStatus(state: state, reason: reason, availableAccuracy: available)
  }

  @Test("a listener for the city gets its fix from a GPS receiver when there is nothing coarser")
  func raised() {
    var choice = LevelChoice()
    choice.need(.city)
    #expect(choice.level(available: .exact) == .city)
    #expect(choice.isWaiting(status(.waiting, .noFix)))
    choice.raise()
    #expect(choice.level(available: .exact) == .exact)
    #expect(choice.isWaiting(status(.waiting, .noFix)) == false)
  }

  @Test("there is no waiting for a finer source while fixes come, or where there is none")
  func notRaised() {
    var choice = LevelChoice()
    #expect(choice.isWaiting(status(.waiting, .noFix)) == false)
    choice.need(.city)
    #expect(choice.isWaiting(status(.running)) == false)
    #expect(choice.isWaiting(status(.waiting, .noAgent)) == false)
    #expect(choice.isWaiting(status(.waiting, .noFix, available: .city)) == false)
    #expect(choice.isWaiting(status(.waiting, .noFix, available: nil)) == false)
    choice.need(.exact)
    #expect(choice.isWaiting(status(.waiting, .noFix)) == false)
  }

  @Test("another need begins anew")
  func begunAnew() {
    var choice = LevelChoice()
    choice.need(.city)
    choice.raise()
    choice.need(.street)
    #expect(choice.level(available: .exact) == .street)
    choice.need(nil)
    choice.raise()
    #expect(choice.level(available: .exact) == nil)
  }
}
