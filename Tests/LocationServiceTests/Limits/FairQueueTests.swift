// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GeopublicistService

@Suite struct FairQueueTests {
  /// Expectations cannot call what mutates a value.
  private final class Queue {
    typealias Value = FairQueue<String, Int>
    private var value: Value

    init(_ bounds: Value.Bounds = Value.Bounds()) { value = Value(bounds) }

    var count: Int { value.count }
    var bytes: Int { value.bytes }
    var isReady: Bool { value.isReady }
    var isFull: Bool { value.isFull }
    func add(_ call: Int, bytes: Int, from client: String, of user: UInt32?) -> Bool {
      value.add(call, bytes: bytes, from: client, of: user)
    }
    func next() -> Int? { value.next() }
    func identify(_ client: String, as user: UInt32) { value.identify(client, as: user) }
    func remove(_ client: String, of user: UInt32?) -> [Int] { value.remove(client, of: user) }

    func drain() -> [Int] {
      var calls: [Int] = []
      while let call = next() { calls.append(call) }
      return calls
    }
  }

  @Test func `D24: one user's flood delays another user by one call`() {
    let queue = Queue()
    for number in 0..<200 { #expect(queue.add(number, bytes: 100, from: "flood\(number)", of: 1000)) }
    #expect(queue.add(777, bytes: 100, from: "other", of: 1001))
    #expect(queue.next() == 0)
    #expect(queue.next() == 777)
    #expect(queue.drain() == Array(1..<200))
    #expect(queue.count == 0 && queue.bytes == 0)
  }

  @Test func `users take turns, each in its own order`() {
    let queue = Queue()
    for number in 0..<3 {
      for user: UInt32 in 1...3 {
        #expect(queue.add(Int(user) * 10 + number, bytes: 1, from: "client\(user)", of: user))
      }
    }
    #expect(queue.drain() == [10, 20, 30, 11, 21, 31, 12, 22, 32])
  }

  @Test func `a line has bounds, and so has the whole queue`() {
    var bounds = Queue.Value.Bounds()
    bounds.calls = 3
    bounds.bytes = 100
    bounds.allCalls = 5
    bounds.allBytes = 1000
    bounds.firstCalls = 0
    let queue = Queue(bounds)
    #expect((0..<4).map { queue.add($0, bytes: 1, from: "a", of: 1) } == [true, true, true, false])
    #expect(queue.add(4, bytes: 500, from: "b", of: 2), "the first one always has room")
    #expect(!queue.add(5, bytes: 1, from: "b", of: 2))
    #expect(!queue.isFull)
    #expect(queue.add(6, bytes: 1, from: "c", of: nil))
    #expect(queue.isFull)
    #expect(!queue.add(7, bytes: 1, from: "d", of: 4))
    _ = queue.next()
    #expect(queue.add(7, bytes: 1, from: "d", of: 4))
  }

  @Test func `the first calls of another user have room in a full queue`() {
    let queue = Queue()
    for client in 0..<16 { for call in 0..<256 { #expect(queue.add(call, bytes: 10, from: "\(client)", of: nil)) } }
    #expect(queue.isFull)
    #expect(!queue.add(0, bytes: 10, from: "0", of: nil))
    #expect((0..<5).map { queue.add($0, bytes: 10, from: "other", of: 1) } == [true, true, true, true, false])
    #expect(!queue.add(0, bytes: 5_000, from: "large", of: 2))
  }

  @Test func `calls of an unknown client wait, and keep their order when it becomes known`() {
    let queue = Queue()
    #expect(queue.add(1, bytes: 10, from: "new", of: nil))
    #expect(queue.add(2, bytes: 10, from: "new", of: nil))
    #expect(queue.add(8, bytes: 10, from: "old", of: 5))
    #expect(queue.next() == 8)
    #expect(queue.next() == nil && !queue.isReady)
    queue.identify("new", as: 5)
    #expect(queue.add(3, bytes: 10, from: "new", of: 5))
    #expect(queue.drain() == [1, 2, 3])
  }

  @Test func `a call that comes when the client is known does not overtake earlier ones`() {
    let queue = Queue()
    #expect(queue.add(1, bytes: 1, from: "new", of: nil))
    #expect(queue.add(2, bytes: 1, from: "new", of: 5))
    #expect(queue.drain() == [1, 2])
  }

  @Test func `a departing client takes only its own calls along`() {
    let queue = Queue()
    for number in 0..<6 { #expect(queue.add(number, bytes: 7, from: number % 2 == 0 ? "a" : "b", of: 1)) }
    #expect(queue.add(9, bytes: 7, from: "c", of: nil))
    #expect(queue.remove("a", of: 1) == [0, 2, 4])
    #expect(queue.remove("c", of: nil) == [9])
    #expect(queue.drain() == [1, 3, 5])
    #expect(queue.bytes == 0)
    #expect(queue.add(1, bytes: 1, from: "b", of: 1))
    #expect(queue.remove("b", of: 1) == [1])
    #expect(!queue.isReady)
    #expect(queue.add(2, bytes: 1, from: "b", of: 1))
    #expect(queue.drain() == [2])
  }

  @Test func `a line that never empties does not grow`() {
    let queue = Queue()
    for number in 0..<10 { #expect(queue.add(number, bytes: 1, from: "a", of: 1)) }
    for number in 10..<100_000 {
      #expect(queue.next() == number - 10)
      #expect(queue.add(number, bytes: 1, from: "a", of: 1))
    }
    #expect(queue.drain().count == 10)
  }
}
