// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistLocationModel
import GeopublicistTestSupport
import Testing

@testable import GeopublicistClient

/// Every order of events up to a depth, with the answers to the last two attempts.
@Suite struct ExplorationTests {
  private let path: ObjectPath = "/org/geopublicist/Location1/subscription/7"

  @Test func `a subscription that is kept across restarts handles every event in every state`() {
    let lost = DBusError(.noReply, "lost")
    let events: [ServiceObjectEvent] =
      [.wanted(ClientOptions()), .unwanted, .replaced, .ownerChanged(":1.10"), .ownerChanged(nil), .timer]
      + [1, 2].flatMap { attempt -> [ServiceObjectEvent] in
        [
          .created(path, attempt: attempt), .started(attempt: attempt), .failed(lost, attempt: attempt),
          .failed(DBusError(.notAuthorized, "refused"), attempt: attempt),
          .failed(DBusError(.invalidOption, "final"), attempt: attempt),
        ]
      } + [
        .signal("Closed", [.string("shutdown")]), .authorization(status: "denied", reason: "disabled-by-user"),
        .message("a sentence"),
      ]
    let found = Exploration(
      ResubscriptionMachine(), depth: 4, step: .milliseconds(1), events,
      state: { caseName(of: "object", "state", in: $0) }, deadline: \.deadline,
      { _ = $0.handle($1, at: $2, chance: 0.5) })
    #expect(
      found.differences(from: ["creating", "idle", "over", "refused", "running", "starting", "waiting"]) == [])
  }
}
