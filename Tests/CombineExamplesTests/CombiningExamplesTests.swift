// SPDX-License-Identifier: Apache-2.0
import Combine
import GeopublicistPublishingTestSupport
import Testing

@Suite("examples: several publishers") struct CombiningExamplesTests {
  enum Trouble: Error { case some }
  let out = Output()

  @Test func `switchToLatest follows the newest publisher`() {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let outer = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
    let subscription = outer.switchToLatest().sink { out.print($0) }
    outer.send(subjects[0])
    subjects[0].send(1)
    subjects[0].send(2)
    outer.send(subjects[1])
    subjects[0].send(3)
    subjects[1].send(4)
    subjects[1].send(5)
    outer.send(subjects[2])
    subjects[1].send(6)
    for value in 7...9 { subjects[2].send(value) }
    #expect(out.joined == "1 / 2 / 4 / 5 / 7 / 8 / 9")
    subscription.cancel()
  }

  /// Returns the output of two publishers that are combined and send alternately.
  private func combined<P: Publisher>(
    _ combine: (PassthroughSubject<Int, Never>, PassthroughSubject<String, Never>) -> P
  ) -> String where P.Output == (Int, String), P.Failure == Never {
    let (p1, p2) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
    let subscription = combine(p1, p2).sink(
      receiveCompletion: { _ in out.print("Completed") }, receiveValue: { out.print("P1: \($0), P2: \($1)") })
    p1.send(1)
    p1.send(2)
    p2.send("a")
    p2.send("b")
    p1.send(3)
    p2.send("c")
    p2.send("d")
    p1.send(completion: .finished)
    p2.send(completion: .finished)
    subscription.cancel()
    return out.joined
  }

  @Test func `zip combines two publishers`() {
    #expect(combined { $0.zip($1) } == "P1: 1, P2: a / P1: 2, P2: b / P1: 3, P2: c / Completed")
  }

  @Test func `zip combines three publishers`() {
    _ = Publishers.Zip3(Just(1), Just("a"), Just(true)).sink { out.print($0, $1, $2) }
    #expect(out.joined == "1 a true")
  }

  @Test func `combineLatest combines the latest values`() {
    #expect(
      combined { $0.combineLatest($1) }
        == "P1: 2, P2: a / P1: 2, P2: b / P1: 3, P2: b / P1: 3, P2: c / P1: 3, P2: d / Completed")
  }

  @Test func `merge interleaves publishers`() {
    let (p1, p2) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let subscription = p1.merge(with: p2).sink { out.print($0) }
    p1.send(1)
    p1.send(2)
    p2.send(11)
    p2.send(22)
    p1.send(3)
    p2.send(33)
    #expect(out.joined == "1 / 2 / 11 / 22 / 3 / 33")
    subscription.cancel()
  }

  @Test func `catch and retry recover from failures`() {
    _ = Just(1).tryMap { _ -> Int in throw Trouble.some }.catch { _ in Just(2) }.sink { out.print($0) }
    _ = Just(1).tryMap { _ -> Int in throw Trouble.some }.replaceError(with: 2).sink { out.print($0) }
    #expect(out.joined == "2 / 2")
  }

  /// Two subscribers that print their values.
  private func subscribe<P: Publisher>(_ name: String, to publisher: P) -> AnyCancellable
  where P.Output == String, P.Failure == Never {
    return publisher.sink(
      receiveCompletion: { out.print("\(name) \($0)") }, receiveValue: { out.print("\(name) received: '\($0)'") })
  }

  @Test func `share serves two subscribers`() {
    let scheduler = TestScheduler()
    let shared = Just("data").delay(for: 1, scheduler: scheduler).share()
    out.print("=====subscribing first=====")
    let first = subscribe("subscription1", to: shared)
    out.print("=====subscribing second=====")
    let second = subscribe("subscription2", to: shared)
    scheduler.run()
    #expect(
      out.lines == [
        "=====subscribing first=====",
        "=====subscribing second=====",
        "subscription1 received: 'data'",
        "subscription2 received: 'data'",
        "subscription1 finished",
        "subscription2 finished",
      ])
    first.cancel()
    second.cancel()
  }

  @Test func `a late subscriber of share misses earlier values`() {
    let scheduler = TestScheduler()
    let shared = Just("data").delay(for: 1, scheduler: scheduler).share()
    let first = subscribe("subscription1", to: shared)
    scheduler.run()
    let second = subscribe("subscription2", to: shared)
    scheduler.run()
    #expect(out.joined == "subscription1 received: 'data' / subscription1 finished / subscription2 finished")
    first.cancel()
    second.cancel()
  }

  @Test func `multicast serves subscribers through a subject`() {
    let scheduler = TestScheduler()
    let shared = Just("data").delay(for: 0, scheduler: scheduler).multicast(subject: PassthroughSubject())
    let first = subscribe("subscription1", to: shared)
    let second = subscribe("subscription2", to: shared)
    var connection: Cancellable?
    scheduler.schedule(after: scheduler.now.advanced(by: 2)) { connection = shared.connect() }
    scheduler.advance(by: 1.9)
    #expect(out.lines.isEmpty)
    scheduler.run()
    #expect(
      out.lines == [
        "subscription1 received: 'data'",
        "subscription2 received: 'data'",
        "subscription1 finished",
        "subscription2 finished",
      ])
    connection?.cancel()
    first.cancel()
    second.cancel()
  }
}
