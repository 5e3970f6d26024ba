// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import Testing

@Suite struct UpdateBudgetTests {
  @Test func `without limits it never ends`() {
    var budget = UpdateBudget()
    budget.started(at: 5)
    for _ in 0..<1000 { #expect(budget.countDelivery() == false) }
    #expect(budget.delivered == 1000)
    #expect(budget.deadline == nil)
    #expect(!budget.isComplete(at: .max))
  }

  @Test func `the last of the allowed updates completes it`() {
    var budget = UpdateBudget(maxUpdates: 3)
    budget.started(at: 5)
    let answers = (0..<3).map { _ in budget.countDelivery() }
    #expect(answers == [false, false, true])
    #expect(budget.isComplete(at: 5))
    #expect(budget.hasSentAll)
  }

  @Test func `one update is the first and the last`() {
    var budget = UpdateBudget(maxUpdates: 1)
    #expect(!budget.isComplete(at: .max))
    #expect(budget.countDelivery() == true)
  }

  @Test func `the time counts from the first start, whatever comes later`() {
    var budget = UpdateBudget(duration: 1500)
    #expect(budget.deadline == nil)
    #expect(!budget.isComplete(at: .max))
    budget.started(at: 1_000_000)
    budget.started(at: 2_000_000)
    #expect(budget.deadline == 2_500_000)
    #expect(!budget.isComplete(at: 2_499_999))
    #expect(budget.isComplete(at: 2_500_000))
  }

  @Test func `whichever limit comes first counts`() {
    var budget = UpdateBudget(maxUpdates: 1, duration: 1000)
    budget.started(at: 0)
    #expect(budget.isComplete(at: 1_000_000))
    #expect(!budget.isComplete(at: 999_999))
    #expect(budget.countDelivery() == true)
    #expect(budget.isComplete(at: 1))
  }

  @Test func `a start at the end of the range has a deadline too`() {
    var budget = UpdateBudget(duration: .max)
    budget.started(at: .max - 1)
    #expect(budget.deadline == .max)
  }
}
