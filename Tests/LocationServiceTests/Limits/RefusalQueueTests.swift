// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistService

@Suite struct RefusalQueueTests {
  private typealias Queue = RefusalQueue<String, Int>

  private var queue: Queue { Queue(.init(burst: 3, perSecond: 10, perClient: 4, all: 64)) }

  @Test func `a burst is refused at once, and later calls at a steady rate`() {
    var queue = queue
    for call in 0..<3 { #expect(queue.add(call, of: "a") == .refuseNow) }
    #expect(queue.add(3, of: "a") == .waits)
    #expect(queue.add(4, of: "a") == .waits)
    #expect(queue.due(at: 50_000) == [])
    #expect(queue.due(at: 100_000) == [3])
    #expect(queue.due(at: 250_000) == [4])
    #expect(queue.count == 0)
  }

  @Test func `a flood of one client delays another of the same user by one turn`() {
    var queue = queue
    for call in 0..<7 { _ = queue.add(call, of: "flood") }
    #expect(queue.add(7, of: "flood") == .drop, "no room for more of one client")
    #expect(queue.add(100, of: "other") == .waits)
    #expect(queue.due(at: 200_000) == [3, 100])
  }

  @Test func `another user is not concerned`() {
    var queue = queue
    for call in 0..<7 { _ = queue.add(call, of: "flood") }
    #expect(queue.add(100, of: "other", 1001) == .refuseNow)
    #expect(queue.add(101, of: "unknown", nil) == .refuseNow)
  }

  @Test func `users take turns`() {
    var queue = queue
    for call in 0..<6 { _ = queue.add(call, of: "a") }
    for call in 10..<16 { _ = queue.add(call, of: "b", 1001) }
    #expect(queue.due(at: 200_000) == [3, 13, 4, 14])
  }

  @Test func `nothing is refused at once while the way to the bus is blocked`() {
    var queue = queue
    #expect(queue.add(1, of: "a", mayRefuseNow: false) == .waits)
    #expect(queue.add(2, of: "a") == .waits, "in their order")
    #expect(queue.due(at: 0) == [1, 2])
  }

  @Test func `a large call uses up more of the burst`() {
    var queue = queue
    #expect(queue.add(1, bytes: 2 * 1024, of: "a") == .refuseNow)
    #expect(queue.add(2, of: "a") == .waits)
  }

  @Test func `the calls of a client that leaves are taken out`() {
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
    _ call: Int, bytes: Int = 100, of client: String, _ user: UInt32? = 1000, mayRefuseNow: Bool = true
  ) -> Outcome {
    add(call, bytes: bytes, of: client, user, mayRefuseNow: mayRefuseNow, at: 0)
  }

  /// Takes out all that is due.
  fileprivate mutating func due(at now: Int64) -> [Int] {
    var due: [Int] = []
    while let call = next(at: now) { due.append(call) }
    return due
  }
}
