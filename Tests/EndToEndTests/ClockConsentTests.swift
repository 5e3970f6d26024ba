// SPDX-License-Identifier: Apache-2.0
import Foundation
import GeopublicistTestSupport
import Testing

@Suite(.serialized, .enabled(if: ControlGroups.areAvailable, "needs other users and separate control groups"))
struct ClockConsentTests {
  /// Regression: polkit refuses a program without a session, such as the unit, whatever the user's agent permits.
  @Test(arguments: [GatekeeperFixture.Policy.yes, .no])
  func `root does not set the clock to a zone while location is off for a user who is logged in`(
    policy: GatekeeperFixture.Policy
  ) throws {
    var logind: ChildProcess?
    let listening = try Listening { logind = try $0.startLogind() }
    let machine = listening.machine
    try listening.agent.setLevel(0)
    try listening.waitFor("denied disabled-by-user")
    if policy == .no {
      try machine.setPolicy(.no)
      try listening.waitFor("restricted disallowed-by-policy")
    }
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
