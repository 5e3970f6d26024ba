// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistMainLoopTestSupport
import Testing

@testable import GeopublicistService

@Suite struct ReviewTurnsTests {
  private final class Client {
    let name: String
    init(_ name: String) { self.name = name }
  }

  private final class Reviews {
    private(set) var reviewed: [String] = []
    private(set) var passes = 0
    var hasRoom = true
    private(set) var turns: ReviewTurns<Client>!

    init() {
      turns = ReviewTurns(
        hasRoom: { [unowned self] in hasRoom }, review: { [unowned self] in reviewed.append($0.name) },
        whenDone: { [unowned self] in passes += 1 })
    }
  }

  private let reviews = Reviews()

  @Test func `while the bus has no room, clients of different users are reviewed in turn`() throws {
    reviews.hasRoom = false
    for number in 1...50 { reviews.turns.add(Client("many \(number)"), of: 1000) }
    try turning("two are reviewed") { reviews.reviewed.count >= 2 }
    reviews.turns.add(Client("other"), of: 1001)
    reviews.turns.add(Client("third"), of: 1002)
    let before = reviews.reviewed.count
    try turning("three more are reviewed") { reviews.reviewed.count >= before + 3 }
    #expect(Set(reviews.reviewed[before..<(before + 3)]).isSuperset(of: ["other", "third"]))
    #expect(reviews.passes == 0)
    reviews.hasRoom = true
    try turning("all are reviewed") { reviews.passes > 0 }
    #expect(reviews.reviewed.count == 52)
    #expect(Set(reviews.reviewed).count == 52)
    #expect(reviews.passes == 1)
  }

  @Test func `a client that was removed from the queue is not reviewed`() throws {
    let (gone, stays) = (Client("gone"), Client("stays"))
    reviews.turns.add(gone, of: 1000)
    reviews.turns.add(stays, of: 1000)
    reviews.turns.remove(gone)
    try turning("the other is reviewed") { reviews.passes > 0 }
    #expect(reviews.reviewed == ["stays"])
  }

  @Test func `a review ends immediately if there are no clients`() throws {
    reviews.turns.schedule()
    try turning("it has ended") { reviews.passes == 1 }
  }
}
