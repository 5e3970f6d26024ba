// SPDX-License-Identifier: Apache-2.0
import DBus
import GeopublicistMainLoopTestSupport
import GeopublicistTestSupport
import Testing

@testable import GeopublicistGatekeeper

@Suite struct CredentialsLookupTests {
  /// Regression: while ever new clients made calls, one that had come before them was not identified.
  @Test func `the latest and the oldest question take turns`() throws {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let lookup = CredentialsLookup(on: connection)
    var answered: [Int] = []
    // The bus knows none of them, and answers in the order of the questions.
    for number in 0..<12 {
      lookup.ask(about: BusName(unchecked: ":7.\(number)"), isUrgent: number != 5) { credentials in
        #expect(credentials == nil)
        answered.append(number)
      }
    }
    try turning("all are answered") { answered.count == 12 }
    #expect(answered == [0, 1, 2, 3, 11, 4, 10, 5, 9, 6, 8, 7])
  }

  /// Regression: the connection counted as none of the user's, so a search for agents was complete without it.
  @Test func `a question that the bus answers too late is repeated unless a call waits for it`() throws {
    let bus = try PrivateBus(.session)
    let connection = try Connection(to: .address(bus.address))
    let lookup = CredentialsLookup(on: connection)
    var (urgent, other): (Credentials??, Credentials??)
    bus.suspend(true)
    lookup.ask(about: connection.uniqueName, isUrgent: false) { other = $0 }
    lookup.ask(about: ":7.1", isUrgent: true) { urgent = $0 }
    try turning("the call is refused", within: .seconds(20)) { urgent != nil }
    bus.suspend(false)
    try turning("the user is known") { other != nil }
    #expect(urgent == .some(nil))
    #expect(other??.userID == UserID.own)
  }
}
