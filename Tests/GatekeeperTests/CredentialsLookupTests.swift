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
}
