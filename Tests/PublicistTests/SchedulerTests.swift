// SPDX-License-Identifier: Apache-2.0
import GeopublicistMainLoopTestSupport
import MainLoop
import Publicist
import Testing

@Suite struct SchedulerTests {
  private typealias Stride = MainLoop.SchedulerTimeType.Stride
  private let loop = MainLoop.main

  @Test func `work is released after it has run`() throws {
    final class Held {}
    weak var held: Held?
    weak var timed: Held?
    do {
      let (object, other) = (Held(), Held())
      held = object
      timed = other
      loop.schedule { withExtendedLifetime(object) {} }
      loop.schedule(after: loop.now.advanced(by: .milliseconds(2))) { withExtendedLifetime(other) {} }
    }
    #expect(held != nil && timed != nil)
    try turning("both are released") { held == nil && timed == nil }
  }

  @Test func `repeated work does not drift, and stops when it is cancelled`() throws {
    let start = loop.now
    var times: [Int64] = []
    let work = loop.schedule(after: start.advanced(by: .milliseconds(5)), interval: .milliseconds(10)) {
      times.append(start.distance(to: loop.now).microseconds)
    }
    try turning("ten times") { times.count >= 10 }
    work.cancel()
    for (index, time) in times.enumerated() { #expect(time >= 5_000 + Int64(index) * 10_000) }
    let count = times.count
    try turning(for: .milliseconds(40), "no more") { times.count == count }
  }

  @Test func `receive(on:) delivers values in a later turn of the loop`() throws {
    var received: [Int] = []
    let subscription = [1, 2, 3].publisher.receive(on: loop).sink { received.append($0) }
    #expect(received.isEmpty)
    try turning("all arrive") { received == [1, 2, 3] }
    subscription.cancel()
  }

  @Test func `a timer publisher ticks until it is cancelled`() throws {
    var ticks: [MainLoop.SchedulerTimeType] = []
    let subscription = loop.timerPublisher(every: .milliseconds(5)).autoconnect().sink { ticks.append($0) }
    try turning("three ticks") { ticks.count >= 3 }
    subscription.cancel()
    let count = ticks.count
    try turning(for: .milliseconds(30), "no more") { ticks.count == count }
  }

  @Test func `number literals for strides are in seconds`() {
    #expect((2 as Stride).microseconds == 2_000_000)
    #expect((0.5 as Stride).microseconds == 500_000)
    #expect((-1.5 as Stride).microseconds == -1_500_000)
  }

  @Test func `strides of all units are converted to microseconds`() {
    #expect(Stride.seconds(3).microseconds == 3_000_000)
    #expect(Stride.seconds(0.000_25).microseconds == 250)
    #expect(Stride.milliseconds(7).microseconds == 7_000)
    #expect(Stride.microseconds(9).microseconds == 9)
    #expect(Stride.nanoseconds(1_999).microseconds == 1)
    #expect(Stride(exactly: 12 as UInt8)?.microseconds == 12)
    #expect(Stride(exactly: UInt64.max) == nil)
  }

  @Test func `arithmetic with strides saturates instead of trapping`() {
    let longest = Stride(microseconds: .max)
    let shortest = Stride(microseconds: .min)
    #expect(Stride.seconds(Int.max) == longest)
    #expect(Stride.seconds(Int.min) == shortest)
    #expect(Stride.milliseconds(Int.min) == shortest)
    #expect(Stride.seconds(Double.infinity) == longest)
    #expect(Stride.seconds(-Double.infinity) == shortest)
    #expect(Stride.seconds(Double.nan) == 0)
    #expect(Stride.seconds(1e300) == longest)
    #expect(longest + .seconds(1) == longest)
    #expect(shortest - .seconds(1) == shortest)
    #expect(shortest + longest == Stride(microseconds: -1))
    #expect(longest * .microseconds(-2) == shortest)
    #expect(-shortest == longest)
    #expect(shortest.magnitude == .max)
    var span = longest
    span += 1
    span *= .microseconds(2)
    #expect(span == longest)
    span -= longest
    #expect(span == 0)
    span.negate()
    #expect(span == 0)
    let now = loop.now
    #expect(now.advanced(by: longest).microseconds == .max)
    #expect(now.distance(to: now.advanced(by: .seconds(1))) == 1)
    #expect(MainLoop.SchedulerTimeType(microseconds: .min).distance(to: .init(microseconds: .max)) == longest)
  }

  @Test func `scheduler times can be compared`() {
    let now = loop.now
    #expect(now < now.advanced(by: .microseconds(1)))
    #expect(now == now.advanced(by: 0))
    #expect(now.distance(to: now.advanced(by: .seconds(-2))) == -2)
    #expect(Stride.seconds(1) > .milliseconds(999))
  }
}
