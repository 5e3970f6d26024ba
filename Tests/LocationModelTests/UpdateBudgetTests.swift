// SPDX-License-Identifier: Apache-2.0
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@Suite struct UpdateBudgetTests {
  @Test func `a subscription without limits never ends`() {
    var budget = UpdateBudget<BootClock>()
    budget.started(at: 5)
    for _ in 0..<1000 { #expect(budget.countDelivery() == false) }
    #expect(budget.delivered == 1000)
    #expect(budget.deadline == nil)
    #expect(!budget.isComplete(at: .max))
  }

  @Test func `after the last allowed update, the subscription is complete`() {
    var budget = UpdateBudget<BootClock>(maxUpdates: 3)
    budget.started(at: 5)
    let answers = (0..<3).map { _ in budget.countDelivery() }
    #expect(answers == [false, false, true])
    #expect(budget.isComplete(at: 5))
    #expect(budget.hasSentAll)
  }

  @Test func `if one update is allowed, the subscription is complete after it`() {
    var budget = UpdateBudget<BootClock>(maxUpdates: 1)
    #expect(!budget.isComplete(at: .max))
    #expect(budget.countDelivery() == true)
  }

  @Test func `the duration begins with the first start, even if the subscription is started again`() {
    var budget = UpdateBudget<BootClock>(duration: .milliseconds(1500))
    #expect(budget.deadline == nil)
    #expect(!budget.isComplete(at: .max))
    budget.started(at: 1_000_000)
    budget.started(at: 2_000_000)
    #expect(budget.deadline == 2_500_000)
    #expect(!budget.isComplete(at: 2_499_999))
    #expect(budget.isComplete(at: 2_500_000))
  }

  @Test func `the first limit that is reached completes the subscription`() {
    var budget = UpdateBudget<BootClock>(maxUpdates: 1, duration: .milliseconds(1000))
    budget.started(at: 0)
    #expect(budget.isComplete(at: 1_000_000))
    #expect(!budget.isComplete(at: 999_999))
    #expect(budget.countDelivery() == true)
    #expect(budget.isComplete(at: 1))
  }

  @Test func `a budget that starts at the end of the clock's range has a deadline`() {
    var budget = UpdateBudget<BootClock>(duration: .milliseconds(UInt32.max))
    budget.started(at: .max - 1)
    #expect(budget.deadline.map { $0 > .max } == true)
  }
}
