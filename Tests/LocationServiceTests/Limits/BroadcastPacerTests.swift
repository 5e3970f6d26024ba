// SPDX-License-Identifier: Apache-2.0
import DBus
import MainLoop
import Testing

@testable import GeopublicistService

@Suite struct BroadcastPacerTests {
  @Test func `D2: rapid changes of state are thinned out, but the last one is sent`() {
    var told: [MemberName] = []
    let pacer = BroadcastPacer { told.append($0) }
    for _ in 0..<1_000 { pacer.changed("State") }
    pacer.changed("InUse")
    #expect(told.count == Int(BroadcastPacer.burst))
    let end = MainLoop.main.clock.monotonic() + 5_000_000
    while told.last != "InUse", MainLoop.main.clock.monotonic() < end { _ = MainLoop.main.iterate() }
    #expect(told.suffix(2) == ["State", "InUse"])
    #expect(told.count == Int(BroadcastPacer.burst) + 2)
  }
}
