// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

/// Questions to a polkit that the test answers.
@Suite struct PolkitAuthorityTests {
  private final class Polkit {
    var calls: [MethodCall] = []
    var cancelled = 0
  }

  private let bus: PrivateBus
  private let service: Connection
  private let other: Connection
  private let polkit = Polkit()
  private let object: any Sendable

  init() throws {
    bus = try PrivateBus(.session)
    service = try Connection(to: .address(bus.address))
    other = try Connection(to: .address(bus.address))
    object = other.objects.export(
      "/org/freedesktop/PolicyKit1/Authority",
      Implementation(
        of: Interface<Polkit>(
          "org.freedesktop.PolicyKit1.Authority",
          [
            .method(
              "CheckAuthorization",
              in: ["subject": "(sa{sv})", "action": "s", "details": "a{ss}", "flags": "u", "id": "s"],
              out: ["result": "(bba{ss})"]
            ) { $0.calls.append($1) },
            .method("CancelCheckAuthorization", in: ["id": "s"]) {
              $0.cancelled += 1
              $1.reply()
            },
          ]), by: polkit))
    try other.own("org.freedesktop.PolicyKit1")
  }

  private func answer(_ isAuthorized: Bool) {
    let details = Value.dictionary(key: .string, value: .string, [])
    polkit.calls.removeFirst().reply(.structure([.boolean(isAuthorized), .boolean(false), details]))
  }

  /// Regression: the service believed that polkit had left the bus, and asked nothing more about any program.
  @Test func `polkit's answer that a client has left concerns only that client`() throws {
    let authority = PolkitAuthority(on: service)
    var replies: [BusName: PolkitReply] = [:]
    authority.onReply = { peer, _, reply in replies[peer] = reply }
    try turning("polkit is known") { authority.isThere }
    authority.ask(.access, about: ":1.900", of: .user(1), mayStartPolkit: false)
    try turning("polkit is asked") { !polkit.calls.isEmpty }
    polkit.calls.removeFirst().fail(DBusError("org.freedesktop.DBus.Error.NameHasNoOwner", "No such name"))
    try turning("the answer is known") { replies[":1.900"] != nil }
    #expect(replies[":1.900"]?.answer == .unavailable)
    authority.ask(.access, about: ":1.901", of: .user(2), mayStartPolkit: false)
    try turning("polkit is asked about another client") { !polkit.calls.isEmpty }
    answer(true)
    try turning("the other answer is known") { replies[":1.901"]?.answer == .yes }
  }

  /// Regression: the other request waited for a dialog that was no longer there.
  @Test func `a dialog stays open until the last request for it is cancelled`() throws {
    let authority = PolkitAuthority(on: service)
    try turning("polkit is known") { authority.isThere }
    var replies: [PolkitReply] = []
    func show() -> Prompt {
      authority.showDialog(.access, about: ":1.900", of: .user(1), program: nil) { replies.append($0) }
    }
    let first = show()
    let second = show()
    try turning("polkit is asked once") { polkit.calls.count == 1 }
    first.cancel()
    answer(true)
    try turning("the second request is answered") { replies.count == 1 }
    #expect(replies.first?.answer == .yes && polkit.cancelled == 0)
    second.cancel()
    let third = show()
    try turning("polkit is asked again") { polkit.calls.count == 1 }
    third.cancel()
    try turning("the dialog is closed") { polkit.cancelled == 1 }
    #expect(replies.count == 1)
  }
}
