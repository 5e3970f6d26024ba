// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("demand") struct DemandTests {
  let trace = Trace()

  @Test func `demands are added, and unlimited demand stays unlimited`() {
    trace.add((Subscribers.Demand.max(1) + .max(2)).traced)
    trace.add((Subscribers.Demand.unlimited + .max(1)).traced)
    trace.add((Subscribers.Demand.unlimited - .max(1)).traced)
    #expect(trace.text == "max(3) unlimited unlimited")
  }

  @Test func `the demand that receive(_:) returns is added to the total`() {
    let recorder = (1...5).publisher.record(trace, asking: .max(1)) { $0 < 3 ? .max(1) : .none }
    #expect(trace.text == "1 2 3")
    #expect(recorder.breaches == [])
  }

  @Test func `numbers can be added to and subtracted from a demand, and a demand can be multiplied`() {
    typealias Demand = Subscribers.Demand
    #expect(Demand.max(5) - 2 == .max(3))
    #expect(Demand.max(2) - .unlimited == .none)
    #expect(Demand.max(2) + 3 == .max(5))
    #expect(Demand.max(2) * 3 == .max(6))
    #expect(Demand.unlimited * 2 == .unlimited)
    #expect(Demand.none == .max(0))
    var demand = Demand.max(1)
    demand += 2
    demand -= 1
    demand *= 4
    #expect(demand == .max(8))
    #expect(demand.max == 8)
    #expect(Demand.unlimited.max == nil)
  }

  @Test func `a demand that overflows becomes unlimited`() {
    #expect(Subscribers.Demand.max(.max) + .max(1) == .unlimited)
    #expect(Subscribers.Demand.max(.max) * 2 == .unlimited)
  }

  @Test func `demands can be compared with numbers and with each other`() {
    typealias Demand = Subscribers.Demand
    #expect(Demand.unlimited > .max(.max))
    #expect(Demand.max(1) < .max(2))
    #expect(Demand.max(1) < .unlimited)
    #expect(Demand.max(3) == 3)
    #expect(3 == Demand.max(3))
    #expect(Demand.max(3) != 4)
    #expect(Demand.unlimited > 5)
    #expect(Demand.max(3) >= 3)
    #expect(2 < Demand.max(3))
    #expect(!(Demand.unlimited < .unlimited))
    #expect(Demand.unlimited <= .unlimited)
    #expect(Set([Demand.max(1), .max(1), .unlimited]).count == 2)
  }

  @Test func `a demand is printed as max(…) or unlimited`() {
    #expect("\(Subscribers.Demand.unlimited)" == "unlimited")
    #expect("\(Subscribers.Demand.max(3))" == "max(3)")
  }

  @Test func `completions are equal if both finished or both failed with equal errors`() {
    typealias Completion = Subscribers.Completion<TestError>
    #expect(Completion.finished == .finished)
    #expect(Completion.failure(.oops) != .failure(.other))
    #expect(Completion.failure(.oops).hashValue == Completion.failure(.oops).hashValue)
    #expect("\(Completion.finished)" == "finished")
  }
}
