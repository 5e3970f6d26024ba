// SPDX-License-Identifier: Apache-2.0
import GeopublicistGatekeeper
import GeopublicistTestSupport
import MainLoop
import Testing

@testable import GeopublicistService

@Suite struct FairQueueTests {
  @Test func `a flood from one user delays another user's call by only one call`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<200 { #expect(queue.add(number, bytes: 100, from: "flood\(number)", of: 1000) == nil) }
    #expect(queue.add(777, bytes: 100, from: "other", of: 1001) == nil)
    #expect(queue.next() == 0)
    #expect(queue.next() == 777)
    #expect(queue.drain() == Array(1..<200))
    #expect(queue.count == 0 && queue.bytes == 0)
  }

  @Test func `users take turns, and each user's calls keep their order`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<3 {
      for user: UInt32 in 1...3 {
        #expect(queue.add(Int(user) * 10 + number, bytes: 1, from: "client\(user)", of: .user(user)) == nil)
      }
    }
    #expect(queue.drain() == [10, 20, 30, 11, 21, 31, 12, 22, 32])
  }

  @Test func `a user whose answers are long is served less often`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<10 {
      #expect(queue.add(number, bytes: 1, from: "long", of: 1) == nil)
      #expect(queue.add(100 + number, bytes: 1, from: "short", of: 2) == nil)
    }
    #expect(queue.next() == 0)
    queue.charge(4 * 1024, to: 1)
    #expect((0..<6).map { _ in queue.next() } == [100, 101, 102, 103, 104, 1])
  }

  @Test func `while there is little room, only users with few waiting calls are served`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<5 { #expect(queue.add(number, bytes: 1, from: "many", of: 1) == nil) }
    #expect(queue.add(100, bytes: 1, from: "few", of: 2) == nil)
    #expect(queue.add(200, bytes: 1, from: "system", of: .common) == nil)
    queue.charge(2 * 1024, to: 1)
    #expect(queue.next(onlyOfFew: true) == 100)
    #expect(queue.next(onlyOfFew: true) == nil)
    #expect(queue.add(101, bytes: 1, from: "few", of: 2) == nil)
    #expect((0..<3).map { _ in queue.next() } == [200, 101, 0])
  }

  /// Regression: it lost its turn, and another user's long line was always served instead.
  @Test func `a user that is passed over for lack of room has the next turn`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<8 { #expect(queue.add(number, bytes: 1, from: "first", of: 1) == nil) }
    #expect(queue.add(100, bytes: 1, from: "few", of: 2) == nil)
    for number in 200..<208 { #expect(queue.add(number, bytes: 1, from: "last", of: 3) == nil) }
    #expect(queue.next(onlyOfFew: true) == 100)
    #expect(queue.next() == 0)
    #expect(queue.add(101, bytes: 1, from: "few", of: 2) == nil)
    #expect(queue.next(onlyOfFew: true) == 101)
    #expect(queue.next() == 200)
  }

  @Test func `long answers have no effect while no other user's call waits`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<3 { #expect(queue.add(number, bytes: 1, from: "long", of: 1) == nil) }
    #expect(queue.next() == 0)
    queue.charge(.max, to: 1)
    #expect(queue.next() == 1)
    #expect(queue.add(100, bytes: 1, from: "short", of: 2) == nil)
    #expect(queue.drain() == [2, 100])
  }

  /// Regression: a debt was cleared at its account's turn even if none of the account's calls could be served then.
  @Test func `a user whose calls cannot be served yet is still charged for earlier long answers`() {
    var queue = FairQueue<String, Int>()
    for account: Account in [1, 2] {
      for number in 0..<4 { #expect(queue.add(number, bytes: 1, from: account == 1 ? "1" : "2", of: account) == nil) }
    }
    #expect(queue.next() == 0)
    queue.charge(3 * 1024, to: 1)
    #expect(queue.next { client, _ in client == "1" } == 1, "only one account is considered")
    #expect((0..<4).map { _ in queue.next() } == [0, 1, 2, 3], "the other account has its turns first")
    #expect(queue.drain() == [2, 3])
  }

  @Test func `users of the common account take turns within it`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<3 { #expect(queue.add(number, bytes: 1, from: "a", of: .common, user: 1) == nil) }
    #expect(queue.add(10, bytes: 1, from: "b", of: .common, user: 2) == nil)
    #expect(queue.add(20, bytes: 1, from: "c", of: 7) == nil)
    #expect(queue.drain() == [0, 20, 10, 1, 2])
  }

  @Test func `a client's calls keep their order when its user becomes known`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<2 { #expect(queue.add(number, bytes: 1, from: "a", of: nil, user: .max) == nil) }
    #expect(queue.add(2, bytes: 1, from: "a", of: .common, user: 1) == nil)
    #expect(queue.drain() == [0, 1, 2])
  }

  @Test func `the waiting calls of a client move to its new account`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<2 { #expect(queue.add(number, bytes: 1, from: "a", of: .common) == nil) }
    #expect(queue.add(5, bytes: 1, from: "b", of: .common) == nil)
    queue.move("a", from: .common, to: 1)
    #expect(queue.add(2, bytes: 1, from: "a", of: 1) == nil)
    #expect(queue.remove("a", of: 1) == [0, 1, 2])
    #expect(queue.drain() == [5])
  }

  @Test func `both the number of each user's waiting calls and the whole queue are limited`() {
    var bounds = FairQueue<String, Int>.Bounds()
    bounds.calls = 3
    bounds.bytes = 100
    bounds.allCalls = 5
    bounds.allBytes = 1000
    bounds.firstCalls = 0
    var queue = FairQueue<String, Int>(bounds)
    #expect((0..<4).map { queue.add($0, bytes: 1, from: "a", of: 1) } == [nil, nil, nil, .callsPerUser])
    #expect(queue.add(4, bytes: 500, from: "b", of: 2) == nil, "the first one always has room")
    #expect(queue.add(5, bytes: 1, from: "b", of: 2) != nil)
    #expect(!queue.isFull)
    #expect(queue.add(6, bytes: 1, from: "c", of: 3) == nil)
    #expect(queue.isFull)
    #expect(queue.add(7, bytes: 1, from: "d", of: 4) != nil)
    _ = queue.next()
    #expect(queue.add(7, bytes: 1, from: "d", of: 4) == nil)
  }

  @Test func `a full queue still accepts the first few calls of another user`() {
    var queue = FairQueue<String, Int>()
    for client in 0..<16 {
      for call in 0..<256 { #expect(queue.add(call, bytes: 10, from: "", of: .user(UInt32(100 + client))) == nil) }
    }
    #expect(queue.isFull)
    #expect(queue.add(0, bytes: 10, from: "", of: 100) != nil)
    #expect((0..<5).map { queue.add($0, bytes: 10, from: "other", of: 1) } == [nil, nil, nil, nil, .calls])
    #expect(queue.add(0, bytes: 5_000, from: "large", of: 2) != nil)
  }

  /// Regression: the calls of a user with two hundred connections filled the queue before the bus had identified the
  /// user, and other users' calls were refused.
  @Test func `calls of clients whose user is unknown fill at most half of the queue`() {
    var queue = FairQueue<String, Int>()
    for client in 0..<200 {
      let refusals = (0..<256).map { queue.add($0, bytes: 10, from: "\(client)", of: nil) }
      #expect(refusals.prefix(4) == [nil, nil, nil, nil])
    }
    #expect(queue.count < 3_000)
    for call in 0..<256 { #expect(queue.add(call, bytes: 10, from: "known", of: 1) == nil) }
  }

  @Test func `calls of a client whose user is unknown wait, and later keep their order`() {
    var queue = FairQueue<String, Int>()
    #expect(queue.add(1, bytes: 10, from: "new", of: nil) == nil)
    #expect(queue.add(2, bytes: 10, from: "new", of: nil) == nil)
    #expect(queue.add(8, bytes: 10, from: "old", of: 5) == nil)
    #expect(queue.next() == 8)
    #expect(queue.next() == nil && !queue.isReady)
    queue.move("new", from: nil, to: 5)
    #expect(queue.add(3, bytes: 10, from: "new", of: 5) == nil)
    #expect(queue.drain() == [1, 2, 3])
  }

  @Test func `a call after a client's user becomes known does not overtake the client's earlier calls`() {
    var queue = FairQueue<String, Int>()
    #expect(queue.add(1, bytes: 1, from: "new", of: nil) == nil)
    #expect(queue.add(2, bytes: 1, from: "new", of: 5) == nil)
    #expect(queue.drain() == [1, 2])
  }

  @Test func `when a client disconnects, only its own calls are dropped`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<6 { #expect(queue.add(number, bytes: 7, from: number % 2 == 0 ? "a" : "b", of: 1) == nil) }
    #expect(queue.add(9, bytes: 7, from: "c", of: nil) == nil)
    #expect(queue.remove("a", of: 1) == [0, 2, 4])
    #expect(queue.remove("c", of: nil) == [9])
    #expect(queue.drain() == [1, 3, 5])
    #expect(queue.bytes == 0)
    #expect(queue.add(1, bytes: 1, from: "b", of: 1) == nil)
    #expect(queue.remove("b", of: 1) == [1])
    #expect(!queue.isReady)
    #expect(queue.add(2, bytes: 1, from: "b", of: 1) == nil)
    #expect(queue.drain() == [2])
  }

  @Test func `a call that must wait for its client's rate delays only calls of the same client`() {
    var queue = FairQueue<String, Int>()
    for (number, client) in ["late", "late", "other"].enumerated() {
      #expect(queue.add(number, bytes: 1, from: client, of: 1) == nil)
    }
    #expect(queue.count(of: 1) == 3 && queue.count(of: "late", 1) == 2)
    #expect(queue.next { client, call in client != "late" || call == 1 } == 2)
    #expect(queue.next { _, call in call == 1 } == nil && queue.isReady)
    #expect(queue.drain() == [0, 1])
    #expect(queue.count == 0 && queue.bytes == 0)
  }

  @Test func `a queue that is never empty does not use more and more memory`() {
    var queue = FairQueue<String, Int>()
    for number in 0..<10 { #expect(queue.add(number, bytes: 1, from: "a", of: 1) == nil) }
    for number in 10..<100_000 {
      #expect(queue.next() == number - 10)
      #expect(queue.add(number, bytes: 1, from: "a", of: 1) == nil)
    }
    #expect(queue.drain().count == 10)
  }
}

extension FairQueue {
  fileprivate mutating func drain() -> [Call] {
    var calls: [Call] = []
    while let call = next() { calls.append(call) }
    return calls
  }
}

@Suite struct RefusalQueueTests {
  private typealias Queue = RefusalQueue<String, Int>

  private var queue: Queue { Queue(.init(burst: 3, perSecond: 10, perClient: 4, all: 64)) }

  @Test func `the first refusals are sent immediately, and later ones at a steady rate`() {
    var queue = queue
    for call in 0..<3 { #expect(queue.add(call, of: "a") == .refuseNow) }
    #expect(queue.add(3, of: "a") == .waits)
    #expect(queue.add(4, of: "a") == .waits)
    #expect(queue.due(at: 50_000) == [])
    #expect(queue.due(at: 100_000) == [3])
    #expect(queue.due(at: 250_000) == [4])
    #expect(queue.count == 0)
  }

  @Test func `a flood of refused calls by one client delays another client of that user by one refusal`() {
    var queue = queue
    for call in 0..<7 { _ = queue.add(call, of: "flood") }
    #expect(queue.add(7, of: "flood") == .drop, "no room for more of one client")
    #expect(queue.add(100, of: "other") == .waits)
    #expect(queue.due(at: 200_000) == [3, 100])
  }

  @Test func `a flood of refused calls does not delay another user's refusals`() {
    var queue = queue
    for call in 0..<7 { _ = queue.add(call, of: "flood") }
    #expect(queue.add(100, of: "other", 1001) == .refuseNow)
    #expect(queue.add(101, of: "unknown", .common) == .refuseNow)
  }

  @Test func `refusals of different users are sent in turn`() {
    var queue = queue
    for call in 0..<6 { _ = queue.add(call, of: "a") }
    for call in 10..<16 { _ = queue.add(call, of: "b", 1001) }
    #expect(queue.due(at: 200_000) == [3, 13, 4, 14])
  }

  @Test func `refusals wait while the bus accepts no messages`() {
    var queue = queue
    #expect(queue.add(1, of: "a", mayRefuseNow: false) == .waits)
    #expect(queue.add(2, of: "a") == .waits, "in their order")
    #expect(queue.due(at: 0) == [1, 2])
  }

  @Test func `the refusal of a call waits until the user's earlier calls have been served`() {
    var queue = queue
    for account: Account in [1, 2] { #expect(queue.add(1, of: "a", account, mayRefuseNow: false) == .waits) }
    #expect(queue.next(at: 0) { $0 == 2 } == 1)
    #expect(queue.next(at: 0) { $0 == 2 } == nil && queue.count == 1)
    #expect(queue.next(at: 0) == 1)
  }

  @Test func `a large call counts as several calls towards the burst`() {
    var queue = queue
    #expect(queue.add(1, bytes: 2 * 1024, of: "a") == .refuseNow)
    #expect(queue.add(2, of: "a") == .waits)
  }

  @Test func `when a client disconnects, its waiting refusals are dropped`() {
    var queue = queue
    for call in 0..<6 { _ = queue.add(call, of: "a") }
    _ = queue.add(10, of: "b")
    #expect(queue.remove("a") == [3, 4, 5])
    #expect(queue.count == 1)
    #expect(queue.due(at: 1_000_000) == [10])
    _ = queue.add(11, of: "b", mayRefuseNow: false)
    #expect(queue.removeAll() == [11])
    #expect(queue.count == 0)
  }
}

extension RefusalQueue<String, Int> {
  fileprivate mutating func add(
    _ call: Int, bytes: Int = 100, of client: String, _ user: Account = 1000, mayRefuseNow: Bool = true
  ) -> Outcome {
    add(call, bytes: bytes, of: client, user, mayRefuseNow: mayRefuseNow, at: 0)
  }

  fileprivate mutating func due(at now: MonotonicInstant) -> [Int] {
    var due: [Int] = []
    while let call = next(at: now) { due.append(call) }
    return due
  }
}

@Suite struct BusPaceTests {
  /// Checks every millisecond while the bus accepts bytes at a given rate and the queue is filled to the limit.
  private func limit(perSecond: Int, _ pace: BusPace = BusPace(), from first: Int = 0) -> BusPace {
    var pace = pace
    var queued = 0
    for step in first..<first + 2_000 {
      queued = max(0, queued - perSecond / 1_000)
      pace.look(queued: queued, at: .milliseconds(step))
      queued = max(queued, pace.limit)
      pace.look(queued: queued, at: .milliseconds(step))
    }
    return pace
  }

  @Test func `the bytes queued for the bus are limited to what the bus will accept soon`() {
    #expect(BusPace().limit == 24 * 1024)
    #expect(limit(perSecond: 300_000).limit == 12_000)
    #expect(limit(perSecond: 40_000).limit == 4 * 1024, "enough for an answer")
    #expect(limit(perSecond: 50_000_000).limit == 24 * 1024)
  }

  @Test func `a queue that is empty because clients are idle does not count as a slow bus`() {
    var pace = BusPace()
    for second in 0..<100 as Range<Int64> { pace.look(queued: second % 2 == 0 ? 1_000 : 0, at: .seconds(second)) }
    #expect(pace.limit == 24 * 1024)
  }

  @Test func `the limit of queued bytes follows the speed of the bus`() {
    #expect(limit(perSecond: 300_000, limit(perSecond: 10_000), from: 2_000).limit == 12_000)
  }
}
