// SPDX-License-Identifier: Apache-2.0
import GeopublicistPublishingTestSupport
import Publishing
import Testing

@Suite("demand") struct DemandTests {
  let trace = Trace()

  @Test func `demand adds up; unlimited demand remains unlimited`() {
    trace.add((Subscribers.Demand.max(1) + .max(2)).traced)
    trace.add((Subscribers.Demand.unlimited + .max(1)).traced)
    trace.add((Subscribers.Demand.unlimited - .max(1)).traced)
    #expect(trace.text == "max(3) unlimited unlimited")
  }

  @Test func `demand returned by receive(_:) is added to the total`() {
    let recorder = (1...5).publisher.record(trace, asking: .max(1)) { $0 < 3 ? .max(1) : .none }
    #expect(trace.text == "1 2 3")
    #expect(recorder.breaches == [])
  }

  @Test func `demand: arithmetic with numbers`() {
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

  @Test func `demand: overflow becomes unlimited`() {
    #expect(Subscribers.Demand.max(.max) + .max(1) == .unlimited)
    #expect(Subscribers.Demand.max(.max) * 2 == .unlimited)
  }

  @Test func `demand: compares with numbers and with other demands; unlimited is above all`() {
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

  @Test func `a demand has a description`() {
    #expect("\(Subscribers.Demand.unlimited)" == "unlimited")
    #expect("\(Subscribers.Demand.max(3))" == "max(3)")
  }

  @Test func `completion: equal if both finished or failed with equal errors; the failure is readable`() {
    typealias Completion = Subscribers.Completion<TestError>
    #expect(Completion.finished == .finished)
    #expect(Completion.failure(.oops) != .failure(.other))
    #expect(Completion.failure(.oops).hashValue == Completion.failure(.oops).hashValue)
    #expect("\(Completion.finished)" == "finished")
  }
}
