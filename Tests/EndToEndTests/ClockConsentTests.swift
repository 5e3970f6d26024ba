// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users and separate control groups"))
struct ClockConsentTests {
  @Test func `root does not set the clock to a zone while location is off for a user who is logged in`() throws {
    var logind: ChildProcess?
    let listening = try Listening { logind = try $0.startLogind() }
    try listening.agent.setLevel(0)
    try listening.waitFor("denied disabled-by-user")
    let machine = listening.machine
    let timedated = try ChildProcess.ready([Rig.python, Rig.file("timedated.py"), machine.bus.address, "Etc/UTC"])
    let follow = try ChildProcess(
      [
        Rig.product("geopublicist"), "--address", machine.bus.address, "timezone", "--follow", "--after", "1s",
      ])
    func measure(until awaited: String, _ condition: () -> Bool) throws {
      try eventually(awaited, within: .seconds(30), seen: follow.output + machine.service.standardError) {
        machine.receiver.offer(.berlin)
        return condition()
      }
    }
    try measure(until: "the reason is reported") { follow.standardError.contains("location is off for games") }
    #expect(follow.standardOutput == "Europe/Berlin\n" && !timedated.standardOutput.contains("Berlin"))
    try listening.agent.setLevel(8)
    try measure(until: "the clock is set") { timedated.standardOutput.contains("Europe/Berlin") }
    withExtendedLifetime(logind) {}
  }
}
